package xmath_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

var functions = []struct {
	name   string
	f      func(float64) float64
	ref    func(float64) *big.Float
	maxULP float64
	// lo to hi is where the result is neither trivial nor out of range.
	lo, hi float64
}{
	{"Exp", xmath.Exp, refExp, 1, -746, 709.8},
	{"Log", xmath.Log, refLog, 1, 0, math.MaxFloat64},
	{"Log1p", xmath.Log1p, refLog1p, 1, -1, math.MaxFloat64},
	{"Sigmoid", xmath.Sigmoid, refSigmoid, 3, -746, 746},
	{"Log1pExp", xmath.Log1pExp, refSoftplus, 3, -746, 746},
}

// interesting are arguments at which one of the functions changes its way:
// powers of two, thresholds of the argument reductions, ends of the range.
func interesting() []float64 {
	xs := []float64{
		1, math.Sqrt2, math.Sqrt2 / 2, math.Sqrt2 - 1, math.Sqrt2/2 - 1, 1 - math.Sqrt2/2,
		math.Ln2, math.Ln2 / 2, 1.5 * math.Ln2, 2 * math.Ln2, 20.5 * math.Ln2, 56 * math.Ln2, 56.5 * math.Ln2,
		0x1p-1023, 0.25 + math.Ln2, 709.782712893384, 745.1332191019411, 745.1332191019412, 708.39, 744.44, 37, 36.7, 0.1, 0.5, 2, 3, 10, 100, 700,
		math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1022 - 0x1p-1074, 1e-320,
		math.MaxFloat64, 1e308, 1e300, 1e16, 1 << 52, 1 << 53, 1 << 54, 1e-300,
	}
	for e := -60; e <= 10; e++ {
		xs = append(xs, math.Ldexp(1, e))
	}
	for k := 1; k < 75; k++ {
		xs = append(xs, float64(k)*math.Ln2, (float64(k)+0.5)*math.Ln2)
	}
	var all []float64
	for _, x := range xs {
		for _, y := range []float64{math.Nextafter(x, 0), x, math.Nextafter(x, math.Inf(1))} {
			if y != 0 && !math.IsInf(y, 0) {
				all = append(all, y, -y)
			}
		}
	}
	return all
}

