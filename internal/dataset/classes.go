package dataset

import (
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
)

// maxClasses bounds the number of classes, as the model file does.
const maxClasses = 65535

// Classes are the labels of a dataset and the documents that carry each.
type Classes struct {
	Labels []string          // ascending bytewise, after sort
	Sets   []*roaring.Bitmap // documents of each label
	docs   int               // of ofSets
	of     []int32           // labels of the documents, one after the other; of ofSets when first asked for
	ends   []int             // where each document's labels end in of
	index  map[string]int32
	Multi  bool // some document has no label, or several
}

func NewClasses() Classes { return Classes{index: map[string]int32{}} }

// Add notes the labels of the next document. A label given twice counts once.
func (c *Classes) Add(labels [][]byte) error {
	doc := uint32(len(c.ends))
	start := len(c.of)
	for _, label := range labels {
		k, ok := c.index[string(label)]
		if !ok {
			if len(c.Labels) == maxClasses {
				return fmt.Errorf("nbsvm: more than %d different labels, the last is %q; is it the right column?", maxClasses, label)
			}
			k = int32(len(c.Labels))
			c.Labels = append(c.Labels, string(label))
			c.Sets = append(c.Sets, roaring.New())
			c.index[c.Labels[k]] = k
		}
		if !slices.Contains(c.of[start:], k) {
			c.of = append(c.of, k)
			c.Sets[k].Add(doc)
		}
	}
	c.ends = append(c.ends, len(c.of))
	c.Multi = c.Multi || len(c.of)-start != 1
	return nil
}

// Sort numbers the labels in ascending order, whatever order they came in, and those of
// every document as well.
func (c *Classes) Sort() {
	order := make([]int32, len(c.Labels)) // new number to old
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c.Labels[a] < c.Labels[b] {
			return -1
		}
		return 1
	})
	renumbered := make([]int32, len(order)) // old to new
	labels, sets := make([]string, len(order)), make([]*roaring.Bitmap, len(order))
	for k, old := range order {
		renumbered[old] = int32(k)
		labels[k], sets[k] = c.Labels[old], c.Sets[old]
		c.index[labels[k]] = int32(k)
		sets[k].RunOptimize()
	}
	c.Labels, c.Sets = labels, sets
	for i, old := range c.of {
		c.of[i] = renumbered[old]
	}
	if !c.Multi {
		return
	}
	for doc := range c.ends {
		slices.Sort(c.LabelsOf(doc))
	}
}

// Checksum is the same for the same labels of the same documents.
func (c *Classes) Checksum() uint32 {
	sum := uint32(0)
	for k, label := range c.Labels {
		set, err := c.Sets[k].ToBytes()
		if err != nil {
			panic(err) // memory takes all that is written to it
		}
		sum = checksum.Add(checksum.Add(checksum.Add(sum, []int64{int64(len(label))}), []byte(label)), set)
	}
	return sum
}

// ofSets are the classes of so many documents, given the labels in ascending order and the
// documents of each.
func ofSets(labels []string, sets []*roaring64.Bitmap, docs int, multi bool) Classes {
	c := Classes{Labels: labels, docs: docs, index: map[string]int32{}, Multi: multi}
	for k, label := range labels {
		c.index[label] = int32(k)
		set := roaring.New()
		for it := sets[k].Iterator(); it.HasNext(); {
			set.Add(uint32(it.Next()))
		}
		set.RunOptimize()
		c.Sets = append(c.Sets, set)
	}
	return c
}

// list makes of and ends of the sets.
func (c *Classes) list() {
	c.ends = make([]int, c.docs+1)
	for _, set := range c.Sets {
		for it := set.Iterator(); it.HasNext(); {
			c.ends[it.Next()+1]++
		}
	}
	for doc := range c.docs {
		c.ends[doc+1] += c.ends[doc]
	}
	c.of = make([]int32, c.ends[c.docs])
	for k, set := range c.Sets {
		for it := set.Iterator(); it.HasNext(); {
			end := &c.ends[it.Next()] // of the document before: where this one's labels go
			c.of[*end] = int32(k)
			*end++
		}
	}
	c.ends = c.ends[:c.docs]
}

// LabelsOf are the labels of a document, as numbers.
func (c *Classes) LabelsOf(doc int) []int32 {
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

// AbbreviateLabels lists the first labels.
func AbbreviateLabels(labels []string) string {
	const most = 10
	if len(labels) <= most {
		return fmt.Sprintf("%q", labels)
	}
	return fmt.Sprintf("%q and %d more", labels[:most], len(labels)-most)
}
