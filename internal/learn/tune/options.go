package tune

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// Options say what to search for, and for how long.
type Options struct {
	Base train.Options // options that are not searched keep their values
	// Kinds of model are searched; nil for Base.Kind if it is one that no solver trains, else for nbsvm, svm and logistic.
	Kinds  []train.Kind
	Metric string // by its JSON key; "" for accuracy, or micro_f1 where documents have any number of labels
	Folds  int
	Valid  *corpus.Input // where not nil, settings are compared on these documents, not on folds
	// Time is how long search and training may take, Trials how many settings may be tried; 0 for no limit.
	Time   time.Duration
	Trials int
	// MaxModel leaves out settings whose models have more bytes; 0 for no limit.
	MaxModel int64
	// MinSpeed leaves out settings whose models score fewer bytes of text a second, on one thread; 0 for no limit. It is
	// measured, so that the choice is not the same on every machine.
	MinSpeed float64
	Log      string         // file of results, from which a search goes on; "" for none
	Progress func(Progress) // nil, or told of every result
}

// Validate refuses kinds of model that there are not, and those that can't have labels that are paths where they are.
// What is not valid for the documents, Search tells.
func (o *Options) Validate() error {
	if o.Base.Kind == "" {
		return errors.New("nbsvm: a search needs base options: set Base to DefaultOptions()")
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(train.Kinds(), kind) {
			return fmt.Errorf("nbsvm: unknown model %q: use some of %v", kind, train.Kinds())
		}
		usual := train.DefaultOptions()
		usual.Kind, usual.Hierarchy = kind, o.Base.Hierarchy
		if err := usual.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Progress says how far a search is.
type Progress struct {
	Trials int // settings tried
	Best   *Trial
	Read   corpus.Progress // while documents are read
}

// Trial is a setting and what came of it.
type Trial struct {
	Setting Setting   `json:"setting"`
	Flags   []string  `json:"flags"`  // of nbsvm train
	Scores  []float64 `json:"scores"` // by fold
	Mean    float64   `json:"mean"`
	SE      float64   `json:"standard_error"`
	Share   int       `json:"share"`           // one in so many of the documents was trained on
	Bytes   int64     `json:"bytes"`           // of the largest model
	Speed   float64   `json:"speed,omitempty"` // of scoring, in bytes of text a second
	Seconds float64   `json:"seconds"`

	documents int // on which it was evaluated
}

// Outcome is what a search found.
type Outcome struct {
	Metric string   `json:"metric"`
	Folds  int      `json:"folds"`
	Trials []*Trial `json:"trials"` // those on all folds first, the best first
	Best   *Trial   `json:"best"`
	Chosen *Trial   `json:"chosen"`
	Why    string   `json:"why"`
	Ended  string   `json:"ended"` // why the search did
	// Options are the chosen ones to train with.
	Options train.Options `json:"-"`
}

// ofProbabilities are the metrics that need them.
var ofProbabilities = []string{"log_loss", "brier", "ece"}

// lower are the metrics of which less is better.
var lower = []string{"log_loss", "brier", "ece", "hamming_loss", "tree_distance"}

// DefaultFolds is how many folds there are where nothing is said.
const DefaultFolds = 5
