package scoring

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// kept are shares of 100,000,000 numbers of numpy 1.24 that exceed 1 - score: of each alpha, with numpy.random.seed(1),
// (numpy.random.pareto(alpha, 5000000) > 1 - score).mean(), the mean of twenty such calls.
var kept = []struct{ alpha, score, share float64 }{
	{0.5, 0, 0.70709912},
	{0.5, 0.5, 0.81653979},
	{0.5, 0.99, 0.99504134},
	{3, 0, 0.12503188},
	{3, 0.25, 0.18666158},
	{3, 0.5, 0.29635829},
	{3, 0.75, 0.51203692},
	{3, 0.9, 0.75133959},
	{3, 0.99, 0.97060087},
	{9, 0, 0.00196135},
	{9, 0.25, 0.00652154},
	{9, 0.5, 0.02602752},
	{9, 0.75, 0.13425828},
	{9, 0.9, 0.42416848},
	{9, 0.99, 0.91431829},
}

// TestPareto draws as many documents of each score as numpy does, whatever the seed, and of score 1 all.
func TestPareto(t *testing.T) {
	const n = 100_000
	for _, test := range kept {
		for seed := range uint64(3) {
			drawn := 0
			for i := range n {
				d := corpus.Document{Record: fmt.Appendf(nil, `{"id":%d}`, i)}
				if uniform(seed, &d, false) < keptOfScore(test.score, test.alpha) {
					drawn++
				}
				if !(uniform(seed, &d, false) < keptOfScore(1, test.alpha)) {
					t.Fatalf("document %d with score 1 is left out", i)
				}
			}
			const sds = 4.5 // 45 comparisons fail with a probability of .0003
			share := float64(drawn) / n
			if sd := math.Sqrt(test.share * (1 - test.share) / n); math.Abs(share-test.share) > sds*sd {
				t.Errorf("seed %d: %v are kept, numpy keeps %+v", seed, share, test)
			}
		}
	}
}

// TestParetoDistribution: the number that 1 - score has to stay below is of the Lomax distribution, by the test of
// Kolmogorov and Smirnov at 1 %, and numbers of two seeds are as good as independent.
func TestParetoDistribution(t *testing.T) {
	const n, alpha = 50_000, 3
	numbers := make([][]float64, 2)
	for i := range n {
		for seed := range numbers {
			u := uniform(uint64(seed), &corpus.Document{Record: fmt.Append(nil, "document ", i)}, false)
			low, high := -1e6, 1.0 // scores: not kept, kept
			for range 80 {
				if middle := (low + high) / 2; u < keptOfScore(middle, alpha) {
					high = middle
				} else {
					low = middle
				}
			}
			numbers[seed] = append(numbers[seed], 1-high)
		}
	}
	cdf := func(x float64) float64 { return 1 - math.Pow(1+x, -alpha) }
	correlation := 0.0
	for i := range n {
		correlation += (cdf(numbers[0][i]) - 0.5) * (cdf(numbers[1][i]) - 0.5) * 12 / n
	}
	if most := 3 / math.Sqrt(n); math.Abs(correlation) > most {
		t.Errorf("numbers of two seeds have the correlation %v, want at most %v", correlation, most)
	}
	for seed, all := range numbers {
		slices.Sort(all)
		distance := 0.0
		for i, x := range all {
			distance = max(distance, cdf(x)-float64(i)/n, float64(i+1)/n-cdf(x))
		}
		if most := 1.628 / math.Sqrt(n); distance > most {
			t.Errorf("seed %d: the distance is %v, want at most %v", seed, distance, most)
		}
	}
}
