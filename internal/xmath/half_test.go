package xmath

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEveryHalf: what a half stands for is its own nearest half, and is what its sign,
// exponent and fraction say.
func TestEveryHalf(t *testing.T) {
	for code := range 1 << 16 {
		h := uint16(code)
		exponent, fraction := int(h>>10&31), float64(h&0x3ff)
		if exponent == 31 {
			continue
		}
		want := math.Ldexp(1024+fraction, exponent-25)
		if exponent == 0 {
			want = math.Ldexp(fraction, -24)
		}
		if h&HalfSign != 0 {
			want = -want
		}
		if got := float64(FromHalf(h)); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("half %04x is %v, want %v", h, got, want)
		}
		if got := Half(want); got != h {
			t.Fatalf("%v becomes half %04x, want %04x", want, got, h)
		}
	}
}

// TestOf compares with the nearest of all halves, found by search.
func TestOf(t *testing.T) {
	var all []float64
	for h := range uint16(HalfInfinity) {
		all = append(all, float64(FromHalf(h)))
	}
	rapid.Check(t, func(t *rapid.T) {
		x := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "fraction"), rapid.IntRange(-30, 17).Draw(t, "exponent"))
		if i := rapid.IntRange(1, len(all)-1).Draw(t, "near"); rapid.Bool().Draw(t, "tie") {
			x = (all[i-1] + all[i]) / 2
		}
		x = float64(float32(x))
		i, _ := slices.BinarySearch(all, x)
		i = min(i, len(all)-1)
		if i > 0 && (x-all[i-1] < all[i]-x || x-all[i-1] == all[i]-x && i%2 == 1) {
			i--
		}
		if got := Half(x); int(got) != i {
			t.Fatalf("%v becomes half %04x, %v; want %v", x, got, FromHalf(got), all[i])
		}
		if got := Half(-x); int(got) != i|HalfSign {
			t.Fatalf("%v becomes half %04x", -x, got)
		}
	})
}
