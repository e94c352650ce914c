package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSum64(t *testing.T) {
	eachLength(t, false, func(t *testing.T, _ *rand.Rand, o *operands) {
		var terms []float64
		for _, j := range o.idx {
			terms = append(terms, o.table[j])
		}
		got := Sum64(o.table, o.idx)
		if want := lanes64(terms); !same(got, want) {
			t.Errorf("Sum64 of %d = %v, in the documented order %v", len(o.idx), got, want)
		}
		near(t, "Sum64", got, terms, eps64)
	})
}

func TestDot64(t *testing.T) {
	eachLength(t, false, func(t *testing.T, _ *rand.Rand, o *operands) {
		var terms []float64
		for k, j := range o.idx {
			product := float64(o.val[k]) * o.table[j]
			terms = append(terms, product)
		}
		got := Dot64(o.table, o.idx, o.val)
		if want := lanes64(terms); !same(got, want) {
			t.Errorf("Dot64 of %d = %v, in the documented order %v", len(o.idx), got, want)
		}
		near(t, "Dot64", got, terms, eps64)
	})
}

func TestSumSquares64(t *testing.T) {
	eachLength(t, false, func(t *testing.T, _ *rand.Rand, o *operands) {
		var terms []float64
		for k, j := range o.idx {
			square := float64(o.val[k]) * float64(o.val[k])
			product := square * o.table[j]
			terms = append(terms, product)
		}
		got := SumSquares64(o.table, o.idx, o.val)
		if want := lanes64(terms); !same(got, want) {
			t.Errorf("SumSquares64 of %d = %v, in the documented order %v", len(o.idx), got, want)
		}
		near(t, "SumSquares64", got, terms, eps64)
	})
}

func TestAdd64(t *testing.T) {
	eachLength(t, true, func(t *testing.T, r *rand.Rand, o *operands) {
		d := r.NormFloat64()
		want := slices.Clone(o.table)
		for _, j := range o.idx {
			want[j] = want[j] + d
		}
		Add64(o.table, o.idx, d)
		if !slices.Equal(o.table, want) {
			t.Errorf("Add64 of %d differs from the plain loop", len(o.idx))
		}
	})
}

func TestAxpy64(t *testing.T) {
	eachLength(t, true, func(t *testing.T, r *rand.Rand, o *operands) {
		d := r.NormFloat64()
		want := slices.Clone(o.table)
		for k, j := range o.idx {
			product := d * float64(o.val[k])
			want[j] = want[j] + float64(product)
		}
		Axpy64(o.table, o.idx, o.val, d)
		if !slices.Equal(o.table, want) {
			t.Errorf("Axpy64 of %d differs from the plain loop", len(o.idx))
		}
	})
}
