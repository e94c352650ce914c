package dataset

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// maxClasses bounds the number of classes, as the model file does. Tests have a lower bound.
var maxClasses = vocab.MaxLabels

// Classes are the labels of a dataset and the documents that carry each.
type Classes struct {
	Labels []string          // ascending bytewise, after sort
	Sets   []*roaring.Bitmap // documents of each label
	docs   int               // of ClassesOf
	of     []int32           // labels of the documents, one after the other; of ofSets from List on
	ends   []int             // where each document's labels end in of
	index  map[string]int32
	Multi  bool // some document has no label, or several
	// Numbers are the labels of the documents where these are numbers; nil where they name classes. The only class is
	// then that of the number, which all documents are in.
	Numbers []float64
}

// Outputs returns the number of decision functions of a model: one for two classes, else one per class.
func (c *Classes) Outputs() int {
	if k := len(c.Labels); k != 2 || c.Multi {
		return k
	}
	return 1
}

// Task returns "regression" where labels are numbers, "binary" for two classes, "multiclass" for another number of them,
// and "multilabel" where documents may have any number of labels.
func (c *Classes) Task() string {
	switch {
	case c.Numbers != nil:
		return "regression"
	case c.Multi:
		return "multilabel"
	case len(c.Labels) == 2:
		return "binary"
	}
	return "multiclass"
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
				return fmt.Errorf("nbsvm: there are more than %d different labels, the last is %q; check that it is the right column", maxClasses, label)
			}
			k = int32(len(c.Labels))
			c.Labels = append(c.Labels, string(label))
			c.Sets = append(c.Sets, roaring.New())
			c.index[c.Labels[k]] = k
		}
		if c.Sets[k].CheckedAdd(doc) {
			c.of = append(c.of, k)
		}
	}
	c.ends = append(c.ends, len(c.of))
	c.Multi = c.Multi || len(c.of)-start != 1
	return nil
}

// Labels are too many if there are more than half as many as documents that carry one, and these are not few. Of labels
// that are numbers, some of them with a fraction, a twentieth is too many.
const (
	fewLabelled     = 40
	perClass        = 2
	perNumericClass = 20
)

// tooMany returns an error if there are so many classes of an input that it is likely to be a mistake.
func (c *Classes) tooMany(in corpus.Input) error {
	labelled, classes := len(c.of), len(c.Labels)
	numbers, fractions := 0, 0
	for _, label := range c.Labels {
		if _, err := strconv.ParseFloat(label, 64); err == nil {
			numbers++
			if strings.Contains(label, ".") {
				fractions++
			}
		}
	}
	measured := numbers*10 >= classes*9 && fractions > 0
	if labelled < fewLabelled || classes*perNumericClass <= labelled || classes*perClass <= labelled && !measured {
		return nil
	}
	return fmt.Errorf("nbsvm: %s has %d different labels in %d documents, the first is %.60q: is it the right column (Input.LabelField), or are the columns swapped? Make classes of ranges of numbers. If the labels are classes, Input.ManyClasses trains on them", in.Describe(), classes, len(c.ends), c.Labels[0])
}

// everywhere returns an error if every document has both labels of vectors with two places, which say nothing.
func (c *Classes) everywhere(in corpus.Input) error {
	pair := slices.Sorted(slices.Values(c.Labels))
	if len(c.of) != 2*len(c.ends) || !slices.Equal(pair, []string{"0", "1"}) &&
		!slices.Equal(pair, []string{"false", "true"}) && !slices.Equal(pair, []string{"False", "True"}) {
		return nil
	}
	return fmt.Errorf("nbsvm: %s has the labels %s and %s in every document, as if these were vectors with a place for each class (multi-hot): list the classes that are set", in.Describe(), pair[0], pair[1])
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

// Include adds labels that no document need have, and says that documents may have any number of labels. All are
// numbered anew.
func (c *Classes) Include(labels []string, multi bool) {
	for _, label := range labels {
		if _, ok := c.index[label]; !ok {
			c.index[label] = int32(len(c.Labels))
			c.Labels, c.Sets = append(c.Labels, label), append(c.Sets, roaring.New())
		}
	}
	c.Multi = c.Multi || multi
	c.Sort()
}

// Checksum returns the same for the same labels of the same documents.
func (c *Classes) Checksum() uint32 {
	sum := uint32(0)
	for k, label := range c.Labels {
		set, err := c.Sets[k].ToBytes()
		if err != nil {
			panic(err) // memory takes all that is written to it
		}
		sum = osfile.AddChecksum(osfile.AddChecksum(osfile.AddChecksum(sum, []int64{int64(len(label))}), []byte(label)),
			set)
	}
	return sum
}

// ClassesOf returns the classes of so many documents that these sets are, of labels in any order. With multi a document
// may be in any number of sets.
func ClassesOf(labels []string, sets []*roaring.Bitmap, docs int, multi bool) Classes {
	c := Classes{Labels: labels, Sets: sets, docs: docs, index: map[string]int32{}, Multi: multi}
	for k, label := range labels {
		c.index[label] = int32(k)
	}
	return c
}

// List finds the labels of every document, for LabelsOf.
func (c *Classes) List(ctx context.Context) error {
	if c.ends != nil {
		return nil
	}
	ends := make([]int, c.docs+1)
	for _, set := range c.Sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			ends[it.Next()+1]++
		}
	}
	for doc := range c.docs {
		ends[doc+1] += ends[doc]
	}
	of := make([]int32, ends[c.docs])
	for k, set := range c.Sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			end := &ends[it.Next()] // of the document before: where this one's labels go
			of[*end] = int32(k)
			*end++
		}
	}
	c.of, c.ends = of, ends[:c.docs]
	return nil
}

