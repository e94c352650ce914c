package fasttext

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// shown is a probability as fastText shows it: the exponential of its logarithm, which is taken of a little more than
// the probability, so that it is defined for all.
func shown(p float32) float64 { return expOf(logOf(float64(p))) }

func logOf(p float64) float32 { return float32(xmath.Log(p + 1e-5)) }

func expOf(log float32) float64 { return float64(float32(xmath.Exp(float64(log)))) }

// The sigmoid of one against all and of negative sampling comes from a table.
const (
	sigmoidSteps = 512
	sigmoidRange = 8
)

var sigmoids = func() (t [sigmoidSteps + 1]float32) {
	for i := range t {
		x := float32(float32(i*2*sigmoidRange)/sigmoidSteps) - sigmoidRange
		t[i] = float32(1 / (1 + float64(float32(xmath.Exp(-float64(x))))))
	}
	return t
}()

func sigmoid(x float32) float32 {
	switch {
	case x < -sigmoidRange:
		return 0
	case x > sigmoidRange:
		return 1
	}
	return sigmoids[int((x+sigmoidRange)*sigmoidSteps/sigmoidRange/2)]
}

// softmax makes probabilities of numbers, and returns whether these are such that it can.
func softmax(numbers []float64) bool {
	largest := math.Inf(-1)
	for _, x := range numbers {
		largest = max(largest, x)
	}
	sum := 0.0
	for i, x := range numbers {
		e := xmath.Exp(x - largest)
		numbers[i] = e
		sum += e
	}
	for i := range numbers {
		numbers[i] /= sum
	}
	return sum-sum == 0
}

// best finds the label with the most probable way through the tree, as fastText does for one label: it passes over
// what is less probable so far than what it has. number gives the number of an inner node.
func (t *tree) best(number func(inner int) float64) (label int, log float32) {
	label, log = -1, float32(math.Inf(-1))
	t.descend(t.root(), 0, number, func(node int, score float32) {
		label, log = node, score
	}, func(score float32) bool { return score < log })
	return label, log
}

// all gives the logarithms of all labels.
func (t *tree) all(number func(inner int) float64, each func(label int, log float32)) {
	t.descend(t.root(), 0, number, each, func(float32) bool { return false })
}

func (t *tree) descend(node int, score float32, number func(inner int) float64, leaf func(node int, score float32), skip func(score float32) bool) {
	if skip(score) {
		return
	}
	if node < t.labels {
		leaf(node, score)
		return
	}
	inner := node - t.labels
	f := float32(1 / (1 + xmath.Exp(-number(inner))))
	t.descend(int(t.left[inner]), score+logOf(float64(float32(1-float64(f)))), number, leaf, skip)
	t.descend(int(t.right[inner]), score+logOf(float64(f)), number, leaf, skip)
}
