package nbsvm

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Report says what a model was trained on, how, and with what result.
type Report struct {
	// Options are those of the training. What these left to the documents is what was chosen.
	Options Options `json:"options"`
	// Documents is the number of documents, Bytes the length of their texts in bytes, and Invalid the number of bytes
	// that are not valid UTF-8.
	Documents int `json:"documents"`
	// Earlier is the number of documents of earlier trainings, of which Options.From knew; 0 without it.
	Earlier int64 `json:"earlier,omitempty"`
	Bytes   int64 `json:"bytes"`
	Invalid int64 `json:"invalid"`
	// Bad is the number of records that were skipped.
	Bad int64 `json:"bad"`
	// Reasons counts them by what is wrong with them.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
	// Classes are the labels and how many documents have them, in the order of Classifier.Labels.
	Classes []corpus.ClassCount `json:"classes"`
	// Numbers says where the numbers of the documents lie, of models that predict numbers; nil of others, as Classes is
	// of these.
	Numbers *metrics.NumberRange `json:"numbers,omitempty"`
	// Candidates are the kinds of model among which AutoKind chose; nil where it did not compare any.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Features counts the n-grams.
	Features FeatureStats `json:"features"`
	// Solution sums up the solver's work; nil for kinds without a solver.
	Solution *Solution `json:"solution,omitempty"`
	// Shrinking says what became of a model that was larger than Options.MaxModel; nil of others.
	Shrinking *Shrinking `json:"shrinking,omitempty"`
	// Epochs are the passes of an online model over the documents; nil for other kinds.
	Epochs []Epoch `json:"epochs,omitempty"`
	// Rounds are those of a GBDT model; nil for other kinds.
	Rounds []Round `json:"rounds,omitempty"`
	// Stages are the parts of the training, and Took is its whole duration. Model files do not have them.
	Stages []Stage       `json:"-"`
	Took   time.Duration `json:"-"`
}

// Candidate is a kind of model that AutoKind compared with others.
type Candidate struct {
	// Kind and Normalize are the options that differ among candidates.
	Kind      Kind `json:"model"`
	Normalize bool `json:"normalize"`
	// MicroF1 is the mean micro-averaged F1 over the folds of a cross-validation, from 0 to 1: the accuracy where
	// documents have one label.
	MicroF1 float64 `json:"micro_f1"`
}

// FeatureStats counts the n-grams of a training set.
type FeatureStats struct {
	// Entries counts the pairs of a document and an n-gram in it. Distinct is the number of different n-grams, and
	// Selected the number of those that the model uses.
	Entries  int64  `json:"entries"`
	Distinct uint64 `json:"distinct"`
	Selected uint64 `json:"selected"`
	// NonZeros is the number of non-zero values in the matrix.
	NonZeros int64 `json:"non_zeros"`
}

// Solution sums up the solver's work over all outputs of a model. There is one output for two classes, and otherwise
// one per class.
type Solution struct {
	// Outputs is the number of outputs, and Unconverged the number of those that stopped at MaxEpochs before they
	// reached Tol.
	Outputs     int `json:"outputs"`
	Unconverged int `json:"unconverged"`
	// Gap is the largest relative duality gap at which the solver stopped, and Epochs the largest number of epochs, of
	// all outputs.
	Gap    float64 `json:"gap"`
	Epochs int     `json:"epochs"`
	// Steps is the number of coordinate updates. Primal and Dual are the values of the objectives. All are sums over
	// the outputs.
	Steps  int64   `json:"steps"`
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	// Took is the time spent in the solver, summed over the outputs. Model files do not have it.
	Took time.Duration `json:"-"`
}

// Shrinking says what became of a model that was larger than Options.MaxModel.
type Shrinking struct {
	// Features is the number of features of the larger model, and Kept the number of those that the small one has.
	Features int `json:"features"`
	Kept     int `json:"kept"`
}

// Stage is a part of a training, and how long it took.
type Stage struct {
	Name string
	Took time.Duration
}

// Epoch is one pass of an online model over the documents.
type Epoch struct {
	// Mistakes is the number of documents that were misclassified when they were visited. If documents have any number
	// of labels, it is the number of wrong decisions about a label.
	Mistakes int `json:"mistakes"`
	// Accuracy is that on held-out documents, from 0 to 1; 0 if there are none.
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Round is a round of a GBDT model, in which one tree is added for each class.
type Round struct {
	// Loss is the mean log loss on the training documents.
	Loss float64 `json:"loss"`
	// Held is the mean log loss on held-out documents, and Accuracy that on them, from 0 to 1; 0 if there are none.
	Held     float64 `json:"held,omitempty"`
	Accuracy float64 `json:"accuracy,omitempty"`
}

// Report returns the report of the training, as the model file has it: without durations.
func (c *Classifier) Report() (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(c.c.Model().Meta.Made, r); err != nil {
		return nil, fmt.Errorf("nbsvm: the model's record of its training can't be read: %w", err)
	}
	return r, nil
}
