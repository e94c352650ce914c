package model

import (
	"encoding/binary"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// findProblem looks for a problem with n things, several at a time on all processors, and returns the first.
func findProblem(n int, find func(lo, hi int) *fileError) *fileError {
	const chunk = 1 << 17
	found := make([]*fileError, par.Count(n, chunk))
	par.Chunks(par.Processors(), n, chunk, func(c, lo, hi int) { found[c] = find(lo, hi) })
	for _, p := range found {
		if p != nil {
			return p
		}
	}
	return nil
}

// finite finds what is not finite in the numbers of a section.
func finite[T float32 | float64](section string, s []T) *fileError {
	return findProblem(len(s), func(lo, hi int) *fileError {
		for i, x := range s[lo:hi] {
			if x-x != 0 {
				return at(section, binary.Size(x)*(lo+i), "number %d of the section is %v: all must be finite", lo+i, x)
			}
		}
		return nil
	})
}

// moderate finds what is beyond the range of a float32. In a margin, values of features (float32), times idf (float32),
// over at most 2^31 rows, are multiplied by weights and a base, and by what brings the row to unit length, which is
// 2^537 at most, as no square above 0 is less than 2^-1074. If all numbers of the model are within the range of a
// float32, which ends at 2^128, the margin is below 2^(128+128+31+128+537) = 2^952, and a float64 holds it.
func moderate(section string, s []float64) *fileError {
	if p := finite(section, s); p != nil {
		return p
	}
	for i, x := range s {
		if math.Abs(x) > math.MaxFloat32 {
			return at(section, 8*i,
				"number %d of the section is %v: all must be from %v to %v, or scores could overflow",
				i, x, -math.MaxFloat32, math.MaxFloat32)
		}
	}
	return nil
}
