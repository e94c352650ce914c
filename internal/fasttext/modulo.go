package fasttext

import "math/bits"

// modulo computes remainders of hashes of 32 bits without a division (Lemire, Kaser and Kurz 2019).
type modulo struct{ inverse, divisor uint64 }

func newModulo(divisor uint32) modulo {
	if divisor == 0 {
		return modulo{}
	}
	return modulo{^uint64(0)/uint64(divisor) + 1, uint64(divisor)}
}

func (m modulo) of(h uint32) uint32 {
	remainder, _ := bits.Mul64(m.inverse*uint64(h), m.divisor)
	return uint32(remainder)
}
