package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestWholeUnit: levels that are made whole are multiples of a unit, and differ from what they were by half of it at
// most, but for the largest.
func TestWholeUnit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for e := -149; e < 128; e++ {
		s := make([]float32, 300)
		for i := range s {
			s[i] = float32(math.Ldexp(r.Float64()*2-1, e) * math.Exp(-5*r.Float64()))
		}
		b := newNumbers8(s)
		before := b.levels
		b.makeWhole()
		m := Model{Sparse: &Sparse{Value: b}}
		unit, ok := m.WholeUnit()
		if !ok {
			t.Fatalf("levels up to 2^%d are not whole: %v", e, b.levels)
		}
		for i, level := range b.levels {
			if whole := float64(level) / unit; whole != math.Trunc(whole) || math.Abs(whole) > math.MaxInt16 {
				t.Fatalf("level %v is %v times %v", level, whole, unit)
			}
			if off := math.Abs(float64(level) - float64(before[i])); off > unit {
				t.Fatalf("level %v has become %v", before[i], level)
			}
		}
	}
	all := Model{Sparse: &Sparse{Value: newNumbers8([]float32{1, 1.0 / 3000})}}
	if unit, ok := all.WholeUnit(); ok {
		t.Errorf("a 3000th is a multiple of %v", unit)
	}
	if _, ok := (&Model{Dense: Float32s{1, 2}}).WholeUnit(); ok {
		t.Error("numbers of 32 bits have a unit")
	}
	if unit, ok := (&Model{Dense: &numbers8{}}).WholeUnit(); !ok || unit <= 0 {
		t.Errorf("zeros have the unit %v, %v", unit, ok)
	}
}

// drawSide draws groups of numbers.
func drawSide(t *rapid.T) (s side) {
	points := rapid.IntRange(0, 9).Draw(t, "points")
	counts, sums := make([]float64, points), make([]float64, points)
	x := 0.0
	for i := range points {
		x += rapid.Float64Range(0.1, 5).Draw(t, "distance")
		counts[i] = float64(rapid.IntRange(0, 20).Draw(t, "count"))
		sums[i] = x * counts[i]
	}
	s.collect(1, counts, sums)
	return s
}

// error is the squared error of the division, which must be one.
func (s *side) error(t *rapid.T) (sum float64) {
	left := len(s.groups)
	for _, cell := range s.cells() {
		if cell[1] != left || cell[0] >= cell[1] {
			t.Fatalf("a cell is from %d to %d, and %d groups are left", cell[0], cell[1], left)
		}
		sum += s.cost(cell[0], cell[1])
		left = cell[0]
	}
	if left != 0 {
		t.Fatalf("%d groups are in no cell", left)
	}
	return sum
}

// TestLeastPrice compares a division of one side with all others.
func TestLeastPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSide(t)
		price := rapid.Float64Range(0, 100).Draw(t, "price")
		cells := s.divide(price)
		got, want := s.error(t)+float64(cells)*price, math.Inf(1)
		for k := range len(s.groups) + 1 {
			want = min(want, leastError(&s, len(s.groups), k)+float64(k)*price)
		}
		if math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("%d cells of price %v: %v, want %v", cells, price, got, want)
		}
	})
}

// TestLeastError compares a division of both sides with all others of as many cells.
func TestLeastError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sides := [2]side{drawSide(t), drawSide(t)}
		n := rapid.IntRange(2, 12).Draw(t, "n")
		divideSides(&sides, n)
		cells := len(sides[0].cells()) + len(sides[1].cells())
		if groups := len(sides[0].groups) + len(sides[1].groups); cells > n || cells < min(n-1, groups) {
			t.Fatalf("%d groups have become %d cells of %d", groups, cells, n)
		}
		got, want := sides[0].error(t)+sides[1].error(t), math.Inf(1)
		for k := range cells + 1 {
			want = min(want, leastError(&sides[0], len(sides[0].groups), k)+leastError(&sides[1], len(sides[1].groups), cells-k))
		}
		if math.Abs(got-want) > 1e-9*(1+want) {
			t.Fatalf("%d cells: error %v, want %v", cells, got, want)
		}
	})
}

// leastError tries every place for the last cell to begin.
func leastError(s *side, end, cells int) float64 {
	if cells == 0 {
		if end == 0 {
			return 0
		}
		return math.Inf(1)
	}
	least := math.Inf(1)
	for begin := range end + 1 {
		least = min(least, leastError(s, begin, cells-1)+s.cost(begin, end))
	}
	return least
}

// TestLevels: the error is below that of levels at equal distances, zero stays zero,
// and signs are kept.
func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for name, draw := range map[string]func() float64{
		"heavy tails": func() float64 { return math.Exp(2*rng.NormFloat64()) * rng.NormFloat64() },
		"positive":    func() float64 { return rng.ExpFloat64() },
		"negative":    func() float64 { return -1 - rng.Float64() },
		"zeros":       func() float64 { return max(0, rng.NormFloat64()) },
		"three":       func() float64 { return float64(rng.IntN(3)) - 1 },
		"nothing":     func() float64 { return 0 },
		"large":       func() float64 { return rng.NormFloat64() * 1e37 },
		"small":       func() float64 { return rng.NormFloat64() * 1e-42 },
	} {
		s := make([]float32, 20_000)
		var largest float64
		for i := range s {
			s[i] = float32(draw())
			largest = max(largest, math.Abs(float64(s[i])))
		}
		b := newNumbers8(s)
		var off, equal float64
		for i, x := range s {
			got, x := float64(b.At(i)), float64(x)
			if got*x < 0 || (got == 0) != (x == 0) && math.Abs(x) > max(0x1p-36*largest, 0x1p-147) {
				t.Fatalf("%s: %v has become %v", name, x, got)
			}
			off += (got - x) * (got - x) / (largest + 1e-45) / (largest + 1e-45)
			step := largest / 127
			if step > 0 {
				d := (x - math.RoundToEven(x/step)*step) / largest
				equal += d * d
			}
		}
		if off > max(equal, 0x1p-22*float64(len(s))) {
			t.Errorf("%s: squared error %v, with equal distances %v", name, off, equal)
		}
	}
	if b := newNumbers8(nil); len(b.codes) != 0 || b.levels != [256]float32{} {
		t.Errorf("no numbers: %+v", b)
	}
}

// TestNumbers: all ways to read numbers agree.
func TestNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	wide := make(Float32s, 1000)
	for i := range wide {
		wide[i] = float32(rng.NormFloat64())
	}
	for _, s := range []Numbers{wide, newNumbers8(wide)} {
		for i, x := range s.Range(make([]float32, 10), 500, 510) {
			if x != s.At(500+i) {
				t.Errorf("%d bits: number %d is %v and %v", s.bits(), 500+i, x, s.At(500+i))
			}
		}
	}
}

func TestQuantize(t *testing.T) {
	for name, m := range map[string]*Model{"sample": sample(), "dense": dense()} {
		quantized, err := m.Quantize()
		must.OK(t, err)
		if m.Bits() != 32 || quantized.Bits() != 8 {
			t.Errorf("%s: %d bits became %d", name, m.Bits(), quantized.Bits())
		}
		if _, err := quantized.Quantize(); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("%s quantized twice: %v", name, err)
		}
	}
}
