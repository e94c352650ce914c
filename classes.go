package nbsvm

import (
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// maxClasses bounds the number of classes, as the model file does.
const maxClasses = 65535

// classes are the labels of a dataset and the documents that carry each.
type classes struct {
	labels []string          // ascending bytewise, after sort
	sets   []*roaring.Bitmap // documents of each label
	docs   int               // of ofSets
	of     []int32           // labels of the documents, one after the other; of ofSets when first asked for
	ends   []int             // where each document's labels end in of
	index  map[string]int32
	multi  bool // some document has no label, or several
}

func newClasses() classes { return classes{index: map[string]int32{}} }

// add notes the labels of the next document. A label given twice counts once.
func (c *classes) add(labels [][]byte) error {
	doc := uint32(len(c.ends))
	start := len(c.of)
	for _, label := range labels {
		k, ok := c.index[string(label)]
		if !ok {
			if len(c.labels) == maxClasses {
				return fmt.Errorf("nbsvm: more than %d different labels, the last is %q; is it the right column?", maxClasses, label)
			}
			k = int32(len(c.labels))
			c.labels = append(c.labels, string(label))
			c.sets = append(c.sets, roaring.New())
			c.index[c.labels[k]] = k
		}
		if !slices.Contains(c.of[start:], k) {
			c.of = append(c.of, k)
			c.sets[k].Add(doc)
		}
	}
	c.ends = append(c.ends, len(c.of))
	c.multi = c.multi || len(c.of)-start != 1
	return nil
}

// sort numbers the labels in ascending order, whatever order they came in, and those of
// every document as well.
func (c *classes) sort() {
	order := make([]int32, len(c.labels)) // new number to old
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c.labels[a] < c.labels[b] {
			return -1
		}
		return 1
	})
	renumbered := make([]int32, len(order)) // old to new
	labels, sets := make([]string, len(order)), make([]*roaring.Bitmap, len(order))
	for k, old := range order {
		renumbered[old] = int32(k)
		labels[k], sets[k] = c.labels[old], c.sets[old]
		c.index[labels[k]] = int32(k)
		sets[k].RunOptimize()
	}
	c.labels, c.sets = labels, sets
	for i, old := range c.of {
		c.of[i] = renumbered[old]
	}
	if !c.multi {
		return
	}
	for doc := range c.ends {
		slices.Sort(c.labelsOf(doc))
	}
}

// ofSets are the classes of so many documents, given the labels in ascending order and the
// documents of each.
func ofSets(labels []string, sets []*roaring64.Bitmap, docs int, multi bool) classes {
	c := classes{labels: labels, docs: docs, index: map[string]int32{}, multi: multi}
	for k, label := range labels {
		c.index[label] = int32(k)
		set := roaring.New()
		for it := sets[k].Iterator(); it.HasNext(); {
			set.Add(uint32(it.Next()))
		}
		set.RunOptimize()
		c.sets = append(c.sets, set)
	}
	return c
}

// list makes of and ends of the sets.
func (c *classes) list() {
	c.ends = make([]int, c.docs+1)
	for _, set := range c.sets {
		for it := set.Iterator(); it.HasNext(); {
			c.ends[it.Next()+1]++
		}
	}
	for doc := range c.docs {
		c.ends[doc+1] += c.ends[doc]
	}
	c.of = make([]int32, c.ends[c.docs])
	for k, set := range c.sets {
		for it := set.Iterator(); it.HasNext(); {
			end := &c.ends[it.Next()] // of the document before: where this one's labels go
			c.of[*end] = int32(k)
			*end++
		}
	}
	c.ends = c.ends[:c.docs]
}

// labelsOf are the labels of a document, as numbers.
func (c *classes) labelsOf(doc int) []int32 {
	if c.ends == nil {
		c.list()
	}
	lo := 0
	if doc > 0 {
		lo = c.ends[doc-1]
	}
	return c.of[lo:c.ends[doc]]
}

// wide is a set as one of 64-bit numbers.
func wide(set *roaring.Bitmap) *roaring64.Bitmap {
	wide := roaring64.New()
	for it := set.Iterator(); it.HasNext(); {
		wide.Add(uint64(it.Next()))
	}
	wide.RunOptimize()
	return wide
}
