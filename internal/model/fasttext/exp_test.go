package fasttext

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 1_000_000 {
		x := r.NormFloat64() * math.Pow(10, float64(r.IntN(4)))
		want := math.Exp(min(max(x, -expRange), expRange))
		if got := exp(x); math.Abs(got-want) > 1e-11*want {
			t.Fatalf("exp(%v) is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1)} {
		if got := exp(x); got != 1 {
			t.Errorf("exp(%v) is %v", x, got)
		}
	}
	if got := exp(math.NaN()); got == got {
		t.Errorf("exp(NaN) is %v", got)
	}
	if low, high := exp(math.Inf(-1)), exp(math.Inf(1)); low <= 0 || low > 1e-300 || math.IsInf(high, 0) || high < 1e300 {
		t.Errorf("exponentials of infinite numbers are %v and %v", low, high)
	}
}
