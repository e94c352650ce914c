package xmath

import "math"

// The algorithm and the constants below are from FreeBSD's
// /usr/src/lib/msun/src/s_expm1.c and came with this notice.
//
// ====================================================
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//
// Developed at SunPro, a Sun Microsystems, Inc. business.
// Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice
// is preserved.
// ====================================================

// Expm1 returns e**x - 1, accurate for x near 0 too.
//
// Special cases are those of math.Expm1: Expm1(+Inf) = +Inf, Expm1(-Inf) = -1,
// Expm1(±0) = ±0, Expm1(NaN) = NaN.
func Expm1(x float64) float64 {
	const (
		ln2X56   = 3.88162421113569373274e+01 // 56·ln2
		ln2Half3 = 1.03972077083991796413e+00 // 1.5·ln2
		ln2Half  = 3.46573590279972654709e-01 // 0.5·ln2
		tiny     = 1.0 / (1 << 54)
		// Coefficients of a Remez polynomial in x²/2.
		q1 = -3.33333333333331316428e-02 // bfa11111 111110f4
		q2 = 1.58730158725481460165e-03  // 3f5a01a0 19fe5585
		q3 = -7.93650757867487942473e-05 // bf14ce19 9eaadbb7
		q4 = 4.00821782732936239552e-06  // 3ed0cfca 86e65239
		q5 = -2.01099218183624371326e-07 // be8afdb7 6e09c32d
	)
	switch {
	case x != x:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x <= -ln2X56:
		return -1
	}

	// x = k·ln2 + r + c with |r| ≤ ln2/2; c is the rounding error of r. From
	// here on x is r.
	absx := math.Abs(x)
	var c float64
	var k int
	switch {
	case absx < tiny:
		return x
	case absx <= ln2Half:
	default:
		half := math.Copysign(0.5, x)
		switch {
		case absx >= ln2Half3:
			k = int(float64(log2e*x) + half)
		case x > 0:
			k = 1
		default:
			k = -1
		}
		hi := x - float64(float64(k)*ln2Hi)
		lo := float64(float64(k) * ln2Lo)
		x = hi - lo
		c = (hi - x) - lo
	}

	hfx := float64(0.5 * x)
	hxs := float64(x * hfx)
	r1 := 1 + float64(hxs*(q1+float64(hxs*(q2+float64(hxs*(q3+float64(hxs*(q4+float64(hxs*q5)))))))))
	t := 3 - float64(r1*hfx)
	e := float64(hxs * ((r1 - t) / (6 - float64(x*t))))
	if k == 0 {
		return x - (float64(x*e) - hxs)
	}
	e = float64(x*(e-c)) - c
	e -= hxs

	// e**x = 2**k·(1 + x - e); the order of the last steps keeps every bit of
	// the smaller terms.
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56: // the 1 is below the last bit, or the result near -1
		return scale(1-(e-x), k) - 1
	case k < 20:
		return scale(1-math.Ldexp(1, -k)-(e-x), k)
	default:
		return scale(x-(e+math.Ldexp(1, -k))+1, k)
	}
}
