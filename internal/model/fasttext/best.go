package fasttext

// Best lists the labels with the n highest scores, none of them below least, best first. Among equal scores it has the
// order of fastText, whose losses ova and ns look probabilities up in a table, so that many are equal: labels pass
// through a heap of n, as the C++ library of GNU makes it.
func (m *Model) Best(scores []float64, n int, least float64) []int {
	n = min(n, len(scores))
	h := make(heap, 0, n+1)
	for _, output := range m.order {
		e := entry{m.number[output], scores[m.number[output]]}
		if e.score < least || len(h) == n && (n == 0 || e.score < h[0].score) {
			continue
		}
		h = append(h, e)
		h.rise(len(h)-1, e)
		if len(h) > n {
			h.pop()
			h = h[:n]
		}
	}
	for end := len(h); end > 1; end-- {
		h[:end].pop()
	}
	best := make([]int, len(h))
	for i, e := range h {
		best[i] = e.label
	}
	return best
}

// entry is a label and its score.
type entry struct {
	label int
	score float64
}

// heap has the lowest score in front. Its methods are std::push_heap and std::pop_heap of libstdc++, step by step, as
// these decide on the order of equal scores.
type heap []entry

// rise moves an entry from a hole towards the front, past higher scores.
func (h heap) rise(hole int, e entry) {
	for hole > 0 {
		parent := (hole - 1) / 2
		if h[parent].score <= e.score {
			break
		}
		h[hole], hole = h[parent], parent
	}
	h[hole] = e
}

// pop moves the front to the end, which is no longer part of the heap.
func (h heap) pop() {
	last := len(h) - 1
	if last < 1 {
		return
	}
	e := h[last]
	h[last] = h[0]
	h = h[:last]
	hole, child := 0, 0
	for child < (last-1)/2 {
		if child = 2 * (child + 1); h[child].score > h[child-1].score {
			child--
		}
		h[hole], hole = h[child], child
	}
	if last%2 == 0 && child == (last-2)/2 {
		child = 2*child + 1
		h[hole], hole = h[child], child
	}
	h.rise(hole, e)
}
