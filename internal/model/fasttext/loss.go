package fasttext

import "github.com/seed-167f963f/nbsvm/internal/xmath"

// shown returns a probability as fastText shows it: the exponential of its logarithm, which is taken of a little more
// than the probability, so that it is defined for all.
func shown(p float32) float64 {
	log := float32(xmath.Log(float64(p) + 1e-5))
	return float64(float32(xmath.Exp(float64(log))))
}

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

// Decided lists the predicted labels of a text that may have several, given the best one, if any, and the scores.
func (m *Model) Decided(best []int, scores []float64) []int {
	if m.Loss != OneVsAll {
		return best
	}
	var labels []int
	for k, score := range scores {
		if score >= Least(0.5) {
			labels = append(labels, k)
		}
	}
	return labels
}

// Decides returns which labels Decided lists.
func (m *Model) Decides() string {
	if m.Loss != OneVsAll {
		return "the best label of the model (micro precision is P@1, micro recall is R@1)"
	}
	return "the labels of a probability from 0.5"
}

// way is a node of the tree, and how probable the way to it is.
type way struct {
	node int32
	p    float64
}

// best finds the label with the most probable way through the tree: first down the more probable side at each node, and
// then the others, as long as they are as probable as what was found. number gives the number of an inner node; stack
// is scratch memory.
func (t *tree) best(number func(inner int) float64, stack *[]way) (label int, p float64) {
	label, p = -1, 0
	left := append((*stack)[:0], way{int32(t.root()), 1})
	for len(left) > 0 {
		w := left[len(left)-1]
		if left = left[:len(left)-1]; w.p < p {
			continue
		}
		for int(w.node) >= t.labels {
			x, a, b := t.sides(w, number)
			if x < 0 { // the left side is more probable; the processor need not wait for how much
				a, b = b, a
			}
			left, w = append(left, a), b
		}
		if w.p >= p {
			label, p = int(w.node), w.p
		}
	}
	*stack = left
	return label, p
}

// sides returns the ways on from an inner node, and its number. As of all probabilities, fastText takes logarithms of a
// little more.
func (t *tree) sides(w way, number func(inner int) float64) (x float64, left, right way) {
	inner := int(w.node) - t.labels
	x = number(inner)
	f := float32(1 / (1 + xmath.Exp(-x)))
	if f != f { // of numbers that are too large for each other, which no training gives
		f = 0
	}
	return x, way{t.left[inner], w.p * (float64(float32(1-float64(f))) + 1e-5)},
		way{t.right[inner], w.p * (float64(f) + 1e-5)}
}

// all gives the probabilities of all labels. stack is scratch memory.
func (t *tree) all(number func(inner int) float64, stack *[]way, each func(label int, p float64)) {
	left := append((*stack)[:0], way{int32(t.root()), 1})
	for len(left) > 0 {
		w := left[len(left)-1]
		left = left[:len(left)-1]
		if int(w.node) < t.labels {
			each(int(w.node), w.p)
			continue
		}
		_, a, b := t.sides(w, number)
		left = append(left, a, b)
	}
	*stack = left
}

// one returns the probability of a label: the same bits as all. stack is scratch memory.
func (t *tree) one(number func(inner int) float64, stack *[]way, label int) float64 {
	below := (*stack)[:0]
	for node := int32(label); int(node) != t.root(); node = t.parent[node] {
		below = append(below, way{node: node})
	}
	*stack = below
	at := way{int32(t.root()), 1}
	for i := len(below) - 1; i >= 0; i-- {
		_, left, right := t.sides(at, number)
		if at = left; at.node != below[i].node {
			at = right
		}
	}
	return at.p
}
