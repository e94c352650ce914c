package nbsvm

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// leastMinDF is MinDF unless something else is asked for, or taken by AutoMinDF.
const leastMinDF = 2

// mostCharMinDF is the most that AutoMinDF takes of n-grams of characters.
const mostCharMinDF = 256

// autoMinDF is what AutoMinDF takes for so many documents, and so many of each class. It is the root of a 2^16th of the
// documents and, where so much text led to trigrams, no less than the root of the text a class in units of 640 kB; but
// no more than a 64th of as many as a small class has. For n-grams of characters it is a 2^13th of the documents, up to
// 256, and no more than a 32nd of a small class. It is two in any case. Rarer n-grams cost time and memory, and make no
// difference: see docs/explanation/defaults.md.
func autoMinDF(text hashing.Options, documents, trigramText int64, classes []int64) int {
	small := documents
	if len(classes) > 0 {
		classes = slices.Sorted(slices.Values(classes))
		small = classes[len(classes)/10] // not the smallest one, which may be a mistake
	}
	if text.Tokenizer == hashing.Char || text.Tokenizer == hashing.CharWB {
		return max(leastMinDF, int(min(documents>>13, small>>5, mostCharMinDF)))
	}
	rare := int64(math.Sqrt(float64(documents >> 16)))
	if trigramText > 0 {
		rare = max(rare, int64(math.Sqrt(float64(trigramText/int64(max(len(classes), 1))/640_000))))
	}
	return max(leastMinDF, int(min(rare, small>>6)))
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
	return autoMinDF(o.Text, int64(ds.Documents), trigramText(o.Kind, ds.Meta.AutoNgrams, ds.Meta.Text, ds.Meta.Bytes), classes)
}

// trigramText is how much text there is, in bytes, if it led to trigrams by itself and the kind of model is solved for;
// 0 otherwise. Naive Bayes gains more by rare n-grams than a solver does, and n-grams that are asked for are kept.
func trigramText(kind Kind, automatic bool, text hashing.Options, bytes int64) int64 {
	if !automatic || text.Tokenizer != hashing.Word || text.NgramHi < 3 || !kind.Solved() {
		return 0
	}
	return bytes
}
