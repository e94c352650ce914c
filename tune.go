package nbsvm

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// TuneOptions say what [Tune] searches for, and how long. Set Base; the zero values of all other fields search without
// a limit until nothing better is found.
type TuneOptions struct {
	// Base has the options that are not searched, usually [DefaultOptions].
	Base Options
	// Kinds are the kinds of model to search. If it is empty, they are NBSVM, SVM and Logistic, or Base.Kind alone if
	// that is none of these.
	Kinds []Kind
	// Metric is what to compare settings by: the JSON key of a number in [metrics.Report], such as macro_f1, in which -
	// may stand for _. "" stands for accuracy, or
	// for micro_f1 if documents have any number of labels. A loss is minimized, all else is maximised.
	Metric string
	// Folds is the number of folds of the cross-validation, 2 or more; 0 stands for 5.
	Folds int
	// Valid, if not nil, has documents to compare settings on. There is no cross-validation then.
	Valid *corpus.Input
	// Time limits the duration of the search together with that of a training on its result. Trials limits the number
	// of settings. 0 stands for no limit.
	Time   time.Duration
	Trials int
	// MinSpeed excludes settings whose models score fewer bytes of text per second on one thread; 0 stands for no
	// limit. The speed is measured, so the result then depends on the machine and on what else runs on it.
	MinSpeed float64
	// Progress, if not nil, is called while documents are read, and whenever a setting was evaluated on a fold.
	Progress func(TuneProgress)
}

// TuneProgress says how far a search is.
type TuneProgress struct {
	// Trials is the number of settings begun so far: several are tried together, fold after fold. Best is the best of
	// those that were evaluated on all folds; nil before the first.
	Trials int
	Best   *TuneTrial
	// Read says how far the reading of documents is, before the first trial.
	Read corpus.Progress
}

// TuneTrial is a setting that was tried, and how good it was.
type TuneTrial struct {
	// Setting has the options of the trial.
	Setting TuneSetting `json:"setting"`
	// Flags are the arguments of "nbsvm train" that stand for the setting.
	Flags []string `json:"flags"`
	// Scores has the metric for each fold, Mean is their mean, and SE the standard error of the mean.
	Scores []float64 `json:"scores"`
	Mean   float64   `json:"mean"`
	SE     float64   `json:"standard_error"`
	// Share says that 1 in Share of the documents was trained on: 1 for all.
	Share int `json:"share"`
	// Bytes is the size of the largest model, and Speed the bytes of text that the first fold's model scores per second
	// on one thread; 0 where there are no texts.
	Bytes int64   `json:"bytes"`
	Speed float64 `json:"speed,omitempty"`
	// Pareto says that no other trial is better in one of Mean, Bytes and Speed, and at least as good in the others.
	// Means are those of the folds that all trials were tried on; speeds within a fifth count as equal.
	Pareto bool `json:"pareto"`
	// Seconds is how long the trial took.
	Seconds float64 `json:"seconds"`

	documents int // on which it was evaluated
}

// TuneSetting has the options that a search chooses. Fields have the meaning of those in [Options]; fields that do not
// concern the kind of model are 0.
type TuneSetting struct {
	// Ngrams are the n-grams, such as "word:1-2", joined by commas; "" if there was no choice.
	Ngrams       string  `json:"ngrams"`
	Values       Values  `json:"values"`
	Prenormalize bool    `json:"prenormalize"`
	Normalize    bool    `json:"normalize"`
	MinDF        int     `json:"min_df"`
	Kind         Kind    `json:"model"`
	Loss         string  `json:"loss"`
	C            float64 `json:"C"`
	Alpha        float64 `json:"alpha"`
	Beta         float64 `json:"beta"`
	Bias         float64 `json:"bias"`
	// Balanced stands for [ClassWeight].Balanced.
	Balanced   bool        `json:"balanced"`
	Epochs     int         `json:"max_epochs,omitempty"`
	Trees      TreeOptions `json:"trees,omitzero"`
	Neighbours int         `json:"neighbours,omitempty"`
}

// TuneOutcome is the result of a search.
type TuneOutcome struct {
	// Metric and Folds are those that settings were compared by.
	Metric string `json:"metric"`
	Folds  int    `json:"folds"`
	// Plain reports whether near-duplicates may be in several folds, as Options.PlainFolds of Base says.
	Plain bool `json:"plain_folds"`
	// Grouped is the number of documents with near-duplicates, all in the same fold, and Divided that of documents with
	// near-duplicates in other folds, too. Both are 0 if there are no folds, because there is Valid.
	Grouped int `json:"grouped"`
	Divided int `json:"divided"`
	// Trials are the settings tried: those on all folds first, and among them the best first. The finalists, which were
	// tried on the folds of further splits, come before all others.
	Trials []*TuneTrial `json:"trials"`
	// Best is the finalist with the best mean. Chosen is that of the defaults unless Best is better by more than one
	// standard error, and otherwise the simplest one within one standard error of Best. Why explains the choice.
	Best   *TuneTrial `json:"best"`
	Chosen *TuneTrial `json:"chosen"`
	Why    string     `json:"why"`
	// Ended says why the search ended.
	Ended string `json:"ended"`
	// Options are those of the chosen trial: pass them to [Train].
	Options Options `json:"-"`
}

// Validate refuses negative limits, kinds of model that there are not, and those that can't have labels that are paths
// where they are.
// What is not valid for the documents, Search tells.
func (o TuneOptions) Validate() error {
	if o.Base.Kind == "" {
		return errors.New("nbsvm: a search needs base options: set Base to DefaultOptions()")
	}
	switch {
	case o.Time < 0:
		return fmt.Errorf("nbsvm: TuneOptions.Time must be 0, for no limit, or more, got %v", o.Time)
	case o.Trials < 0:
		return fmt.Errorf("nbsvm: TuneOptions.Trials must be 0, for no limit, or more, got %d", o.Trials)
	case !(o.MinSpeed >= 0):
		return fmt.Errorf("nbsvm: TuneOptions.MinSpeed must be 0, for no limit, or more, got %g", o.MinSpeed)
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(Kinds(), kind) {
			return fmt.Errorf("nbsvm: unknown model %q: use some of %v", kind, Kinds())
		}
		if kind.Numbers() != o.Kinds[0].Numbers() {
			return fmt.Errorf("nbsvm: of the models %s and %s, one predicts classes and the other numbers: search among models of one sort", o.Kinds[0], kind)
		}
		usual := DefaultOptions()
		usual.Kind, usual.Hierarchy, usual.MaxModel, usual.Range = kind, o.Base.Hierarchy, o.Base.MaxModel, o.Base.Range
		if err := usual.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// ofProbabilities are the metrics that need them.
var ofProbabilities = []string{"log_loss", "brier", "ece"}

// lower are the metrics of which less is better.
var lower = []string{"log_loss", "brier", "ece", "hamming_loss", "tree_distance", "mae", "rmse"}

// defaultFolds is how many folds there are where nothing is said.
const defaultFolds = 5