// TestULP compares with the exact value: at the seams, over the bits of a float64
// (every magnitude), and evenly over the range that matters.
func TestULP(t *testing.T) {
	for _, fn := range functions {
		t.Run(fn.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			xs := interesting()
			for range 500 {
				xs = append(xs, math.Float64frombits(rng.Uint64()))
				lo, hi := max(fn.lo, -750), min(fn.hi, 750)
				xs = append(xs, lo+(hi-lo)*rng.Float64(), 4*rng.Float64()-2, rng.NormFloat64()*1e-3)
			}
			worst, at := 0.0, 0.0
			for _, x := range xs {
				if !(x > fn.lo && x <= fn.hi) {
					continue
				}
				got := fn.f(x)
				if x == 1 && fn.name == "Log" {
					if got != 0 {
						t.Fatalf("Log(1) = %v", got)
					}
					continue
				}
				if u := ulps(got, fn.ref(x)); u > worst {
					worst, at = u, x
				}
			}
			t.Logf("%d arguments, worst %.3f ulp at %v", len(xs), worst, at)
			if worst > fn.maxULP {
				t.Errorf("%s(%v) = %v is %.3f ulp away, at most %v expected", fn.name, at, fn.f(at), worst, fn.maxULP)
			}
		})
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	denormal := math.SmallestNonzeroFloat64
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Exp", xmath.Exp, 0, 1},
		{"Exp", xmath.Exp, negZero, 1},
		{"Exp", xmath.Exp, inf, inf},
		{"Exp", xmath.Exp, -inf, 0},
		{"Exp", xmath.Exp, nan, nan},
		{"Exp", xmath.Exp, denormal, 1},
		{"Exp", xmath.Exp, math.MaxFloat64, inf},
		{"Exp", xmath.Exp, -math.MaxFloat64, 0},
		{"Exp", xmath.Exp, 709.79, inf},
		{"Exp", xmath.Exp, -745.2, 0},
		{"Exp", xmath.Exp, -745.1, denormal},
		{"Log", xmath.Log, 1, 0},
		{"Log", xmath.Log, 0, -inf},
		{"Log", xmath.Log, negZero, -inf},
		{"Log", xmath.Log, inf, inf},
		{"Log", xmath.Log, -inf, nan},
		{"Log", xmath.Log, -1, nan},
		{"Log", xmath.Log, -denormal, nan},
		{"Log", xmath.Log, nan, nan},
		{"Log1p", xmath.Log1p, 0, 0},
		{"Log1p", xmath.Log1p, negZero, negZero},
		{"Log1p", xmath.Log1p, -1, -inf},
		{"Log1p", xmath.Log1p, math.Nextafter(-1, -2), nan},
		{"Log1p", xmath.Log1p, -inf, nan},
		{"Log1p", xmath.Log1p, inf, inf},
		{"Log1p", xmath.Log1p, nan, nan},
		{"Log1p", xmath.Log1p, denormal, denormal},
		{"Sigmoid", xmath.Sigmoid, 0, 0.5},
		{"Sigmoid", xmath.Sigmoid, negZero, 0.5},
		{"Sigmoid", xmath.Sigmoid, inf, 1},
		{"Sigmoid", xmath.Sigmoid, -inf, 0},
		{"Sigmoid", xmath.Sigmoid, nan, nan},
		{"Sigmoid", xmath.Sigmoid, -745.1, denormal},
		{"Log1pExp", xmath.Log1pExp, 0, math.Ln2},
		{"Log1pExp", xmath.Log1pExp, negZero, math.Ln2},
		{"Log1pExp", xmath.Log1pExp, inf, inf},
		{"Log1pExp", xmath.Log1pExp, -inf, 0},
		{"Log1pExp", xmath.Log1pExp, nan, nan},
		{"Log1pExp", xmath.Log1pExp, 1e300, 1e300},
		{"Log1pExp", xmath.Log1pExp, -745.1, denormal},
	} {
		got := c.f(c.x)
		same := got == c.want && math.Signbit(got) == math.Signbit(c.want)
		if !same && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

// TestMonotone: neither of the functions may fall where its argument grows, or
// ranking by probability would differ from ranking by margin by more than ties.
func TestMonotone(t *testing.T) {
	for _, fn := range functions {
		t.Run(fn.name, rapid.MakeCheck(func(t *rapid.T) {
			lo, hi := max(fn.lo, -750), min(fn.hi, 750)
			x := rapid.Float64Range(lo, hi).Draw(t, "x")
			gap := rapid.Float64Range(1e-9, 1).Draw(t, "gap") * max(1, math.Abs(x))
			if a, b := fn.f(x), fn.f(x+gap); a > b {
				t.Fatalf("%s(%v) = %v is above %s(%v) = %v", fn.name, x, a, fn.name, x+gap, b)
			}
		}))
	}
}

func ExampleLog1pExp() {
	margin := -800.0 // e**800 would overflow
	fmt.Println(xmath.Log1pExp(-margin))
	// Output: 800
}

func TestMeanSD(t *testing.T) {
	if m, sd := xmath.MeanSD([]float64{2, 4, 4, 4, 5, 5, 7, 9}); m != 5 || sd != math.Sqrt(32./7) {
		t.Errorf("mean %v, standard deviation %v", m, sd)
	}
	if m, sd := xmath.MeanSD([]float64{3}); m != 3 || !math.IsNaN(sd) {
		t.Errorf("mean %v, standard deviation %v of one value", m, sd)
	}
	if m, sd := xmath.MeanSD(nil); !math.IsNaN(m) || !math.IsNaN(sd) {
		t.Errorf("mean %v, standard deviation %v of nothing", m, sd)
	}
}
