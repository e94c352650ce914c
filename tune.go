package nbsvm

import (
	"context"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/learn/tune"
)

// TuneOptions say what [Tune] searches for, and for how long. The zero value, with Base set to [DefaultOptions], searches
// without a limit until it finds nothing better.
type TuneOptions struct {
	// Base has the options that are not searched.
	Base Options
	// Kinds of model are searched; nil stands for nbsvm, svm and logistic, or for Base.Kind alone if that is none of
	// them.
	Kinds []Kind
	// Metric to maximise or minimise, by its JSON key in [metrics.Report]; "" stands for accuracy, or for micro_f1 if
	// documents have any number of labels.
	Metric string
	// Folds is the number of folds of cross-validation; 0 stands for 5.
	Folds int
	// Valid, if not nil, are the documents on which settings are compared, instead of folds.
	Valid *corpus.Input
	// Time is how long the search and the training may take, and Trials how many settings may be tried; 0 means no
	// limit.
	Time   time.Duration
	Trials int
	// MaxModel leaves out settings whose models have more bytes; 0 means no limit.
	MaxModel int64
	// MinSpeed leaves out settings whose models score fewer bytes of text a second on one thread; 0 means no limit. The
	// speed is measured, so that the choice depends on the machine.
	MinSpeed float64
	// Log is a file of results, from which a later search with the same options continues; "" means none.
	Log string
	// Progress, if not nil, is told of every result.
	Progress func(TuneProgress)
}

// Validate reports kinds that do not exist, or that do not go with the options of Base.
func (o TuneOptions) Validate() error {
	in := o.internal()
	return in.Validate()
}

// TuneProgress says how far a search is.
type TuneProgress struct {
	// Trials is the number of settings tried, and Best the best of them.
	Trials int
	Best   *TuneTrial
	// Read says how far the reading of documents is, before the first trial.
	Read corpus.Progress
}

// TuneTrial is a setting that was tried, and what came of it.
type TuneTrial struct {
	// Setting are the searched options.
	Setting TuneSetting `json:"setting"`
	// Flags are those of nbsvm train that give the setting.
	Flags []string `json:"flags"`
	// Scores are the values of the metric by fold, Mean is their mean, and SE its standard error.
	Scores []float64 `json:"scores"`
	Mean   float64   `json:"mean"`
	SE     float64   `json:"standard_error"`
	// Share says that one in so many of the documents was trained on.
	Share int `json:"share"`
	// Bytes is the size of the largest model, and Speed that of scoring in bytes of text a second, if it was measured.
	Bytes int64   `json:"bytes"`
	Speed float64 `json:"speed,omitempty"`
	// Seconds is how long the trial took.
	Seconds float64 `json:"seconds"`
}

// TuneSetting has the options that a search chooses. They have the same meaning in [Options].
type TuneSetting struct {
	// Features are the families of n-grams, joined by commas, such as word:1-2; empty if there is no choice.
	Features     string  `json:"features"`
	Values       Values  `json:"values"`
	SublinearTF  bool    `json:"sublinear_tf"`
	Prenormalize bool    `json:"prenormalize"`
	Normalize    bool    `json:"normalize"`
	MinDF        int     `json:"min_df"`
	Kind         Kind    `json:"model"`
	Loss         string  `json:"loss"`
	C            float64 `json:"C"`
	Alpha        float64 `json:"alpha"`
	Beta         float64 `json:"beta"`
	AutoBeta     bool    `json:"auto_beta"`
	Bias         float64 `json:"bias"`
	// Balanced stands for [ClassWeight].Balanced.
	Balanced         bool        `json:"balanced"`
	NormalizeWeights bool        `json:"normalize_weights,omitempty"`
	Gamma            float64     `json:"gamma,omitempty"`
	Epochs           int         `json:"max_epochs,omitempty"`
	Trees            TreeOptions `json:"trees,omitzero"`
	Neighbours       int         `json:"neighbours,omitempty"`
	Similarity       Similarity  `json:"similarity,omitempty"`
	Votes            Votes       `json:"votes,omitempty"`
}

// TuneOutcome is the result of a search.
type TuneOutcome struct {
	// Metric and Folds are those of the search.
	Metric string `json:"metric"`
	Folds  int    `json:"folds"`
	// Trials are the settings tried: those on all folds first, the best first.
	Trials []*TuneTrial `json:"trials"`
	// Best is the best trial, Chosen the one that the search recommends, and Why says why.
	Best   *TuneTrial `json:"best"`
	Chosen *TuneTrial `json:"chosen"`
	Why    string     `json:"why"`
	// Ended says why the search ended.
	Ended string `json:"ended"`
	// Options are those of the chosen trial, to train with.
	Options Options `json:"-"`
}

func (o *TuneOptions) internal() tune.Options {
	in := tune.Options{
		Base: o.Base.internal(), Kinds: convert(o.Kinds, func(k Kind) train.Kind { return train.Kind(k) }),
		Metric: o.Metric, Folds: o.Folds, Valid: o.Valid, Time: o.Time, Trials: o.Trials, MaxModel: o.MaxModel,
		MinSpeed: o.MinSpeed, Log: o.Log,
	}
	if o.Progress != nil {
		in.Progress = func(p tune.Progress) { o.Progress(TuneProgress{p.Trials, trialOf(p.Best), p.Read}) }
	}
	return in
}

func trialOf(t *tune.Trial) *TuneTrial {
	if t == nil {
		return nil
	}
	return &TuneTrial{
		settingOf(t.Setting), t.Flags, t.Scores, t.Mean, t.SE, t.Share, t.Bytes, t.Speed, t.Seconds,
	}
}

func settingOf(s tune.Setting) TuneSetting {
	return TuneSetting{
		Features: s.Features, Values: Values(s.Values), SublinearTF: s.SublinearTF, Prenormalize: s.Prenormalize,
		Normalize: s.Normalize, MinDF: s.MinDF, Kind: Kind(s.Kind), Loss: s.Loss, C: s.C, Alpha: s.Alpha, Beta: s.Beta,
		AutoBeta: s.AutoBeta, Bias: s.Bias, Balanced: s.Balanced, NormalizeWeights: s.NormalizeWeights, Gamma: s.Gamma,
		Epochs: s.Epochs, Trees: TreeOptions(s.Trees), Neighbours: s.Neighbours, Similarity: Similarity(s.Similarity),
		Votes: Votes(s.Votes),
	}
}

// Tune searches for the options with which models of the documents cross-validate best.
func Tune(ctx context.Context, in corpus.Input, o TuneOptions) (*TuneOutcome, error) {
	found, err := tune.Search(ctx, in, o.internal())
	if err != nil {
		return nil, err
	}
	outcome := &TuneOutcome{
		Metric: found.Metric, Folds: found.Folds, Why: found.Why, Ended: found.Ended, Options: optionsOf(found.Options),
	}
	outcome.Options.Review = o.Base.Review
	for _, t := range found.Trials { // Best and Chosen are among them
		trial := trialOf(t)
		if outcome.Trials = append(outcome.Trials, trial); t == found.Best {
			outcome.Best = trial
		}
		if t == found.Chosen {
			outcome.Chosen = trial
		}
	}
	return outcome, nil
}
