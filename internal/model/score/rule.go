package score

import (
	"context"
	"fmt"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// kind is what a classifier does differently for each kind of model. Goroutines share it. There are two: [ruled] models
// look up the rows of a text's features and have a [rule] that turns rows into margins; [fastText] models find features
// of their own and give scores at once.
type kind interface {
	newPredictor(c *Classifier) (predictor, error)
	// Strongest lists for every class the n features that matter most for it, the most important first, ties by key,
	// among the ids that include accepts.
	Strongest(n int, include func(row int) bool) [][]explain.Feature
	// refuse is the error of a use that the kind does not support, nil if it does.
	refuse(to use) error
	// Fallback is the label of a document without any feature, where it must have one and the prediction has none.
	Fallback() int
	// FastText is nil unless the model is one of fastText's.
	FastText() *fasttext.Model
}

// use is what a model is used for besides predicting.
type use string

const (
	quantizing       use = "quantized"
	exportingWeights use = "exported as weights"
)

// predictor predicts documents on one goroutine. It takes several at a time, so that the cache misses of short ones
// overlap.
type predictor interface {
	// reset forgets the documents that were added.
	reset()
	// add adds a document. An error makes this document bad, which counts among the documents nevertheless, unless it
	// is that of the context, which ends a long document.
	add(ctx context.Context, text []byte) error
	// full says that enough documents were added to be predicted.
	full() bool
	// find looks up the features of all documents that were added.
	find()
	// predict predicts the k-th document that was added. If only the best label is asked for, the scores of others may
	// be left 0. The prediction is valid until the next call.
	predict(k int, onlyBest bool) (Prediction, error)
	// explain explains the prediction of a text by the n features that contribute most.
	explain(text []byte, n int) (*explain.Text, error)
	// spans visits where the tokens of features lie in a text, by the names that explain gives the features.
	spans(text []byte, visit func(name []byte, tokens []hashing.Span)) error
}

// rule turns the rows of a document's features into margins. Goroutines share it. There is a type for each way to
// decide: [linear], [trees] and [nearest].
type rule interface {
	scorer(t *table) ruleScorer
	// Strongest and refuse are those of the kind.
	Strongest(n int, include func(row int) bool) [][]explain.Feature
	refuse(to use) error
}

// ruleScorer decides on one document after the other, on one goroutine.
type ruleScorer interface {
	// margins are those of every output, without the model's bias, for the document that the batch has taken. They are
	// valid until the next call.
	margins(b *batch) []float64
	// explain takes the margin of an output apart for the document whose margins were asked for last, which was looked
	// up with its rows. It sets what is beside the parts: the bias, again without the model's, and neighbours.
	explain(e *explain.Text, output int, b *batch) []part
}

// part is what a feature adds to a margin.
type part struct {
	row    uint32 // of the model
	absent bool   // the document lacks the feature
	value  float64
	weight float64
	margin float64
}

// rules read the rules of models, by the section that has them. Their errors are about damaged data.
var rules = map[string]func(m *model.Model) (rule, error){
	model.Trees:      newTrees,
	model.Neighbours: newNearest,
}

// newRule reads the rule of a model.
func newRule(m *model.Model) (rule, error) {
	if m.Rule == nil {
		return newLinear(m), nil
	}
	read := rules[m.Rule.Section]
	if read == nil {
		return nil, fmt.Errorf("nbsvm: the model needs section %s, which this version of nbsvm does not know: %w",
			m.Rule.Section, model.ErrNewerVersion)
	}
	r, err := read(m)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: section %s: %w: %w", m.Rule.Section, model.ErrCorrupt, err)
	}
	return r, nil
}

// refuseWeights returns the error of a use that needs weights, for a model that has none.
func refuseWeights(m *model.Model, to use) error {
	return fmt.Errorf("nbsvm: a %s model has no weights and can't be %s; only linear models, such as svm, can",
		madeOf(m).Options.Kind, to)
}
