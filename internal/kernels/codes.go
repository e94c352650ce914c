package kernels

import "fmt"

// codesUnit is how many codes the assembly takes at a time.
const codesUnit = 32

// AddCodes adds to every sum the product of a code and the factor, divided by 256 and rounded down. A sum that is more
// than 65535 is that. There are as many codes as sums.
func AddCodes(sums []uint16, codes []uint8, factor uint16) {
	if len(sums) != len(codes) {
		panic(fmt.Sprintf("kernels: %d codes for %d sums", len(codes), len(sums)))
	}
	if n := len(sums) / codesUnit * codesUnit; onAMD64 && useVectors && n > 0 {
		addCodesVector(sums[:n], codes[:n], uint32(factor))
		sums, codes = sums[n:], codes[n:]
	}
	addCodes(sums, codes, factor)
}

func addCodes(sums []uint16, codes []uint8, factor uint16) {
	codes = codes[:len(sums)]
	for i, c := range codes {
		sums[i] = uint16(min(uint32(sums[i])+uint32(c)*uint32(factor)>>8, 1<<16-1))
	}
}
