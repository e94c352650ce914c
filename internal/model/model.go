package model

import (
	"encoding/json"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// MaxOutputs is how many outputs a model can have.
const MaxOutputs = 1 << 24

// Model is a classifier, most often a linear one. Its margin for output k of a document with the
// feature values f, rows standing for the keys in Keys, is
//
//	Bias[k] + Σ f[row] · (weight[row, k] + Base[k])
//
// where f includes IDF, and the sum is scaled as Meta says. The weights are
// in Dense or in Sparse. Where there is a Rule, the margin is Bias[k] and what the rule says instead.
//
// The slices of an opened model are views of its file: they must not be written to, nor be
// used after the file is closed.
type Model struct {
	Meta     Meta
	Universe uint64 // keys are 0..Universe-1: 2^Bits for text, else the largest number of a feature plus 1
	Keys     KeySet // the keys that have a row, R of them
	Outputs  int    // K: 1 for two classes, else one per label

	Dense  Numbers // R*K weights, row-major; nil if Sparse is used
	Sparse *Sparse // nil if Dense is used
	Rule   *Rule   // nil, or how a model that is not linear decides, instead of Dense and Sparse

	Bias        []float64 // K
	Base        []float64 // K
	Threshold   []float64 // K: an output above it speaks for its label
	Platt       []Platt   // nil or K
	Temperature float64   // 0 for none; margins are divided by it before the softmax
	IDF         []float32 // nil or R: multiplies the value of a feature
	// Ratio is what the values of features were multiplied by, or nil: weights include it, lengths do not.
	Ratio Numbers
	Names []Name // of some features, rows ascending
}

// Platt turns a margin into a probability, 1/(1+exp(A*margin+B)).
type Platt struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// Name is what a feature is called.
type Name struct {
	Row  uint32
	Text string
}

// Meta says what the numbers of a model mean. A binary model has two labels and one output,
// for the second label; others have an output per label, and more where labels are in a tree. Of regression, the only
// label is what the number is called.
type Meta struct {
	Labels []string `json:"labels,omitempty"` // distinct; any bytes
	Task   string   `json:"task"`             // "binary", "multiclass", "multilabel" or "regression"
	// Link makes scores of margins: "margin", "sigmoid", "share", "softmax", "platt", "temperature", "paths", "number",
	// "levels" or "level".
	Link string `json:"link"`
	// Range is that of numbers, which margins beyond it are moved to; nil for none, and of other links.
	Range *[2]float64 `json:"range,omitempty"`
	// Levels are those of an ordinal model, of links levels and level; nil of others.
	Levels *Levels `json:"levels,omitempty"`
	// Source of features: "text", "svmlight", or another that package score knows.
	Source string `json:"source"`
	// Text says how text becomes features; it is not written for other sources.
	Text hashing.Options `json:"text,omitzero"`
	// Values of features: "binary", "by-word", "count", "log-count", "tfidf" or "log-tfidf".
	Values       string          `json:"values"`
	Prenormalize bool            `json:"prenormalize"`   // rows have unit length before the ratio is applied
	Normalize    bool            `json:"normalize"`      // rows have unit length after it
	Made         json.RawMessage `json:"made,omitempty"` // how the model was made, in JSON; not looked into here
	Version      string          `json:"version"`        // of nbsvm, which made it
	// FastText describes a model of fastText, which package score sets. No model file has one.
	FastText *fasttext.Facts `json:"fasttext,omitempty"`
	Input    corpus.Reading  `json:"input,omitzero"`  // what was said of how the documents are read
	Paths    *Paths          `json:"paths,omitempty"` // nil unless labels are in a tree
	// Closed separates the parts of labels that are all nodes of a tree, of which a document has any number, with those
	// above them; "" of other labels. Its problems are those of plain labels, and earlier versions take it for that.
	Closed string `json:"closed,omitempty"`
}

// Levels are numbers in an order. That of a document is above Numbers[k] if its margin plus Intercepts[k] is above 0; in
// a model of link levels, with the probability of the sigmoid of that sum.
type Levels struct {
	Numbers    []float64 `json:"numbers"`    // ascending
	Intercepts []float64 `json:"intercepts"` // one less
}

// check finds out whether levels fit each other.
func (l *Levels) check() bool {
	ascend := len(l.Numbers) > 1 && len(l.Intercepts) == len(l.Numbers)-1
	for k := 1; ascend && k < len(l.Numbers); k++ {
		ascend = l.Numbers[k] > l.Numbers[k-1] && l.Intercepts[k-1]-l.Intercepts[k-1] == 0
	}
	return ascend
}

// Expectation returns the mean of the levels of a document with this margin.
func (l *Levels) Expectation(margin float64) float64 {
	mean := l.Numbers[0]
	for k, intercept := range l.Intercepts {
		mean += float64((l.Numbers[k+1] - l.Numbers[k]) * xmath.Sigmoid(margin+intercept))
	}
	return mean
}

// Probabilities appends the probability of each level of a document with this margin.
func (l *Levels) Probabilities(dst []float64, margin float64) []float64 {
	above := 1.0
	for _, intercept := range l.Intercepts {
		next := min(above, xmath.Sigmoid(margin+intercept)) // thresholds may be out of order where levels are rare
		dst = append(dst, above-next)
		above = next
	}
	return append(dst, above)
}

// Level returns the level between whose thresholds a margin is. It is the median, where margins make probabilities.
func (l *Levels) Level(margin float64) float64 {
	above := 0
	for _, intercept := range l.Intercepts {
		if margin+intercept > 0 {
			above++
		}
	}
	return l.Numbers[above]
}

// OutputClass returns the class that an output speaks for; -1 for an inner node of a grown tree.
func (m *Model) OutputClass(output int) int {
	switch {
	case m.Meta.Task == "binary":
		return 1
	case output < len(m.Meta.Labels):
		return output
	case m.Meta.Paths.Parents != nil:
		return -1
	}
	return int(m.Meta.Paths.Inner[output-len(m.Meta.Labels)]) // of paths
}

// RowWeights sets dst to a feature's weights for all outputs. A model with a rule has none.
func (m *Model) RowWeights(row int, dst []float64) {
	copy(dst, m.Base)
	if m.Dense != nil {
		for i := range dst {
			dst[i] += float64(m.Dense.At(row*m.Outputs + i))
		}
		return
	}
	for output, w := range m.Sparse.All(row) {
		dst[output] += float64(w)
	}
}
