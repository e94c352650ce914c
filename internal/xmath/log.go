package xmath

import (
	"math"
)

// The algorithms and the constants of Log and Log1p are from FreeBSD's
// /usr/src/lib/msun/src/e_log.c and s_log1p.c and came with this notice.
//
// ====================================================
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//
// Developed at SunPro, a Sun Microsystems, Inc. business.
// Permission to use, copy, modify, and distribute this
// software is freely granted, provided that this notice
// is preserved.
// ====================================================

// log(1+f) = f - (f²/2 - s·(f²/2+R)) with s = f/(2+f), where a Remez polynomial
// in s², of these coefficients, stands for R.
const (
	l1 = 6.666666666666735130e-01 // 3fe55555 55555593
	l2 = 3.999999999940941908e-01 // 3fd99999 9997fa04
	l3 = 2.857142874366239149e-01 // 3fd24924 94229359
	l4 = 2.222219843214978396e-01 // 3fcc71c5 1d8e78af
	l5 = 1.818357216161805012e-01 // 3fc74664 96cb03de
	l6 = 1.531383769920937332e-01 // 3fc39a09 d078c69f
	l7 = 1.479819860511658591e-01 // 3fc2f112 df3e5244
)

// Log returns the natural logarithm of x.
//
// Special cases are those of math.Log: Log(+Inf) = +Inf, Log(±0) = -Inf,
// Log(x < 0) = NaN, Log(NaN) = NaN.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}

	// x = 2**k·(1+f) with 1/√2 ≤ 1+f < √2.
	e := -1023
	bits := math.Float64bits(x)
	if bits < 1<<52 { // denormal
		bits = math.Float64bits(x * (1 << 54))
		e -= 54
	}
	bits += oneBits - sqrtHalfBits
	k := float64(int(bits>>52) + e)
	f := math.Float64frombits(bits&fractionMask+sqrtHalfBits) - 1

	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	t2 := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	hfsq := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((hfsq - (float64(s*(hfsq+(t1+t2))) + float64(k*ln2Lo))) - f)
}

// Log1p returns the natural logarithm of 1+x, accurate for x near 0 too.
//
// Special cases are those of math.Log1p: Log1p(+Inf) = +Inf, Log1p(±0) = ±0,
// Log1p(-1) = -Inf, Log1p(x < -1) = NaN, Log1p(NaN) = NaN.
func Log1p(x float64) float64 {
	const (
		sqrt2M1     = 4.142135623730950488017e-01  // √2-1
		sqrt2HalfM1 = -2.928932188134524755992e-01 // √2/2-1
		small       = 1.0 / (1 << 29)
		tiny        = 1.0 / (1 << 54)
		two53       = 1 << 53
	)
	switch {
	case x < -1 || x != x:
		return math.NaN()
	case x == -1:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}

	absx := math.Abs(x)
	switch {
	case absx < tiny:
		return x
	case absx < small:
		return x - float64(x*x*0.5)
	case sqrt2HalfM1 < x && x < sqrt2M1:
		f := x // 1+x = 1+f with no rounding
		hfsq, sR := log1pTerms(f)
		return f - (hfsq - sR)
	}

	// 1+x = 2**k·(1+f), and u = fl(1+x) leaves the rounding error c·u behind:
	// log(1+x) ≈ log(u) + c.
	var c float64
	u := x
	if absx < two53 {
		u = 1 + x
		if u >= 2 {
			c = (1 - (u - x)) / u
		} else {
			c = (x - (u - 1)) / u
		}
	}
	bits := math.Float64bits(u) + (oneBits - sqrtHalfBits)
	k := float64(int(bits>>52) - 1023)
	f := math.Float64frombits(bits&fractionMask+sqrtHalfBits) - 1
	hfsq, sR := log1pTerms(f)
	return float64(k*ln2Hi) - ((hfsq - (sR + (float64(k*ln2Lo) + c))) - f)
}

// log1pTerms returns f²/2 and s·(f²/2+R), see l1.
func log1pTerms(f float64) (hfsq, sR float64) {
	hfsq = float64(0.5 * f * f)
	s := f / (2 + f)
	z := float64(s * s)
	r := float64(z * (l1 + float64(z*(l2+float64(z*(l3+float64(z*(l4+float64(z*(l5+float64(z*(l6+float64(z*l7)))))))))))))
	return hfsq, float64(s * (hfsq + r))
}

// Sublinear returns 1+log(tf).
func Sublinear(tf float32) float32 { return float32(1 + Log(float64(tf))) }

// Sigmoid returns the logistic function 1/(1+e**-x), without overflow and
// accurate in both tails: for x far below 0 it is e**x, not 0.
//
// Special cases: Sigmoid(+Inf) = 1, Sigmoid(-Inf) = 0, Sigmoid(NaN) = NaN.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + Exp(-x))
	}
	e := Exp(x)
	return e / (1 + e)
}

// Log1pExp returns log(1+e**x), the softplus function, without overflow:
// it is e**x for x far below 0 and x for x far above. The logistic loss of a
// margin m is Log1pExp(-m); the logarithm of Sigmoid(x) is -Log1pExp(-x).
//
// Special cases: Log1pExp(+Inf) = +Inf, Log1pExp(-Inf) = 0, Log1pExp(NaN) = NaN.
func Log1pExp(x float64) float64 {
	if x > 0 {
		return x + Log1p(Exp(-x))
	}
	return Log1p(Exp(x))
}
