package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// TestSigmoids: the same bits as xmath.Sigmoid, of numbers of all magnitudes.
func TestSigmoids(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(71, 72))
		special := []float64{0, math.Copysign(0, -1), 1, -1, 700, -700, -700.5, -1e300, 1e300, 710, 1e-9, -1e-9, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, 745.2, 36.8, -36.8}
		for n := range 3000 {
			x, intact := guarded[float64](n%23, 1e100)
			want := make([]float64, len(x))
			for i := range x {
				switch n % 4 {
				case 0:
					x[i] = special[r.IntN(len(special))]
				case 1:
					x[i] = r.NormFloat64() * 5
				case 2:
					x[i] = r.NormFloat64() * 300
				default:
					x[i] = math.Ldexp(r.NormFloat64(), r.IntN(80)-70)
				}
				want[i] = xmath.Sigmoid(max(x[i], -700))
			}
			given := append([]float64{}, x...)
			Sigmoids(x)
			for i := range x {
				if math.Float64bits(x[i]) != math.Float64bits(want[i]) {
					t.Fatalf("of %v: %v, want %v", given[i], x[i], want[i])
				}
			}
			if !intact() {
				t.Fatal("something outside the slice was written")
			}
		}
	})
}

func BenchmarkSigmoids(b *testing.B) {
	x := make([]float64, 32)
	eachImplementationOf(b, func(b *testing.B) {
		for b.Loop() {
			for i := range x {
				x[i] = float64(i%7) - 3
			}
			Sigmoids(x)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/number")
	})
}
