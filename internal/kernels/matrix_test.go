package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMulMatrix(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(77, 78))
		for k := range 600 {
			rows, columns := k%11*MatrixUnit, r.IntN(130)
			dst, intact := guarded[float32](rows, guardValue)
			matrix, x := make([]float32, rows*columns), make([]float32, columns)
			for i := range matrix {
				matrix[i] = float32(r.NormFloat64())
			}
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			MulMatrix(dst, matrix, x)
			plain := make([]float32, rows)
			mulMatrix(plain, matrix, x)
			for i := range dst {
				want, size := 0.0, 0.0
				for k, v := range x {
					product := float64(matrix[(i/MatrixUnit*columns+k)*MatrixUnit+i%MatrixUnit]) * float64(v)
					want, size = want+product, size+math.Abs(product)
				}
				if math.Abs(float64(dst[i])-want) > 6e-8*size*float64(columns+1) || dst[i] != plain[i] {
					t.Fatalf("row %d of %d, %d columns: %v, want %v, of the plain loop %v", i, rows, columns, dst[i], want, plain[i])
				}
			}
			if !intact() {
				t.Fatal("something was written beside the product")
			}
		}
	})
}

func BenchmarkMulMatrix(b *testing.B) {
	dst, matrix, x := make([]float32, 288), make([]float32, 288*100), make([]float32, 100)
	for b.Loop() {
		MulMatrix(dst, matrix, x)
	}
}
