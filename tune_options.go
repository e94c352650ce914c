package tune

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// Options say what to search for, and for how long. The fields are those of nbsvm.TuneOptions, which says what each means.
type Options struct {
	Base     train.Options
	Kinds    []train.Kind
	Metric   string
	Folds    int
	Valid    *corpus.Input
	Time     time.Duration
	Trials   int
	MaxModel int64
	MinSpeed float64
	Progress func(Progress)
}

// Validate refuses negative limits, kinds of model that there are not, and those that can't have labels that are paths
// where they are.
// What is not valid for the documents, Search tells.
func (o *Options) Validate() error {
	if o.Base.Kind == "" {
		return errors.New("nbsvm: a search needs base options: set Base to DefaultOptions()")
	}
	switch {
	case o.Time < 0:
		return fmt.Errorf("nbsvm: time must be 0, for no limit, or more, got %v", o.Time)
	case o.Trials < 0:
		return fmt.Errorf("nbsvm: trials must be 0, for no limit, or more, got %d", o.Trials)
	case o.MaxModel < 0:
		return fmt.Errorf("nbsvm: max-model must be 0, for no limit, or more, got %d", o.MaxModel)
	case !(o.MinSpeed >= 0):
		return fmt.Errorf("nbsvm: min-speed must be 0, for no limit, or more, got %g", o.MinSpeed)
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

// Trial is a setting and what came of it. See nbsvm.TuneTrial.
type Trial struct {
	Setting Setting   `json:"setting"`
	Flags   []string  `json:"flags"`
	Scores  []float64 `json:"scores"` // by fold
	Mean    float64   `json:"mean"`
	SE      float64   `json:"standard_error"`
	Share   int       `json:"share"`
	Bytes   int64     `json:"bytes"`
	Speed   float64   `json:"speed,omitempty"`
	Seconds float64   `json:"seconds"`

	documents int // on which it was evaluated
}

// Outcome is what a search found. See nbsvm.TuneOutcome.
type Outcome struct {
	Metric  string        `json:"metric"`
	Folds   int           `json:"folds"`
	Grouped int           `json:"grouped"`
	Divided int           `json:"divided"`
	Trials  []*Trial      `json:"trials"`
	Best    *Trial        `json:"best"`
	Chosen  *Trial        `json:"chosen"`
	Why     string        `json:"why"`
	Ended   string        `json:"ended"`
	Options train.Options `json:"-"`
}

// ofProbabilities are the metrics that need them.
var ofProbabilities = []string{"log_loss", "brier", "ece"}

// lower are the metrics of which less is better.
var lower = []string{"log_loss", "brier", "ece", "hamming_loss", "tree_distance"}

// DefaultFolds is how many folds there are where nothing is said.
const DefaultFolds = 5
