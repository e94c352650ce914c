package model

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/model/half"
)

// Rounding is what quantizing has done to the numbers of a section.
type Rounding struct {
	Section string  `json:"section"` // as in a file of 32 bits
	Numbers int     `json:"numbers"`
	Largest float64 `json:"largest"` // magnitude
	Worst   float64 `json:"worst"`   // rounding error
	RMS     float64 `json:"rms"`     // of the errors, by that of the numbers; 0 if all are 0
}

// Quantize gives the model with weights and ratios of 16 or 8 bits; all else is
// shared. It fails where they have as few bits already.
func (m *Model) Quantize(bits int) (*Model, []Rounding, error) {
	if bits != 16 && bits != 8 {
		return nil, nil, fmt.Errorf("model: the bits of a number must be 16 or 8, got %d", bits)
	}
	if m.Rule != nil {
		return nil, nil, fmt.Errorf("model: section %s has no weights to round", m.Rule.Section)
	}
	if have := m.Bits(); have <= bits {
		return nil, nil, fmt.Errorf("model: its numbers already have %d bits: quantize the original model of 32 bits, which --min-weight 0 trains", have)
	}
	quantized := *m
	var roundings []Rounding
	round := func(section string, s *Numbers, n int) {
		wide, is32 := (*s).(Float32s)
		if !is32 {
			wide = (*s).Range(make([]float32, (*s).Len()), 0, (*s).Len())
		}
		if bits == 16 {
			*s = newNumbers16(wide)
		} else {
			b := newNumbers8(wide)
			if m.Outputs > 1 && (section == "DENSE" || section == weightSections.numbers) {
				b.makeWhole()
			}
			*s = b
		}
		r := rounding(section, wide, *s)
		r.Numbers = n
		roundings = append(roundings, r)
	}
	if s := m.Sparse; s != nil {
		if n := s.entries(); s.codes8 != nil && SparseIsSmaller(bits, n, m.IDs.Size, m.Outputs) {
			quantized.Sparse = s.sameCodes()
		} else {
			quantized.setWeights(bits, n, s.visit(m.rows())) // which may be dense now
		}
	}
	if quantized.Dense != nil {
		round("DENSE", &quantized.Dense, quantized.Dense.Len())
	} else {
		round(weightSections.numbers, &quantized.Sparse.Value, m.Sparse.entries())
	}
	if m.Ratio != nil {
		round("RATIO", &quantized.Ratio, m.Ratio.Len())
	}
	if m.Norm != nil {
		round("NORM", &quantized.Norm, m.Norm.Len())
	}
	if r := m.SparseRatio; r != nil {
		ratio := SparseRatio{r.Row, r.Output, Sparse{}}
		if r.Pairs.codes8 != nil {
			ratio.Pairs = *r.Pairs.sameCodes()
		} else {
			ratio.Pairs = *newSparse(m.IDs.Size, bits, r.Pairs.visit(m.rows()))
		}
		round("RROW", &ratio.Row, r.Row.Len())
		round(pairSections.numbers, &ratio.Pairs.Value, r.Pairs.entries())
		quantized.SparseRatio = &ratio
	}
	return &quantized, roundings, nil
}

// rows are the numbers of all rows.
func (m *Model) rows() (rows []uint32) {
	for row := range m.IDs.Size {
		rows = append(rows, uint32(row))
	}
	return rows
}

// sameCodes is a copy that shares all but the place for numbers. Codes of 8 bits need the least space with numbers of
// fewer bits, too.
func (s *Sparse) sameCodes() *Sparse {
	other := *s
	return &other
}

// Bits are the bits of a weight: 32, 16 or 8; 32 where there are none.
func (m *Model) Bits() int {
	if m.Rule != nil {
		return 32
	}
	return m.weights().bits()
}

// weights are the numbers of all weights, in the order of Dense or of Sparse.
func (m *Model) weights() Numbers {
	if m.Dense != nil {
		return m.Dense
	}
	return m.Sparse.Value
}

// rounding compares numbers with what they have become.
func rounding(section string, wide []float32, quantized Numbers) Rounding {
	r := Rounding{Section: section, Numbers: len(wide)}
	var errors, squares float64
	for i, x := range wide {
		x := float64(x)
		off := x - float64(quantized.At(i))
		r.Largest, r.Worst = max(r.Largest, math.Abs(x)), max(r.Worst, math.Abs(off))
		errors += float64(off * off)
		squares += float64(x * x)
	}
	if squares > 0 {
		r.RMS = math.Sqrt(errors / squares)
	}
	return r
}

// Halves are looked at in groups of four neighbours, whose members are nearer to
// each other than any two levels. Group 0 of either sign holds zero.
const (
	groupBits  = 2
	groups     = 1 << (16 - groupBits)
	groupsSide = groups / 2 // of one sign
)

