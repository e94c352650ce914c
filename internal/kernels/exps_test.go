package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExps(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(75, 76))
		for k := range 3000 {
			x, intact := guarded[float32](k%50*ExpsUnit, guardValue)
			scale := math.Pow(10, float64(k%5-2))
			largest := math.Inf(-1)
			for i := range x {
				x[i] = float32(r.NormFloat64() * scale)
				largest = max(largest, float64(x[i]))
			}
			before := append([]float32(nil), x...)
			sum, want := Exps(x), 0.0
			for i, v := range before {
				d := float64(v - float32(largest)) // as it is rounded
				e := math.Exp(max(d, expLeast))
				if math.Abs(float64(x[i])-e) > 3e-7*e {
					t.Fatalf("e^%v is %v, want %v", d, x[i], e)
				}
				want += float64(x[i])
			}
			if math.Abs(sum-want) > 1e-15*want*float64(len(x)) {
				t.Fatalf("the sum is %v, want %v", sum, want)
			}
			if !intact() {
				t.Fatal("something was written beside the numbers")
			}
		}
	})
}

func TestExpsOdd(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := math.Float32frombits(0x7fc12345)
	eachImplementation(t, func(t *testing.T) {
		for place := range 16 {
			for _, v := range []float32{inf, nan, -nan, odd} {
				x := make([]float32, 16)
				x[place] = v
				if sum := Exps(x); sum == sum {
					t.Errorf("the sum with %v at %d is %v", v, place, sum)
				}
			}
			x := make([]float32, 16)
			x[place] = -inf
			if sum := Exps(x); sum != 15 || x[place] > 2e-38 {
				t.Errorf("with -Inf at %d, the sum is %v, and there is %v", place, sum, x[place])
			}
		}
		if sum := Exps(nil); sum != 0 {
			t.Errorf("the sum of nothing is %v", sum)
		}
	})
}

func BenchmarkExps(b *testing.B) {
	x := make([]float32, 288)
	for b.Loop() {
		for i := range x {
			x[i] = float32(-i)
		}
		Exps(x)
	}
}
