package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestWholeUnit: levels that are made whole are multiples of a unit, and differ from what they were by half of it at
// most, but for the largest.
func TestWholeUnit(t *testing.T) {
	must.SkipUnderRace(t)
	r := rand.New(rand.NewPCG(3, 4))
	for e := -149; e < 128; e++ {
		s := make([]float32, 300)
		for i := range s {
			s[i] = float32(math.Ldexp(r.Float64()*2-1, e) * math.Exp(-5*r.Float64()))
		}
		b := newNumbers8(s, levelFactor)
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
	all := Model{Sparse: &Sparse{Value: newNumbers8([]float32{1, 1.0 / 3000}, levelFactor)}}
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

// TestLevels: numbers are within half a step of their levels, or of the smallest level; zero stays zero, and signs are
// kept.
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
		"small":       func() float64 { return rng.NormFloat64() * 1e-34 },
	} {
		s := make([]float32, 20_000)
		var largest float64
		for i := range s {
			s[i] = float32(draw())
			largest = max(largest, math.Abs(float64(s[i])))
		}
		for factor, least := range map[float64]float64{levelFactor: 1.0 / 2790, byWordFactor: 1.0 / 51_900} {
			b := newNumbers8(s, factor)
			for i, x := range s {
				got, x := float64(b.At(i)), float64(x)
				if got*x < 0 || (got == 0) != (x == 0) {
					t.Fatalf("%s: %v has become %v", name, x, got)
				}
				const group = 1.0 / 256
				if off := math.Abs(got - x); off > ((factor-1)/2+group)*math.Abs(x) && off > least*largest {
					t.Fatalf("%s: %v of up to %v has become %v", name, x, largest, got)
				}
			}
		}
	}
	if b := newNumbers8(nil, levelFactor); len(b.codes) != 0 {
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
	for _, s := range []Numbers{wide, newNumbers8(wide, levelFactor)} {
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
