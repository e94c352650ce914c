package score

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// top keeps the first n of what it is offered, by an order in which no two are equal.
type top[T any] struct {
	n       int
	kept    []T
	compare func(a, b T) int
}

// fewSorted is how many are sorted as they come: more would be moved too often. The nearest 30 or 200 of 10,000
// neighbours are found in 0.75 or 0.6 of the time that it takes to sort them together.
const fewSorted = 512

// offer offers x. It reports whether just the first n are left, in order: from then on, what comes behind the last of
// them need not be offered.
func (t *top[T]) offer(x T) (sorted bool) {
	if t.n <= fewSorted {
		at, _ := slices.BinarySearchFunc(t.kept, x, t.compare)
		if at < t.n {
			t.kept = slices.Insert(t.kept[:min(len(t.kept), t.n-1)], at, x)
		}
		return len(t.kept) == t.n
	}
	t.kept = append(t.kept, x)
	if sorted = len(t.kept) > 2*t.n; sorted {
		t.sort()
	}
	return sorted
}

// sort leaves the first n, and returns them in order.
func (t *top[T]) sort() []T {
	slices.SortFunc(t.kept, t.compare)
	t.kept = t.kept[:min(t.n, len(t.kept))]
	return t.kept
}

// fewBest is how many of the best scores are sorted as they come, which is quicker for few.
const fewBest = 16

// best lists the places of the n largest scores, best first, ties by place.
func best(scores []float64, n int) []int {
	n = min(n, len(scores))
	order := make([]int, 0, n+1)
	if n > fewBest {
		t := top[int]{n, order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), i-j) }}
		for k, last := 0, -1; k < len(scores); k++ {
			if (last < 0 || scores[k] > scores[last]) && t.offer(k) {
				last = t.kept[n-1]
			}
		}
		return t.sort()
	}
	for k, score := range scores {
		at := len(order)
		for at > 0 && score > scores[order[at-1]] {
			at--
		}
		if at == n {
			continue
		}
		order = append(order, 0)
		copy(order[at+1:], order[at:])
		order[at] = k
		order = order[:min(n, len(order))]
	}
	return order
}

// strongest keeps the features with the largest weights above 0 of each class, ties by key. They are offered by key,
// ascending. Of numbers, which have no other class, those below 0 count, too.
type strongest []struct {
	top[explain.Feature]
	size  func(weight float64) float64
	floor float64 // sizes up to it can't be among them
}

func newStrongest(m *model.Model, n int) strongest {
	t := make(strongest, len(m.Meta.Labels))
	size := func(weight float64) float64 { return weight }
	if m.Meta.Task == "regression" {
		size = math.Abs
	}
	for k := range t {
		t[k].size = size
		t[k].top = top[explain.Feature]{n: n, compare: func(a, b explain.Feature) int {
			return cmp.Or(cmp.Compare(size(b.Weight), size(a.Weight)), cmp.Compare(a.Key, b.Key))
		}}
	}
	return t
}

func (t strongest) offer(class int, f explain.Feature) {
	if c := &t[class]; c.size(f.Weight) > c.floor && c.top.offer(f) && c.n > 0 {
		c.floor = c.size(c.kept[c.n-1].Weight)
	}
}

// features are those that were kept.
func (t strongest) features() [][]explain.Feature {
	lists := make([][]explain.Feature, len(t))
	for k := range t {
		lists[k] = t[k].sort()
	}
	return lists
}
