package kernels

import "fmt"

// MatrixUnit is what the number of rows of [MulMatrix]'s matrix is a multiple of.
const MatrixUnit = 32

// MulMatrix sets dst to the product of a matrix with x: dst[i] is Σ M[i][k]·x[k], of which one product after the other
// is rounded and added. The matrix lies in blocks of [MatrixUnit] rows, and in these by columns: M[i][k] is
// matrix[(i/MatrixUnit·len(x) + k)·MatrixUnit + i%MatrixUnit].
func MulMatrix(dst, matrix, x []float32) {
	if len(dst)%MatrixUnit != 0 || len(matrix) != len(dst)*len(x) {
		panic(fmt.Sprintf("kernels: %d numbers of a matrix, %d times %d", len(matrix), len(dst), len(x)))
	}
	if onAMD64 && useVectors && len(matrix) > 0 {
		mulMatrixVector(dst, matrix, x)
		return
	}
	mulMatrix(dst, matrix, x)
}

func mulMatrix(dst, matrix, x []float32) {
	clear(dst)
	for i := 0; i < len(dst); i += MatrixUnit {
		sums := dst[i:][:MatrixUnit]
		for k, v := range x {
			for j, m := range matrix[i*len(x)+k*MatrixUnit:][:MatrixUnit] {
				sums[j] += float32(m * v)
			}
		}
	}
}
