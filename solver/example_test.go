package solver_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// A support vector machine that separates two classes of documents.
func Example() {
	var x sparse.CSR
	x.AppendRow([]uint32{0, 1}, nil) // a good film
	x.AppendRow([]uint32{0, 2}, nil) // a good cast
	x.AppendRow([]uint32{1, 3}, nil) // a dull film
	x.AppendRow([]uint32{2, 3}, nil) // a dull cast

	s, err := solver.Open(solver.Matrix{X: &x})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	problem := solver.Problem{
		Positive: []bool{true, true, false, false},
		Costs:    solver.Costs{Positive: 1, Negative: 1},
	}
	o := solver.DefaultOptions()
	o.Tol, o.Bias = 1e-4, 0
	stats, err := s.Solve(context.Background(), []solver.Problem{problem}, o)
	if err != nil {
		log.Fatal(err)
	}
	weights, _ := s.Weights(0, nil)
	fmt.Println("converged:", stats[0].Converged)
	fmt.Printf("good %.2f, film %.2f, cast %.2f, dull %.2f\n", weights[0], weights[1], weights[2], weights[3])
	// Output:
	// converged: true
	// good 0.80, film 0.00, cast 0.00, dull -0.80
}
