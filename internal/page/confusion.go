package page

import (
	"cmp"
	"maps"
	"slices"
)

// mostConfused is how many classes are in the picture of confusions.
const mostConfused = 150

// pair is a wanted class and an answer. Where documents have any number of labels, the number of labels stands for
// none.
type pair struct{ want, got int }

// confusion is which classes are taken for each other.
type confusion struct {
	Multi  bool     `json:"multi"`
	Labels []int    `json:"labels"` // classes that are shown
	Left   int      `json:"left"`   // classes that are not
	Cells  [][3]int `json:"cells"`  // wanted class, answer, documents
	Sums   []int    `json:"sums"`   // documents by wanted class, of each label, and of none behind them
}

// newConfusion takes the classes with the most errors if there are too many.
func newConfusion(counts map[pair]int, classes int, multi bool) *confusion {
	c := &confusion{Multi: multi}
	sums, errors, documents := make([]int, classes+1), make([]int, classes+1), make([]int, classes+1)
	for p, n := range counts {
		sums[p.want] += n
		for _, k := range []int{p.want, p.got} {
			documents[k] += n
			if p.want != p.got {
				errors[k] += n
			}
		}
	}
	for k := range classes {
		if documents[k] > 0 {
			c.Labels = append(c.Labels, k)
		}
	}
	slices.SortStableFunc(c.Labels, func(a, b int) int { return cmp.Compare(errors[b], errors[a]) })
	c.Left = max(0, len(c.Labels)-mostConfused)
	c.Labels = c.Labels[:len(c.Labels)-c.Left]
	slices.Sort(c.Labels)
	shown := map[int]bool{classes: multi}
	for _, k := range c.Labels {
		shown[k] = true
		c.Sums = append(c.Sums, sums[k])
	}
	c.Sums = append(c.Sums, sums[classes])
	pairs := slices.SortedFunc(maps.Keys(counts), func(p, q pair) int {
		return cmp.Or(cmp.Compare(p.want, q.want), cmp.Compare(p.got, q.got))
	})
	for _, p := range pairs {
		if shown[p.want] && shown[p.got] {
			c.Cells = append(c.Cells, [3]int{p.want, p.got, counts[p]})
		}
	}
	return c
}
