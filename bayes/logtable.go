package bayes

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// logTable answers log(alpha + s). Sums over documents are mostly small
// integers, vocabularies have millions of features, and there is one ratio per
// class: a lookup instead of a logarithm is what makes it cheap.
type logTable struct {
	alpha float64
	small [256]float64 // small[n] is log(alpha + n)
}

func newLogTable(alpha float64) *logTable {
	checkAlpha(alpha)
	t := &logTable{alpha: alpha}
	for n := range t.small {
		t.small[n] = xmath.Log(alpha + float64(n))
	}
	return t
}

// at returns log(alpha + s): the same bits whether or not s is in the table.
func (t *logTable) at(s float64) float64 {
	if n, ok := smallInteger(s); ok {
		return t.small[n]
	}
	return xmath.Log(t.alpha + s)
}

// smallInteger reports whether s is one of 0, 1, … 255, and which.
func smallInteger(s float64) (uint8, bool) {
	if !(s >= 0 && s < 256) {
		return 0, false
	}
	n := uint8(int32(s))
	return n, float64(n) == s
}

func checkAlpha(alpha float64) {
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		panic(fmt.Sprintf("bayes: alpha is %v: it must be a positive number, or a feature that a class never shows has a probability of 0", alpha))
	}
}

func checkLength(function, what string, want, got int) {
	if want != got {
		panic(fmt.Sprintf("bayes: %s of length %d with %d %s: the lengths must agree", function, want, got, what))
	}
}
