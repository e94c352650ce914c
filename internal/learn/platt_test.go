package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// TestPlattAgainstScikitLearn holds fitSigmoids against scikit-learn 1.2.1:
//
//	from sklearn.calibration import _SigmoidCalibration
//	c = _SigmoidCalibration().fit(margins, positive); c.a_, c.b_
//
// which minimizes the same function, by BFGS to a gradient of 1e-5 a document.
func TestPlattAgainstScikitLearn(t *testing.T) {
	for _, test := range []struct {
		margins  []float64
		positive []int
		a, b     float64
	}{
		{[]float64{-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5}, []int{0, 0, 0, 1, 0, 1, 0, 1, 1, 1}, -0.7691437928308409, 0.19228334221921403},
		{[]float64{-3, -2, -1, 1, 2, 3}, []int{0, 0, 0, 1, 1, 1}, -0.6214000828966534, 0},
		{[]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}, []int{1, 0, 0, 1, 0, 0, 0, 0}, 3.1844290807581555, -0.3815405063464128},
		{[]float64{-30, -20, 5, 40, 25, -10, 15, -5, 10, -15, 60, 0}, []int{0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0}, -0.04842079942895455, 0.238002081056976},
		{[]float64{-1, -2, 0.5, -0.3, -0.7, -1.2, -0.1, -3, -0.9, 0.2, -1.1, -0.4}, []int{0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1}, -1.6055264157836877, 0.08491656097884424},
	} {
		positive := make([]bool, len(test.positive))
		for i, p := range test.positive {
			positive[i] = p == 1
		}
		weights := slices.Repeat([]float64{1}, len(positive))
		a, b := fitSigmoids([]*sigmoid{newSigmoid(test.margins, positive, weights)}, math.NaN())
		got := model.Platt{A: a, B: b[0]}
		if !near(got.A, test.a, 1e-4) || !near(got.B, test.b, 1e-4) {
			t.Errorf("margins %v: A %v B %v, want %v and %v", test.margins, got.A, got.B, test.a, test.b)
		}
	}
}

// crossEntropy is what fitSigmoids minimizes, written out.
func crossEntropy(a, b float64, margins []float64, positive []bool) float64 {
	var up, down float64
	for _, p := range positive {
		if p {
			up++
		} else {
			down++
		}
	}
	var sum float64
	for i, m := range margins {
		target := 1 / (down + 2)
		if positive[i] {
			target = (up + 1) / (up + 2)
		}
		z := a*m + b
		softplus := func(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }
		sum += target*softplus(z) + (1-target)*softplus(-z) // −log p = log(1+exp z)
	}
	return sum
}

// TestPlattIsMinimum: no point of a fine grid around it is better, nor one far off.
func TestPlattIsMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "documents")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		scale := math.Pow(10, float64(rapid.IntRange(-1, 2).Draw(t, "scale")))
		margins, positive := make([]float64, n), make([]bool, n)
		for i := range margins {
			margins[i] = rng.NormFloat64() * scale
			positive[i] = rng.NormFloat64() < margins[i]/scale
		}
		weights := slices.Repeat([]float64{1}, n)
		a, b := fitSigmoids([]*sigmoid{newSigmoid(margins, positive, weights)}, math.NaN())
		got := model.Platt{A: a, B: b[0]}
		least := crossEntropy(got.A, got.B, margins, positive)
		for _, width := range []float64{1e-3, 0.1, 3} {
			for da := -10.0; da <= 10; da++ {
				for db := -10.0; db <= 10; db++ {
					a, b := got.A+da*width/10/scale, got.B+db*width/10
					if other := crossEntropy(a, b, margins, positive); other < least-1e-5*(1+least) {
						t.Fatalf("A %v B %v have the cross-entropy %v, %v and %v have %v", got.A, got.B, least, a, b, other)
					}
				}
			}
		}
	})
}

// near says whether two numbers agree, relative to the larger or, below 1, to 1.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

// TestPlattKeepsOrder: probabilities keep the order of margins, also of labels that are rare, that margins tell nothing
// of, or the contrary.
func TestPlattKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, outputs := rapid.IntRange(1, 100).Draw(t, "documents"), rapid.IntRange(1, 4).Draw(t, "outputs")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		m := &margins{of: make([][]float64, outputs), carries: make([][]bool, outputs)}
		for range n {
			m.weights, m.distinct = append(m.weights, float64(1+rng.IntN(3))), append(m.distinct, rng.IntN(3) > 0)
		}
		for i := range outputs {
			share, signal := rng.Float64(), rng.NormFloat64()
			scale := math.Pow(10, float64(rng.IntN(5)-2))
			for range n {
				margin := rng.NormFloat64()
				m.of[i] = append(m.of[i], margin*scale)
				m.carries[i] = append(m.carries[i], rng.Float64() < share/(1+math.Exp(-signal*margin)))
			}
		}
		for i, p := range fitPlatt(m) {
			previous := math.Inf(-1)
			for _, margin := range slices.Sorted(slices.Values(m.of[i])) {
				z := p.A*margin + p.B
				if !(-z > previous) {
					t.Fatalf("output %d: A %v, B %v: the margin %v has the log odds %v, and one below it %v", i, p.A, p.B, margin, -z, previous)
				}
				previous = -z
			}
		}
	})
}

// TestPlattOfRareLabels: a label of few documents has the slope of all of them, and its own share.
func TestPlattOfRareLabels(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 1))
	m := &margins{of: make([][]float64, 4), carries: make([][]bool, 4)}
	for range n {
		m.weights, m.distinct = append(m.weights, 1), append(m.distinct, true)
	}
	slopes := []float64{2, 2, 2.6, 0}
	for i := range m.of {
		for doc := range n {
			margin, rare := rng.NormFloat64(), i == 3
			if rare && doc < 5 {
				margin = 3 // which would make a steep slope of its own
			}
			m.of[i] = append(m.of[i], margin)
			m.carries[i] = append(m.carries[i], rare && doc < 5 || !rare && rng.Float64() < 1/(1+math.Exp(-slopes[i]*margin)))
		}
	}
	p := fitPlatt(m)
	for i, want := range []float64{-2, -2, -2.6, -2.2} {
		if !near(p[i].A, want, 0.15) {
			t.Errorf("the slope of label %d is %v, not about %v", i, p[i].A, want)
		}
	}
	sum := 0.0
	for _, margin := range m.of[3] {
		sum += 1 / (1 + math.Exp(p[3].A*margin+p[3].B))
	}
	if sum < 5 || sum > 7 {
		t.Errorf("%v documents are expected to have the rare label, and 5 have it", sum)
	}
}
