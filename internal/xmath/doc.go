// Package xmath has the elementary functions of package math in a form that
// gives the same bits on every CPU.
//
// Package math promises no such thing: some architectures have their own
// assembly (math.Exp on amd64, arm64 and s390x), and where the CPU has a fused
// multiply-add the compiler turns x*y + z into one, with one rounding instead of
// two (arm64, ppc64, riscv64, s390x, and amd64 from GOAMD64=v3). The last bit of
// a result then depends on the machine, and with it a trained model.
//
// Here the algorithms are the portable ones of FreeBSD's msun library, as in the
// Go source, and every product that feeds a sum is written float64(x*y): the
// language forbids fusion across an explicit conversion. Tests hold the compiler
// to it: the generated code of fusing architectures has no fused instruction,
// and a checksum over many results is a constant.
//
// Results are within 1 ulp of the exact value ([Sigmoid] and [Log1pExp], which
// round twice more: within 3 ulp).
package xmath

// ln2Hi + ln2Lo is ln 2; k*ln2Hi is exact for every exponent k of a float64.
const (
	ln2Hi = 6.93147180369123816490e-01 // 3fe62e42 fee00000
	ln2Lo = 1.90821492927058770002e-10 // 3dea39ef 35793c76
	log2e = 1.44269504088896338700e+00 // 3ff71547 652b82fe

	fractionMask = 1<<52 - 1
	sqrtHalfBits = 0x3fe6a09e667f3bcd // math.Sqrt2 / 2
	oneBits      = 0x3ff0000000000000
)
