package xmath_test

import (
	"math"
	"math/big"
)

// The reference: exp and log by textbook series in arithmetic of 300 bits. Slow
// and plain, sharing nothing with the package.

const precision = 300

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(precision) }

// bigExp is the Taylor series of x/2**m, squared m times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	r := newBig().SetMantExp(x, -halvings)
	sum, term := bigOf(1), bigOf(1)
	for n := 1; n < 40; n++ {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(n)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog solves exp(y) = x by Halley's iteration, which triples the digits each time.
func bigLog(x *big.Float) *big.Float {
	mant := newBig()
	e := x.MantExp(mant)
	m, _ := mant.Float64()
	y := bigOf(math.Log(m) + float64(e)*math.Ln2)
	for range 3 {
		ey := bigExp(y)
		num := newBig().Sub(x, ey)
		den := newBig().Add(x, ey)
		num.Quo(num, den)
		y.Add(y, num.Mul(num, bigOf(2)))
	}
	return y
}

var one = bigOf(1)

// tiny is where two terms of the series of log(1+x), x - x²/2, are exact to 60 digits, while
// forming 1+x would lose some.
const tiny = 1e-30

func bigLog1p(x *big.Float) *big.Float {
	if newBig().Abs(x).Cmp(bigOf(tiny)) < 0 {
		h := newBig().Mul(x, x)
		return h.Add(x, h.Mul(h, bigOf(-0.5)))
	}
	return bigLog(newBig().Add(x, one))
}

func refExp(x float64) *big.Float      { return bigExp(bigOf(x)) }
func refLog(x float64) *big.Float      { return bigLog(bigOf(x)) }
func refLog1p(x float64) *big.Float    { return bigLog1p(bigOf(x)) }
func refSoftplus(x float64) *big.Float { return bigLog1p(bigExp(bigOf(x))) }

func refSigmoid(x float64) *big.Float {
	return newBig().Quo(one, newBig().Add(bigExp(bigOf(-x)), one))
}

// ulps is |got - want| in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) || math.IsNaN(got) {
		if got == w {
			return 0
		}
		return math.Inf(1)
	}
	w = math.Abs(w)
	ulp := math.Nextafter(w, math.Inf(1)) - w
	if math.IsInf(ulp, 1) {
		ulp = w - math.Nextafter(w, 0)
	}
	diff := newBig().Sub(bigOf(got), want)
	d, _ := diff.Quo(diff, bigOf(ulp)).Float64()
	return math.Abs(d)
}
