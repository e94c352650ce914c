package page

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Limits of what is shown of confusions.
const (
	mostConfused = 150 // classes in the picture
	mostPairs    = 500 // in its table
	listedPairs  = 15  // where there is no room for all classes
)

// pair is a wanted class and an answer. Where documents have any number of labels, the number of labels stands for
// none.
type pair struct{ want, got int }

// confusion is which classes are taken for each other.
type confusion struct {
	Multi  bool     `json:"multi"`
	Labels []int    `json:"labels"` // classes that are shown, those that are confused beside each other
	Left   int      `json:"left"`   // classes that are not
	Cells  [][3]int `json:"cells"`  // wanted class, answer, documents
	Sums   []int    `json:"sums"`   // documents by wanted class, of each label, and of none behind them
	Pairs  [][4]int `json:"pairs"`  // the most frequent confusions of all classes: a cell, and the sum of its row
}

// newConfusion takes the classes with the most errors if there are too many, and puts them in an order in which those
// that are confused are neighbours.
func newConfusion(counts map[pair]int, classes int, multi bool) *confusion {
	c := &confusion{Multi: multi}
	sums := make([]int, classes+1)
	errors := make([]int, classes)
	documents := make([]int, classes)
	between := map[pair]int{} // errors, in both directions
	pairs := slices.SortedFunc(maps.Keys(counts), func(p, q pair) int {
		return cmp.Or(cmp.Compare(p.want, q.want), cmp.Compare(p.got, q.got))
	})
	for _, p := range pairs {
		n := counts[p]
		sums[p.want] += n
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
		if p.want != p.got {
			c.Pairs = append(c.Pairs, [4]int{p.want, p.got, counts[p], sums[p.want]})
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b [4]int) int { return cmp.Compare(b[2], a[2]) })
	c.Pairs = c.Pairs[:min(len(c.Pairs), mostPairs)]
	for _, k := range c.Labels {
		c.Sums = append(c.Sums, sums[k])
	}
	c.Sums = append(c.Sums, sums[classes])
	return c
}

// confused is a pair of classes that is listed.
type confused struct {
	Want, Got        string
	Documents, Share string
}

// list names the most frequent confusions.
func (c *confusion) list(name func(class int) string) (all []confused) {
	for _, p := range c.Pairs[:min(len(c.Pairs), listedPairs)] {
		share := percent(float64(p[2]) / float64(p[3]))
		all = append(all, confused{name(p[0]), name(p[1]), display.Count(int64(p[2])), share})
	}
	return all
}
