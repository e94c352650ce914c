package kernels

import (
	"fmt"
	"math"
)

// ExpsUnit is what the number of [Exps]' arguments is a multiple of.
const ExpsUnit = 8

// Exps replaces each x by e^(x - largest), as softmax has it, of which 2e-38 is the least, and returns their sum, which
// is NaN if one of them is, or if the largest is infinite. There are as many as a multiple of [ExpsUnit].
//
// Numbers are of 32 bits: the argument is brought to within ln 2 / 2 of 0, and a polynomial taken there, by the
// constants of Cephes' expf, which is wrong by less than 3e-7 of the result.
func Exps(x []float32) (sum float64) {
	if len(x)%ExpsUnit != 0 {
		panic(fmt.Sprintf("kernels: the number of arguments must be a multiple of %d, got %d", ExpsUnit, len(x)))
	}
	if len(x) == 0 {
		return 0
	}
	largest := x[0]
	for _, v := range x {
		if v > largest {
			largest = v
		}
	}
	var lanes [ExpsUnit]float64
	for i, v := range x {
		x[i] = exp32(v - largest)
		lanes[i%ExpsUnit] += float64(x[i])
	}
	return combined(&lanes)
}

const (
	expLog2e   = 1.44269504088896341
	expLn2High = 0.693359375 // has few digits, so that its products with whole numbers are exact
	expLn2Low  = -2.12194440e-4
	expLeast   = -87     // less has no normal number as its exponential
	expMagic   = 3 << 22 // what is added to it is rounded to a whole number
	expBias    = 23      // where a power of 2 is in a number
)

// expPolynomial has the coefficients, that of the highest power first.
var expPolynomial = [6]float32{
	1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
}

// exp32 returns e^t of a number that is not above 0.
func exp32(t float32) float32 {
	if t < expLeast {
		t = expLeast
	}
	shifted := float32(t*expLog2e) + expMagic
	n := shifted - expMagic
	r := t - float32(n*expLn2High) - float32(n*expLn2Low)
	y := expPolynomial[0]
	for _, next := range expPolynomial[1:] {
		y = float32(y*r) + next
	}
	y = float32(y*float32(r*r)) + r + 1
	y = math.Float32frombits(math.Float32bits(y) + math.Float32bits(shifted)<<expBias)
	return y + (t - t) // NaN of NaN
}