// LabelsOf returns the labels of a document, as numbers. Those of a packed corpus are to be listed before.
func (c *Classes) LabelsOf(doc int) []int32 {
	lo := 0
	if doc > 0 {
		lo = c.ends[doc-1]
	}
	return c.of[lo:c.ends[doc]]
}

// missing are labels that programs write where there is none.
var missing = []string{"nan", "NaN", "<NA>", "None", "null", "NULL"}

// labelCounts are numbers of documents whose labels are not one, and the places of the first.
type labelCounts struct {
	several, none     int
	severalAt, noneAt string
	doubtful          map[string]string // places of labels that may look like several, by label
}

// note keeps where labels stand first that may be no names of classes.
func (l *labelCounts) note(labels []string, path string, line int64) {
	for _, label := range labels {
		if !doubt.MayBe(label) {
			continue
		}
		if l.doubtful == nil {
			l.doubtful = map[string]string{}
		}
		l.doubtful[label] = fmt.Sprintf("%s:%d", path, line)
	}
}

// add counts a document of so many labels.
func (l *labelCounts) add(labels int, path string, line int64) {
	switch {
	case labels > 1:
		if l.several++; l.several == 1 {
			l.severalAt = fmt.Sprintf("%s:%d", path, line)
		}
	case labels == 0:
		if l.none++; l.none == 1 {
			l.noneAt = fmt.Sprintf("%s:%d", path, line)
		}
	}
}

// warnings returns what is told of the classes of an input.
func (c *Classes) warnings(in corpus.Input, ready bool, counts labelCounts) (warnings []string) {
	documents := make(map[string]uint64, len(c.Labels))
	for k, label := range c.Labels {
		documents[label] = c.Sets[k].GetCardinality()
	}
	warnings = DoubtNames(documents)
	asked := in.LabelSep != "" || in.Like.LabelSep != ""
	if n := counts.several; n > 0 && !asked && (ready || n*fewSeveral < len(c.ends)) {
		warnings = append(warnings, fmt.Sprintf("has documents with several labels, so that models predict any number of labels: %d of %d, the first is %s; Input.LabelSep , says that it is meant", n, len(c.ends), counts.severalAt))
	}
	if k := len(c.Labels); k > 1 && len(c.ends) > 1 && len(c.of) == k*len(c.ends) {
		warnings = append(warnings, fmt.Sprintf("has the same labels in every document, so that there is nothing to learn: %s; if these are vectors with a place for each class (multi-hot), list the classes that are set", display.Excerpts(slices.Sorted(slices.Values(c.Labels)))))
	}
	if counts.none > 0 && counts.several == 0 {
		warnings = append(warnings, fmt.Sprintf("has documents without a label, which are negative examples of every class, and the others have one each: %d of %d, the first is %s; to leave them out, use Input.Bad skip instead of Input.LabelSep", counts.none, len(c.ends), counts.noneAt))
	}
	if len(counts.doubtful) > 0 {
		for _, found := range doubt.Labels(slices.Sorted(slices.Values(c.Labels)), counts.doubtful) {
			warnings = append(warnings, found.Message)
		}
	}
	return warnings
}

// DoubtNames tells of labels that stand for a missing one, or differ too little from others, given how many documents
// have each.
func DoubtNames(documents map[string]uint64) (doubts []string) {
	for _, label := range missing {
		if n := documents[label]; n > 0 {
			doubts = append(doubts, fmt.Sprintf("has the label %q, which pandas and others write for a missing one: %d documents; leave them out if it is no class", label, n))
		}
	}
	if groups := Alike(slices.Sorted(maps.Keys(documents))); len(groups) > 0 {
		doubts = append(doubts, fmt.Sprintf("has labels that differ only by case, white space, invisible characters, Unicode form or how a number is written, and are classes of their own: %s; are they one class?", display.Excerpts(slices.Concat(groups...))))
	}
	return doubts
}

// Alike returns the groups of labels that [display.Alike] makes the same, in the order of the labels.
func Alike(labels []string) (groups [][]string) {
	folded := map[string][]string{}
	for _, label := range labels {
		key := display.Alike(label)
		folded[key] = append(folded[key], label)
	}
	if len(folded) == len(labels) {
		return nil
	}
	for _, label := range labels {
		if group := folded[display.Alike(label)]; len(group) > 1 && group[0] == label {
			groups = append(groups, group)
		}
	}
	return groups
}

// fewSeveral: if fewer than one document in so many has several labels, they may be a mistake.
const fewSeveral = 20
