package plan

import (
	"math"
	"testing"
)

// TestGrowth: a power law goes on as it is; a law whose exponent falls is followed; nothing ever falls.
func TestGrowth(t *testing.T) {
	points := func(f func(n float64) float64) (all [3]count) {
		for i, n := range []int64{6_250, 25_000, 100_000} {
			all[i] = count{n, f(float64(n))}
		}
		return all
	}
	for name, test := range map[string]struct {
		f     func(n float64) float64
		until float64
		off   float64
	}{
		"proportional": {func(n float64) float64 { return 7 * n }, 1e10, 1e-9},
		"Heaps":        {func(n float64) float64 { return 40 * math.Pow(n, 0.8) }, 1e10, 1e-9},
		"bent":         {func(n float64) float64 { x := math.Log(n); return math.Exp(3 + x - 0.01*x*x) }, 1e9, 1e-9},
		"nothing new":  {func(float64) float64 { return 1000 }, 1e10, 1e-9},
		// A vocabulary that ends, drawn from by Zipf's law: the end is sharper than a parabola's.
		"saturating": {func(n float64) float64 {
			sum := 0.0
			for r := 1.0; r <= 200_000; r++ {
				sum -= math.Expm1(-10 * n / r / 12.8)
			}
			return sum
		}, 1e7, 1.2},
	} {
		g := newGrowth(points(test.f), math.Inf(1))
		for n := 1e5; n <= test.until; n *= 10 {
			if got, want := g.at(int64(n)), test.f(n); math.Abs(got-want) > test.off*want {
				t.Errorf("%s: %g of %g documents, want %g", name, got, n, want)
			}
		}
	}
	if g := newGrowth([3]count{{1, 0}, {10, 0}, {100, 5}}, 10); math.Abs(g.at(1000)-50) > 1e-9 {
		t.Errorf("%g of ten times as many, where only one point has any", g.at(1000))
	}
	if g := newGrowth([3]count{{10, 1}, {40, 100}, {160, 101}}, 10); g.at(1<<40) < 101 {
		t.Errorf("%g, which is fewer than in the sample", g.at(1<<40))
	}
}

// TestOccupied: buckets fill up as balls thrown at random fill them.
func TestOccupied(t *testing.T) {
	if few := occupied(1<<22, 10); math.Abs(few-10) > 1e-4 {
		t.Errorf("%g buckets of 10 n-grams", few)
	}
	// As training tells of 1 and of 10 million generated documents.
	for grams, want := range map[float64]float64{4_208_487: 2_655_789, 30_712_929: 4_191_535} {
		if got := occupied(1<<22, grams); math.Abs(got-want) > 1e-3*want {
			t.Errorf("%g buckets of %g n-grams, want %g", got, grams, want)
		}
	}
}
