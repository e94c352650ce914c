package xmath

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
