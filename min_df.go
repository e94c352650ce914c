package nbsvm

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// leastMinDF is the least that is chosen for MinDF.
const leastMinDF = 2

// mostCharMinDF is the most that is chosen for n-grams of characters.
const mostCharMinDF = 256

// autoMinDF returns what a MinDF of 0 stands for with this many documents in all and in each class: √(documents / 2^16) or, with
// trigrams, √(text per class / 640 kB) if that is more, up to a 64th of a small class. For n-grams of characters it is
// documents / 2^13, up to 256 and to a 32nd of a small class. It is 2 or more. Rarer n-grams cost time and memory, and
// make no difference: see docs/explanation/defaults.md.
func autoMinDF(text hashing.Options, documents, trigramText int64, classes []int64) int {
	small := documents
	if len(classes) > 0 {
		classes = slices.Sorted(slices.Values(classes))
		small = classes[len(classes)/10] // not the smallest one, which may be a mistake
	}
	if text.Families[0].Tokenizer.Characters() {
		return max(leastMinDF, int(min(documents>>13, small>>5, mostCharMinDF)))
	}
	rare := int64(math.Sqrt(float64(documents >> 16)))
	if trigramText > 0 {
		rare = max(rare, int64(math.Sqrt(float64(trigramText/int64(max(len(classes), 1))/640_000))))
	}
	return max(leastMinDF, int(min(rare, small>>6)))
}

// minDFFor returns the MinDF of a dataset's matrix.
func (o *Options) minDFFor(ds *dataset.Dataset) int {
	if o.MinDF > 0 {
		return o.MinDF
	}
	var classes []int64
	for _, set := range ds.Classes.Sets {
		classes = append(classes, int64(set.GetCardinality()))
	}
	return autoMinDF(o.Text, int64(ds.Documents), trigramText(o.Kind, ds.Meta.AutoNgrams, ds.Meta.Text, ds.Meta.Bytes),
		classes)
}

// trigramText returns the length of the text in bytes if trigrams were chosen automatically and the kind of model has a
// solver, and 0 otherwise: naive Bayes gains more by rare n-grams, and n-grams that were asked for are kept.
func trigramText(kind Kind, automatic bool, text hashing.Options, bytes int64) int64 {
	if first := text.Families[0]; !automatic || first.Tokenizer != hashing.Word || first.NgramHi < 3 || !kind.Solved() {
		return 0
	}
	return bytes
}
