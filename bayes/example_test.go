package bayes_test

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/bayes"
)

// Five praising and five complaining reviews; the sums are over three words.
func ExampleLogRatio() {
	words := []string{"wonderful", "the", "awful"}
	pos := []float64{4, 9, 0}
	neg := []float64{0, 9, 4}
	r := make([]float32, len(words))
	bayes.LogRatio(r, pos, neg, bayes.Equal(1))
	for j, w := range words {
		fmt.Printf("%-9s %+.3f\n", w, r[j])
	}
	// Output:
	// wonderful +1.609
	// the       +0.000
	// awful     -1.609
}

func ExamplePosterior() {
	// The joint log-likelihoods of a long document are far below what exp can take.
	p := make([]float64, 2)
	bayes.Posterior(p, []float64{-2000, -2001})
	fmt.Printf("%.3f\n", p)
	// Output: [0.731 0.269]
}
