// Package kernels has the inner loops of sparse linear models: dot products and updates of sparse rows. They run in
// assembly on amd64 and arm64, and in Go elsewhere.
//
// A sparse row is a list of feature ids, idx, and a list of their values, val. The values may be nil, which means that
// each of them is 1: documents as sets of n-grams need no values. Ids index a dense slice, and an id outside it panics.
// So do slices whose lengths do not fit each other. Ids need not be sorted. Functions that write through ids need
// distinct ids in a row. No function reads or writes outside its slices.
//
// # Implementations
//
// The package chooses the fastest implementation that the CPU runs:
//
//	generic  Go, on every platform
//	avx2     amd64 with AVX2, BMI1 and BMI2
//	neon     arm64
//
// [Active] names the choice. The environment variable NBSVM_KERNELS forces another one of [Implementations], and the
// build tag purego leaves out all assembly.
//
// # Results
//
// All implementations give the same bits. No product is fused with an addition, and sums have a fixed order: [Dot]
// and [SquaredNorm] add the terms l, l+8, l+16, … to the partial sum l of eight, and then add these as
// ((0+4)+(2+6)) + ((1+5)+(3+7)).
//
// All functions but [Use] may be called by several goroutines at once, as long as these write to different memory.
package kernels

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Implementations returns the names of the implementations that this CPU runs, the slowest first. The first one is
// always "generic".
func Implementations() []string { return kernels.Implementations() }

// Active returns the name of the implementation in use, one of [Implementations].
func Active() string { return kernels.Active() }

// Use switches to the implementation with this name. The error lists the names that this CPU runs. Use is for tests
// and benchmarks: no other function of this module may run at the same time.
func Use(name string) error { return kernels.Use(name) }

// Dot returns the dot product of a sparse row and x, Σ val[k]·x[idx[k]].
func Dot(x []float64, idx []uint32, val []float32) float64 { return kernels.Dot64(x, idx, val) }

// Axpy adds a times a sparse row to x: x[idx[k]] += a·val[k]. The ids must be distinct.
func Axpy(x []float64, idx []uint32, val []float32, a float64) { kernels.Axpy64(x, idx, val, a) }

// SquaredNorm returns the weighted squared Euclidean norm of a sparse row, Σ weights[idx[k]]·val[k]².
func SquaredNorm(weights []float64, idx []uint32, val []float32) float64 {
	if val == nil {
		return kernels.Dot64(weights, idx, nil)
	}
	return kernels.SumSquares64(weights, idx, val)
}

// MulVec sets dst to the product of a matrix in compressed sparse rows (CSR) and x. Row i of the matrix has the ids
// idx[indptr[i]:indptr[i+1]] and the values of the same range of val. indptr has one element more than dst.
func MulVec(dst []float64, indptr []int64, idx []uint32, val []float32, x []float64) {
	if len(indptr) != len(dst)+1 {
		panic(fmt.Sprintf("kernels: %d row bounds for %d rows", len(indptr), len(dst)))
	}
	for i := range dst {
		lo, hi := indptr[i], indptr[i+1]
		if val == nil {
			dst[i] = kernels.Dot64(x, idx[lo:hi], nil)
		} else {
			dst[i] = kernels.Dot64(x, idx[lo:hi], val[lo:hi])
		}
	}
}
