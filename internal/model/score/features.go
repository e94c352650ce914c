package score

import (
	"iter"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// features finds the features of documents. It holds scratch memory: one per goroutine.
type features interface {
	// append appends the features of a text to a batch.
	append(b *batch, text []byte) error
	// names gives the distinct features of a text, each as a row of the model and what to call it, or -1 and any
	// name if the model does not know it. Those of rows that are not wanted may be left out.
	names(text []byte, wanted func(row int) bool) iter.Seq2[int, string]
	// distinct returns how many distinct features a text has, whether the model knows them or not.
	distinct(text []byte) (int, error)
	// appendRow appends the features of a row, whose columns stand for keys. It may reorder both slices.
	appendRow(b *batch, keys []uint64, values []float32)
}

// sources are the kinds of features that models take, by Meta.Source of their files.
var sources = map[string]func(*model.Model) (features, error){
	"text":     newNgrams,
	"svmlight": newReadyMade,
}
