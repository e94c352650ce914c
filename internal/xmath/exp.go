package xmath

import "math"

// The algorithm and the constants below are from FreeBSD's
// /usr/src/lib/msun/src/e_exp.c and came with this notice.
//
// ====================================================
// Copyright (C) 2004 by Sun Microsystems, Inc. All rights reserved.
//
// Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice
// is preserved.
// ====================================================

const (
	expOverflow  = 7.09782712893383973096e+02  // the largest x with a finite result
	expUnderflow = -7.45133219101941108420e+02 // the smallest x with a result above 0
)

// Exp returns e**x.
//
// Special cases are those of math.Exp: Exp(+Inf) = +Inf, Exp(-Inf) = 0,
// Exp(NaN) = NaN. Values too large overflow to +Inf, values too small to 0,
// by way of denormal numbers.
func Exp(x float64) float64 {
	const nearZero = 1.0 / (1 << 28)
	switch {
	case x != x:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	case -nearZero < x && x < nearZero:
		return 1 + x
	}

	// x = k·ln2 + r with |r| ≤ ln2/2; r is kept as hi - lo for extra precision.
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	k := int(float64(log2e*x) + half)
	hi := x - float64(float64(k)*ln2Hi)
	lo := float64(float64(k) * ln2Lo)

	// exp(r) = 1 + 2r/(R(r)-r), where a Remez polynomial in r² stands for
	// R(r) = r·(exp(r)+1)/(exp(r)-1).
	const (
		p1 = 1.66666666666666657415e-01  // 3fc55555 55555555
		p2 = -2.77777777770155933842e-03 // bf66c16c 16bebd93
		p3 = 6.61375632143793436117e-05  // 3f11566a af25de2c
		p4 = -1.65339022054652515390e-06 // bebbbd41 c5d26bf1
		p5 = 4.13813679705723846039e-08  // 3e663769 72bea4d0
	)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return scale(y, k)
}

// scale returns y·2**k for y within [1/√2, √2] and a product that does not overflow.
func scale(y float64, k int) float64 {
	if k >= -1021 {
		return math.Float64frombits(math.Float64bits(y) + uint64(k)<<52)
	}
	// The result may be denormal. Stay normal until one last rounding.
	y = math.Float64frombits(math.Float64bits(y) + uint64(k+54)<<52)
	return y * (1.0 / (1 << 54))
}
