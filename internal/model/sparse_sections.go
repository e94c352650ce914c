package model

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// sparseSections are the names of a Sparse's sections, but for the bits of what is in them.
type sparseSections struct{ rows, codes, numbers string }

var (
	weightSections = sparseSections{"ROWPTR", "GAP", "VALUE"}
	pairSections   = sparseSections{"RPTR", "RGAP", "RVAL"}
)

// all are the names. If a file has one of them, it has a Sparse.
func (in *sparseSections) all() []string {
	return []string{in.rows, in.codes, in.numbers}
}

func (s *Sparse) placesSection(in *sparseSections) string {
	if s.within32 != nil {
		return in.rows + "32"
	}
	return in.rows + "16"
}

func (s *Sparse) codesSection(in *sparseSections) string {
	if s.codes8 != nil {
		return in.codes + "8"
	}
	return in.codes + "16"
}

// fields are the sections of so many rows.
func (s *Sparse) fields(in *sparseSections, rows int) []field {
	places := field{
		names: []string{in.rows + "16", in.rows + "32"},
		encode: func() (string, []byte) {
			within := mem.ViewBytes(s.within16)
			if s.within32 != nil {
				within = mem.ViewBytes(s.within32)
			}
			return s.placesSection(in), slices.Concat(mem.ViewBytes(s.starts), within)
		},
	}
	places.decode = func(name string, data []byte) (bad *fileError) {
		starts := 8 * (rows/blockRows + 1)
		if len(data) < starts {
			return at(name, 0, "it has %d bytes, and the starts of its blocks alone %d", len(data), starts)
		}
		s.starts = mem.View[uint64](data[:starts])
		if name == places.names[0] {
			s.within16, bad = array[uint16](name, data[starts:])
		} else {
			s.within32, bad = array[uint32](name, data[starts:])
		}
		return bad
	}
	codes := field{
		names: []string{in.codes + "8", in.codes + "16"},
		encode: func() (string, []byte) {
			if s.codes8 != nil {
				return s.codesSection(in), s.codes8
			}
			return s.codesSection(in), mem.ViewBytes(s.codes16)
		},
	}
	codes.decode = func(name string, data []byte) (bad *fileError) {
		if name == codes.names[0] {
			s.codes8 = mem.View[uint8](data)
			return nil
		}
		s.codes16, bad = array[uint16](name, data)
		return bad
	}
	return []field{places, codes, numbersField(in.numbers, &s.Value)}
}

// check finds out whether rows and outputs are in order and in range, and the numbers finite.
func (s *Sparse) check(in *sparseSections, rows, outputs int) *fileError {
	switch n := s.Codes(); {
	case s.Rows() != rows:
		return wrongLength(s.placesSection(in), s.Rows()+1, rows+1, "numbers")
	case s.place(0) != 0 || s.place(rows) != n:
		return at(s.placesSection(in), 0, "it goes from %d to %d, which should be 0 to %d", s.place(0), s.place(rows), n)
	default:
		if p := checkNumbers(in.numbers, s.Value, uint64(n), "numbers, as "+s.codesSection(in)+" has"); p != nil {
			return p
		}
	}
	return findProblem(rows, func(lo, hi int) *fileError {
		if s.codes8 != nil {
			return checkRows(s, s.codes8, in, lo, hi, outputs)
		}
		return checkRows(s, s.codes16, in, lo, hi, outputs)
	})
}

// checkRows finds out whether rows follow each other, and have outputs that there are.
func checkRows[T code](s *Sparse, codes []T, in *sparseSections, lo, hi, outputs int) *fileError {
	begin := s.place(lo)
	for row := lo; row < hi; row++ {
		end := s.place(row + 1)
		startsBlock := (row+1)%blockRows == 0
		if uint(begin) > uint(end) || uint(end) > uint(len(codes)) || startsBlock && end != int(s.starts[(row+1)/blockRows]) {
			return at(s.placesSection(in), s.placeOf(row+1), "row %d goes from %d to %d of %d", row, begin, end, len(codes))
		}
		used, largest := end-begin, T(0)
		for _, c := range codes[begin:end] {
			used += int(c)
			largest = max(largest, c)
		}
		if used > outputs || largest == ^T(0) {
			if p := checkCodes(s, codes[begin:end], in, row, outputs); p != nil {
				return p
			}
		}
		begin = end
	}
	return nil
}

// placeOf is where the section says where a row begins in its block.
func (s *Sparse) placeOf(row int) int {
	if s.within32 != nil {
		return 8*len(s.starts) + 4*row
	}
	return 8*len(s.starts) + 2*row
}

// checkCodes finds out whether all outputs of a row are there, and whether numbers that are of none are 0.
func checkCodes[T code](s *Sparse, codes []T, in *sparseSections, row, outputs int) *fileError {
	output := 0
	for i, c := range codes {
		place := s.place(row) + i
		output += int(c)
		switch {
		case c != ^T(0) && output >= outputs:
			return at(s.codesSection(in), mem.SizeOf[T]()*place, "row %d has output %d of %d", row, output, outputs)
		case c != ^T(0):
			output++
		case i == len(codes)-1:
			return at(s.codesSection(in), mem.SizeOf[T]()*place, "row %d ends with code %d, which is no entry", row, c)
		default:
			if x := s.Value.At(place); x != 0 {
				return at(sectionOf(in.numbers, s.Value.bits()), s.Value.place(place), "number %d of the section is %v: it is of no output, and must be 0", place, x)
			}
		}
	}
	return nil
}

// check finds out whether the lengths are right, the pairs in order and in range,
// and all numbers moderate. A sum of two is then finite, too.
func (s *SparseRatio) check(rows, outputs int) *fileError {
	if len(s.Output) != outputs {
		return wrongLength("ROUT", len(s.Output), outputs, "numbers, one per output")
	}
	if p := moderate("ROUT", s.Output); p != nil {
		return p
	}
	if p := checkNumbers("RROW", s.Row, uint64(rows), "numbers"); p != nil {
		return p
	}
	return s.Pairs.check(&pairSections, rows, outputs)
}
