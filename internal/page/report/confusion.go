package report

import (
	"cmp"
	"maps"
	"slices"
)

// mostConfused bounds the classes of the picture.
const mostConfused = 150

// pair is a wanted class and an answer. Where documents have any number of labels, the number of labels stands for none.
type pair struct{ want, got int }

// confusion is which classes are taken for each other.
type confusion struct {
	Multi  bool     `json:"multi"`
	Labels []int    `json:"labels"` // classes that are shown, those that are confused beside each other
	Left   int      `json:"left"`   // classes that are not
	Cells  [][3]int `json:"cells"`  // wanted class, answer, documents
}

// newConfusion takes the classes with the most errors if there are too many, and puts them in an order in which those
// that are confused are neighbours.
func newConfusion(counts map[pair]int, classes int, multi bool) *confusion {
	c := &confusion{Multi: multi}
	errors := make([]int, classes)
	documents := make([]int, classes)
	between := map[pair]int{} // errors, in both directions
	pairs := slices.SortedFunc(maps.Keys(counts), func(p, q pair) int {
		return cmp.Or(cmp.Compare(p.want, q.want), cmp.Compare(p.got, q.got))
	})
	for _, p := range pairs {
		n := counts[p]
		for _, k := range []int{p.want, p.got} {
			if k < classes {
				documents[k] += n
				if p.want != p.got {
					errors[k] += n
				}
			}
		}
		if p.want != p.got {
			between[p] += n
			between[pair{p.got, p.want}] += n
		}
	}
	var left []int
	for k := range classes {
		if documents[k] > 0 {
			left = append(left, k)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(errors[b], errors[a]) })
	c.Left = max(0, len(left)-mostConfused)
	left = left[:len(left)-c.Left]
	shown := map[int]bool{classes: multi}
	for len(left) > 0 {
		next := 0
		if len(c.Labels) > 0 {
			last := c.Labels[len(c.Labels)-1]
			for i, k := range left {
				if between[pair{last, k}] > between[pair{last, left[next]}] {
					next = i
				}
			}
		}
		shown[left[next]] = true
		c.Labels = append(c.Labels, left[next])
		left = slices.Delete(left, next, next+1)
	}
	if classes <= 3 { // their own order is as good
		slices.Sort(c.Labels)
	}
	for _, p := range pairs {
		if shown[p.want] && shown[p.got] {
			c.Cells = append(c.Cells, [3]int{p.want, p.got, counts[p]})
		}
	}
	return c
}
