package main

import (
	"fmt"
	"math"
)

// epsGrid is 1000, which ends every solver's work after a pass or two, then less and
// less by the same factor, down to 1e-5.
func epsGrid(stepsPerDecade int) []float64 {
	var grid []float64
	for k := 0; k <= 8*stepsPerDecade; k++ {
		grid = append(grid, math.Pow(10, 3-float64(k)/float64(stepsPerDecade)))
	}
	return grid
}

// largestEps finds, for every gap wanted, the largest eps of the grid with which
// the solver reaches it; 0 where none does. The grid falls, and the gap need not
// fall with it.
func largestEps(grid, gaps []float64, reached func(eps float64) (float64, error)) ([]float64, error) {
	found := make([]float64, len(gaps))
	left := len(gaps)
	for _, eps := range grid {
		if left == 0 {
			break
		}
		gap, err := reached(eps)
		if err != nil {
			return nil, fmt.Errorf("with eps %g: %w", eps, err)
		}
		for i, want := range gaps {
			if found[i] == 0 && gap <= want {
				found[i] = eps
				left--
			}
		}
	}
	return found, nil
}
