package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// numberLabel is what the number of a document is called.
const numberLabel = "score"

// TakeNumbers takes labels for numbers, of which each document has one, and makes them one class. Numbers beyond limits,
// unless these are zeros, are an error. Messages name the input.
func (d *Dataset) TakeNumbers(input string, limits [2]float64) error {
	c := &d.Classes
	if c.Multi {
		return fmt.Errorf("nbsvm: %s may have documents with several labels or none, and this model needs one number for each", input)
	}
	numbers := make([]float64, d.Documents)
	for k, label := range c.Labels {
		x, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("nbsvm: %s has the label %s, which is not a number: name the field of numbers with Input.Numbers, or train a model that takes names of classes", input, display.Excerpt(label))
		}
		if limits != [2]float64{} && !(x >= limits[0] && x <= limits[1]) {
			return fmt.Errorf("nbsvm: %s has %s with the number %v, which is beyond Options.Range %v,%v: correct the numbers, or give another range",
				input, display.Some(int64(c.Sets[k].GetCardinality()), "document"), x, limits[0], limits[1])
		}
		for it := c.Sets[k].Iterator(); it.HasNext(); {
			numbers[it.Next()] = x
		}
	}
	d.Classes = ClassesOf([]string{numberLabel}, []*roaring.Bitmap{d.All()}, d.Documents, false)
	d.Classes.Numbers = numbers
	return nil
}

// mostBins is how many ranges of numbers there are at most, of which each fold has its share.
const mostBins = 10

// bins returns the range of each document's number: ranges of about as many documents each. Equal numbers are in one.
func (c *Classes) bins() []int32 {
	order := make([]int, len(c.Numbers))
	for doc := range order {
		order[doc] = doc
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) })
	bins := make([]int32, len(order))
	for k, doc := range order {
		bins[doc] = int32(k * mostBins / len(order))
		if k > 0 && c.Numbers[doc] == c.Numbers[order[k-1]] {
			bins[doc] = bins[order[k-1]]
		}
	}
	return bins
}