// levelsOf chooses 256 levels for numbers so that their squared error is the least,
// and gives the place of the level of every group. The first level is 0; negative and
// positive numbers have levels of their own. Levels that nobody needs are 0.
//
// Levels at equal distances, scaled to the largest number, have ten times the error:
// most weights are small, and a few a hundred times as large. A scale for every output
// gains nothing on these, and levels that are improved step by step (Lloyd) stop at
// two to six times the error.
func levelsOf(h *numbers16) (levels [256]float32, places []uint8) {
	var counts, sums [groups]float64
	for _, code := range h.codes {
		counts[code>>groupBits]++
		sums[code>>groupBits] += float64(half.Float(code))
	}
	const n = len(levels) - 1
	var sides [2]side
	parallel(2, func(i int) {
		first := i * groupsSide
		sides[i].collect(first+1, counts[first+1:first+groupsSide], sums[first+1:first+groupsSide])
		sides[i].solve(n)
	})
	share, least := 0, math.Inf(1) // share of the positive numbers, which come first
	for k := range n + 1 {
		if e := sides[0].errors[k] + sides[1].errors[n-k]; e < least {
			share, least = k, e
		}
	}
	places = make([]uint8, groups)
	for i, place := range []int{1, 1 + share} {
		s := &sides[i]
		n := []int{share, n - share}[i]
		for k, cell := range s.cells(n) {
			levels[place+k] = float32(s.mean(cell[0], cell[1]) * h.scale)
			for _, group := range s.groups[cell[0]:cell[1]] {
				places[group] = uint8(place + k)
			}
		}
	}
	return levels, places
}

// side is the groups of one sign that have numbers, ascending by magnitude, and the
// ways to divide them into cells, each of which has its mean for a level.
type side struct {
	groups             []int
	count, sum, square []float64 // before every group; the last are of all
	errors             []float64 // the least squared error with so many cells
	begins             [][]uint16
}

func (s *side) collect(first int, counts, sums []float64) {
	s.count, s.sum, s.square = []float64{0}, []float64{0}, []float64{0}
	for g, count := range counts {
		if count == 0 {
			continue
		}
		last := len(s.groups)
		s.groups = append(s.groups, first+g)
		s.count = append(s.count, s.count[last]+count)
		s.sum = append(s.sum, s.sum[last]+sums[g])
		s.square = append(s.square, s.square[last]+float64(sums[g]*sums[g]/count))
	}
}

func (s *side) mean(lo, hi int) float64 {
	return (s.sum[hi] - s.sum[lo]) / (s.count[hi] - s.count[lo])
}

// cost is the squared error of a cell.
func (s *side) cost(lo, hi int) float64 {
	if lo == hi {
		return 0
	}
	sum := s.sum[hi] - s.sum[lo]
	return max(0, s.square[hi]-s.square[lo]-float64(sum*sum)/(s.count[hi]-s.count[lo]))
}

// solve finds the least error of up to n cells: that of k cells of the first groups is
// that of k-1 of fewer, and the last cell's. Where the last cell begins moves to the
// right with where it ends, which saves looking at most places.
func (s *side) solve(n int) {
	points := len(s.groups)
	before, best := make([]float64, points+1), make([]float64, points+1)
	for hi := 1; hi <= points; hi++ {
		before[hi] = math.Inf(1) // no cells hold nothing
	}
	s.errors = append(s.errors, before[points])
	for range n {
		begins := make([]uint16, points+1)
		s.extend(before, best, begins, 0, points, 0, points)
		before, best = best, before
		s.errors, s.begins = append(s.errors, before[points]), append(s.begins, begins)
	}
}

// extend adds a cell to the best ways before, for ends lo to hi and beginnings from
// least to most.
func (s *side) extend(before, best []float64, begins []uint16, lo, hi, least, most int) {
	if lo > hi {
		return
	}
	end := (lo + hi) / 2
	begin, e := least, math.Inf(1)
	for i := least; i <= min(most, end); i++ {
		if sum := before[i] + s.cost(i, end); sum < e {
			begin, e = i, sum
		}
	}
	best[end], begins[end] = e, uint16(begin)
	s.extend(before, best, begins, lo, end-1, least, begin)
	s.extend(before, best, begins, end+1, hi, begin, most)
}

// cells are the best way to divide all groups into at most n cells, none empty.
func (s *side) cells(n int) (cells [][2]int) {
	end := len(s.groups)
	for k := n - 1; k >= 0 && end > 0; k-- {
		begin := int(s.begins[k][end])
		if begin < end {
			cells = append(cells, [2]int{begin, end})
		}
		end = begin
	}
	return cells
}
