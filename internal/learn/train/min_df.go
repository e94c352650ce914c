package train

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// leastMinDF is MinDF unless something else is asked for, or taken by AutoMinDF.
const leastMinDF = 2

// mostCharMinDF is the most that AutoMinDF takes of n-grams of characters.
const mostCharMinDF = 128

// MinDFFor is what AutoMinDF takes: the root of a 2^16th of the documents or, for n-grams of characters, a 2^13th of the
// documents, up to 128; but no more than a 64th of as many as a small class has, and two in any case. Rarer n-grams cost
// time and memory, and make no difference: see docs/explanation/defaults.md.
func MinDFFor(text hashing.Options, documents int64, classes []int64) int {
	small := documents
	if len(classes) > 0 {
		classes = slices.Sorted(slices.Values(classes))
		small = classes[len(classes)/10] // not the smallest one, which may be a mistake
	}
	rare := int(math.Sqrt(float64(documents >> 16)))
	if text.Tokenizer == hashing.Char || text.Tokenizer == hashing.CharWB {
		rare = int(min(documents>>13, mostCharMinDF))
	}
	return max(leastMinDF, min(rare, int(small>>6)))
}

// minDFFor is the MinDF of a dataset's matrix.
func (o *Options) minDFFor(ds *dataset.Dataset) int {
	if !o.AutoMinDF {
		return o.MinDF
	}
	var classes []int64
	for _, set := range ds.Classes.Sets {
		classes = append(classes, int64(set.GetCardinality()))
	}
	return MinDFFor(o.Text, int64(ds.Documents), classes)
}
