package nbsvm

import (
	"context"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/internal/learn/tune"
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
	// MaxModel excludes settings whose model files have more bytes; 0 stands for no limit.
	MaxModel int64
	// MinSpeed excludes settings whose models score fewer bytes of text per second on one thread; 0 stands for no
	// limit. The speed is measured, so the result depends on the machine.
	MinSpeed float64
	// Progress, if not nil, is called while documents are read, and whenever a setting was evaluated on a fold.
	Progress func(TuneProgress)
}

// Validate returns an error if a limit is negative, or if a kind does not exist or does not go with the options of
// Base.
func (o TuneOptions) Validate() error {
	in := o.internal()
	return in.Validate()
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
	// Bytes is the size of the largest model, and Speed the bytes of text scored per second on one thread; 0 if it was
	// not measured.
	Bytes int64   `json:"bytes"`
	Speed float64 `json:"speed,omitempty"`
	// Seconds is how long the trial took.
	Seconds float64 `json:"seconds"`
}

// TuneSetting has the options that a search chooses. Fields have the meaning of those in [Options]; fields that do not
// concern the kind of model are 0.
type TuneSetting struct {
	// Features are the n-grams, such as "word:1-2", joined by commas; "" if there was no choice.
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

func (o *TuneOptions) internal() tune.Options {
	in := tune.Options{
		Base: o.Base.internal(), Kinds: convert(o.Kinds, func(k Kind) train.Kind { return train.Kind(k) }),
		Metric: o.Metric, Folds: o.Folds, Valid: o.Valid, Time: o.Time, Trials: o.Trials, MaxModel: o.MaxModel,
		MinSpeed: o.MinSpeed,
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

// Tune searches for the options whose models cross-validate best. It reads the input more than once, so that the
// documents must be in files or in memory (corpus.Input.Documents), not in corpus.Input.Stdin. Train on the Options of
// the outcome afterwards.
func Tune(ctx context.Context, in corpus.Input, o TuneOptions) (*TuneOutcome, error) {
	if o.Base.From != nil {
		return nil, errOnlyTrain
	}
	found, err := tune.Search(ctx, in, o.internal())
	if err != nil {
		return nil, err
	}
	outcome := &TuneOutcome{
		Metric: found.Metric, Folds: found.Folds, Plain: o.Base.PlainFolds, Grouped: found.Grouped, Divided: found.Divided, Why: found.Why, Ended: found.Ended, Options: optionsOf(found.Options),
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
