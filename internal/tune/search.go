package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/dataset"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/train"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Options say what to search for, and for how long.
type Options struct {
	Base   train.Options // options that are not searched keep their values
	Metric string        // by its JSON key; "" for accuracy, or micro_f1 where documents have any number of labels
	Folds  int
	Valid  *dataset.Input // where not nil, settings are compared on these documents, not on folds
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

// Progress says how far a search is.
type Progress struct {
	Trials int // settings tried
	Best   *Trial
	Read   dataset.Progress // while documents are read
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
var lower = []string{"log_loss", "brier", "ece", "hamming_loss"}

type key struct {
	setting     Setting
	share, fold int
}

type search struct {
	o          Options
	in         dataset.Input
	base       Setting
	multi      bool
	packed     bool // documents come from a packed corpus
	folds      int
	known      map[key]Result
	order      []Setting // in which they were first tried
	impossible map[Setting]bool
	onAll      map[Setting]bool // tried on all documents, if not on all folds
	read       *reader
	first      sample
	refused    error // the last of settings that are impossible
	log        *journal
	begin      time.Time
	seconds    map[string]float64 // of one fold of all documents, by features
}

// sample is about how much of many documents is tried first.
type sample struct{ bytes, documents int64 }

var firstSample = sample{4 << 20, 2000}

var (
	errTime   = errors.New("the time is up")
	errTrials = errors.New("all trials are used")
)

// Search tries settings and returns the outcome. Only an error of ctx, of the input or of the log ends it without one.
func Search(ctx context.Context, in dataset.Input, o Options) (out *Outcome, err error) {
	if o.Folds == 0 {
		o.Folds = DefaultFolds
	}
	s := &search{
		o: o, in: in, folds: o.Folds, known: map[key]Result{}, impossible: map[Setting]bool{}, onAll: map[Setting]bool{},
		first: firstSample, begin: time.Now(), seconds: map[string]float64{}, read: newReader(in, &o),
	}
	defer func() { err = errors.Join(err, s.read.close()) }()
	if in.ReadsStdin() {
		return nil, errors.New("nbsvm: documents are read several times: give files, not standard input")
	}
	if err := s.checkMetric(); err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = s.tooShort()
		}
		return nil, err
	}
	defer func() { err = errors.Join(err, s.log.close()) }()
	ended := "nothing is left to try"
	if err := s.halve(ctx); err == nil {
		err = s.refine(ctx)
		if err != nil && !errors.Is(err, errTime) && !errors.Is(err, errTrials) {
			return nil, err
		} else if err != nil {
			ended = err.Error()
		}
	} else if errors.Is(err, errTime) || errors.Is(err, errTrials) {
		ended = err.Error()
	} else {
		return nil, err
	}
	return s.outcome(ended)
}

// DefaultFolds is how many folds there are where nothing is said.
const DefaultFolds = 5

// checkMetric refuses a metric that there is not.
func (s *search) checkMetric() error {
	s.o.Metric = strings.ReplaceAll(s.o.Metric, "-", "_")
	var names []string
	for name := range new(metrics.Report).Values() {
		if name == s.o.Metric {
			return nil
		}
		names = append(names, name)
	}
	if s.o.Metric == "" {
		return nil
	}
	return fmt.Errorf("nbsvm: there is no metric %q, want one of %s", s.o.Metric, strings.ReplaceAll(strings.Join(names, ", "), "_", "-"))
}

// start reads the documents for the first time, and opens the log.
func (s *search) start(ctx context.Context) error {
	if s.o.Time > 0 {
		timed, stop := context.WithTimeoutCause(ctx, s.o.Time, errTime)
		defer stop()
		ctx = timed
	}
	first := "word:1-2"
	if _, isPacked, err := s.in.PackedPath(); err != nil {
		return err
	} else if isPacked {
		first = "" // what was packed is what there is
	}
	s.base = settingOf(s.o.Base, first)
	f, err := s.read.folds(ctx, s.base, 1)
	if err != nil {
		return err
	}
	ds := f.Dataset()
	if s.o.MinSpeed > 0 && !ds.HasTexts() {
		return errors.New("nbsvm: the speed of scoring is measured on texts, which packed corpora and ready-made features have not: leave --min-speed out")
	}
	s.packed = ds.Path != ""
	if s.multi = ds.Classes.Multi; s.o.Metric == "" {
		if s.o.Metric = "accuracy"; s.multi {
			s.o.Metric = "micro_f1"
		}
	}
	if s.o.Valid != nil {
		s.folds = 1
	}
	if ds.Ready() || ds.Path != "" || !ds.Wordlike() {
		s.base.Features = "" // texts can't be read in another way
	}
	if o, err := s.base.Options(s.o.Base); err == nil {
		if o, err = f.Resolve(o); err == nil {
			s.base.Beta = o.Beta // what beta is if it is automatic
		}
	}
	h, err := s.header(ctx)
	if err != nil {
		return err
	}
	var results []Result
	if s.log, results, err = openJournal(s.o.Log, h); err != nil {
		return err
	}
	for _, r := range results {
		s.known[key{r.Setting, r.Share, r.Fold}] = r
	}
	return nil
}

// rung is a step of successive halving.
type rung struct {
	share int
	folds []int
}

// rungs are the steps for the documents: on few bytes, or few documents, a part of them says too little.
func (s *search) rungs(documents int, bytes int64) []rung {
	share := int(min(bytes/s.first.bytes, int64(documents)/s.first.documents))
	all := s.allFolds()
	switch {
	case share > 1:
		return []rung{{share, all[:1]}, {max(1, share/3), all[:min(2, len(all))]}, {1, all}}
	case bytes > s.first.bytes/4 && len(all) > 2:
		return []rung{{1, all[:2]}, {1, all}}
	}
	return []rung{{1, all}}
}

func (s *search) allFolds() []int {
	all := make([]int, s.folds)
	for k := range all {
		all[k] = k
	}
	return all
}

// halve goes through the portfolio by successive halving.
func (s *search) halve(ctx context.Context) error {
	f, err := s.read.folds(ctx, s.base, 1)
	if err != nil {
		return err
	}
	settings := portfolio(s.base, slices.Contains(ofProbabilities, s.o.Metric))
	for k, r := range s.rungs(f.Dataset().Documents, f.Dataset().Meta.Bytes) {
		if k > 0 {
			const third, least = 3, 4
			settings = settings[:min(len(settings), max(len(settings)/third, least))]
		}
		err := s.try(ctx, settings, r.share, r.folds)
		settings = slices.DeleteFunc(settings, func(v Setting) bool { return len(s.scores(v, r.share, r.folds)) < len(r.folds) })
		slices.SortStableFunc(settings, func(a, b Setting) int {
			return cmp.Compare(mean(s.scores(b, r.share, r.folds)), mean(s.scores(a, r.share, r.folds)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// refine changes the best settings in one respect at a time.
func (s *search) refine(ctx context.Context) error {
	refined := map[Setting]bool{}
	for {
		at, ok := s.next(refined)
		if !ok || s.perfect() {
			return nil
		}
		for better := true; better; {
			better = false
			for _, move := range moves {
				for again := true; again; {
					refined[at] = true
					found, err := s.race(ctx, at, move(at, s.multi))
					if err != nil {
						return err
					}
					if again = found != at; again {
						at, better = found, true
					}
				}
			}
		}
		refined[at] = true
	}
}

// perfect says whether nothing can be better than the best setting.
func (s *search) perfect() bool {
	all := s.complete()
	return len(all) > 0 && !slices.Contains(lower, s.o.Metric) && all[0].Mean >= 1
}

// next is the best setting that was not refined, unless it is clearly worse than the best.
func (s *search) next(refined map[Setting]bool) (Setting, bool) {
	const most = 3 // standard errors of the difference
	var best *Trial
	for _, t := range s.complete() {
		if best == nil {
			best = t
		}
		alike := func(r Setting) bool {
			return r.Features == t.Setting.Features && r.Kind == t.Setting.Kind && r.Values == t.Setting.Values
		}
		known := false
		for r := range refined {
			known = known || alike(r)
		}
		if known {
			continue
		}
		if d, se := s.difference(best, t); d <= most*se {
			return t.Setting, true
		}
	}
	return Setting{}, false
}

// race tries changes of a setting, and returns the best of all.
func (s *search) race(ctx context.Context, at Setting, changed []Setting) (Setting, error) {
	changed = slices.DeleteFunc(changed, func(v Setting) bool { return s.onAll[v] })
	if len(changed) == 0 {
		return at, nil
	}
	first := s.allFolds()[:min(2, s.folds)]
	if err := s.try(ctx, changed, 1, first); err != nil {
		return at, err
	}
	mine := s.scores(at, 1, s.allFolds())
	margin := standardError(mine)
	changed = slices.DeleteFunc(changed, func(v Setting) bool {
		theirs := s.scores(v, 1, first)
		return len(theirs) < len(first) || mean(theirs) < mean(mine[:len(first)])-margin
	})
	if err := s.try(ctx, changed, 1, s.allFolds()); err != nil {
		return at, err
	}
	best, most := at, mean(mine)
	for _, v := range changed {
		if scores := s.scores(v, 1, s.allFolds()); len(scores) == s.folds && mean(scores) > most {
			best, most = v, mean(scores)
		}
	}
	return best, nil
}

// try trains with settings on folds, where this was not done before.
func (s *search) try(ctx context.Context, settings []Setting, share int, folds []int) error {
	settings, all := s.admit(settings)
	if share == 1 {
		for _, v := range settings {
			s.onAll[v] = true
		}
	}
	var features []string
	for _, v := range settings {
		if !slices.Contains(features, v.Features) {
			features = append(features, v.Features)
		}
	}
	for _, f := range features {
		for _, fold := range s.batches(folds) {
			for _, due := range s.due(settings, f, share, fold) {
				if err := s.tryBatch(ctx, due.settings, share, due.folds); err != nil {
					return err
				}
			}
		}
	}
	if !all {
		return errTrials
	}
	return nil
}

// admit returns the settings that may be tried, and whether these are all: so many different ones as there are trials.
func (s *search) admit(settings []Setting) (some []Setting, all bool) {
	for _, v := range settings {
		if !slices.Contains(s.order, v) {
			if s.o.Trials > 0 && len(s.order) >= s.o.Trials {
				continue
			}
			s.order = append(s.order, v)
		}
		some = append(some, v)
	}
	return some, len(some) == len(settings)
}

// task is settings that are tried on some folds.
type task struct {
	settings []Setting
	folds    []int
}

// due are the settings of some features by the folds on which they were not tried yet.
func (s *search) due(settings []Setting, features string, share int, folds []int) (tasks []task) {
	for _, v := range settings {
		if v.Features != features || s.impossible[v] {
			continue
		}
		var missing []int
		for _, fold := range folds {
			if _, ok := s.known[key{v, share, fold}]; !ok {
				missing = append(missing, fold)
			}
		}
		if k := slices.IndexFunc(tasks, func(t task) bool { return slices.Equal(t.folds, missing) }); k >= 0 {
			tasks[k].settings = append(tasks[k].settings, v)
		} else if missing != nil {
			tasks = append(tasks, task{[]Setting{v}, missing})
		}
	}
	return tasks
}

// batches cuts folds into runs that are tried side by side; so many that the work of a batch is not lost where the
// time ends it.
func (s *search) batches(folds []int) [][]int {
	return slices.Collect(slices.Chunk(folds, max(1, ordered.Threads(s.o.Base.Threads))))
}

// tryBatch is try for settings of the same features.
func (s *search) tryBatch(ctx context.Context, settings []Setting, share int, folds []int) error {
	left, limited := s.left(settings[0].Features)
	if limited && left <= 0 {
		return errTime
	}
	timed := ctx
	if limited {
		var stop context.CancelFunc
		timed, stop = context.WithTimeoutCause(ctx, left, errTime)
		defer stop()
	}
	err := s.trySome(timed, settings, share, folds)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(timed), errTime) {
		return errTime
	}
	return err
}

func (s *search) trySome(ctx context.Context, settings []Setting, share int, folds []int) error {
	sample, part := share, 1
	if s.packed {
		sample, part = 1, share
	}
	f, err := s.read.folds(ctx, settings[0], sample)
	if err != nil {
		return err
	}
	var possible []Setting
	var options []train.Options
	for _, v := range settings {
		o, err := v.Options(s.o.Base)
		if err == nil {
			o, err = f.Resolve(o)
		}
		if err != nil {
			s.impossible[v] = true
			continue
		}
		o.NamesLimit, o.Checkpoint, o.Progress, o.Review = 0, train.Checkpoint{}, nil, nil
		possible, options = append(possible, v), append(options, o)
	}
	if len(possible) == 0 {
		return nil
	}
	threads := ordered.Threads(s.o.Base.Threads)
	workers := min(threads, len(folds))
	for i := range options {
		options[i].Threads = max(1, threads/workers)
	}
	var failed error
	err = f.Try(ctx, options, train.Plan{Folds: folds, Share: part, Workers: workers, Size: true, Speed: s.o.MinSpeed > 0}, func(t train.Trial) {
		r := Result{
			Setting: possible[t.Setting], Share: share, Fold: t.Fold, Documents: t.Report.N, Bytes: t.Bytes, Speed: t.Speed, Metrics: map[string]float64{},
			Seconds: t.Took.Seconds(),
		}
		defined := false
		for name, value := range t.Report.Values() {
			if name == s.o.Metric {
				defined = value != nil
			}
			if value != nil && !math.IsNaN(*value) && !math.IsInf(*value, 0) {
				r.Metrics[name] = *value
			}
		}
		if !defined { // the model has no probabilities, say
			s.impossible[r.Setting] = true
		} else if err := s.add(r); err != nil && failed == nil {
			failed = err
		}
	})
	if err != nil && ctx.Err() == nil && f.Dataset().Ready() { // nbsvm can't take negative values, for one
		if len(possible) == 1 {
			s.impossible[possible[0]], s.refused = true, err
			return nil
		}
		for _, v := range possible {
			if err := s.trySome(ctx, []Setting{v}, share, folds); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.Join(err, failed)
}

// add keeps a result.
func (s *search) add(r Result) error {
	s.known[key{r.Setting, r.Share, r.Fold}] = r
	if r.Share == 1 {
		s.seconds[r.Setting.Features] = max(s.seconds[r.Setting.Features], r.Seconds)
	}
	if err := s.log.add(r); err != nil {
		return err
	}
	if s.o.Progress != nil {
		p := Progress{Trials: len(s.order)}
		if all := s.complete(); len(all) > 0 {
			p.Best = all[0]
		}
		s.o.Progress(p)
	}
	return nil
}

// left is how much time there is for trying settings of some features, so that a model can be trained in the end.
func (s *search) left(features string) (time.Duration, bool) {
	if s.o.Time == 0 {
		return 0, false
	}
	if all := s.complete(); len(all) > 0 {
		features = all[0].Setting.Features
	}
	const more = 1.5 // documents than in a fold's training, and names of n-grams
	training := s.read.took[features] + time.Duration(more*s.seconds[features]*float64(time.Second))
	return s.o.Time - time.Since(s.begin) - training, true
}

// scores are those of a setting on folds, higher ones being better; fewer than folds if some are not known.
func (s *search) scores(v Setting, share int, folds []int) []float64 {
	var scores []float64
	for _, fold := range folds {
		if r, ok := s.known[key{v, share, fold}]; ok {
			score := r.Metrics[s.o.Metric]
			if slices.Contains(lower, s.o.Metric) {
				score = -score
			}
			scores = append(scores, score)
		}
	}
	return scores
}

// trial sums up what is known of a setting on some of the documents.
func (s *search) trial(v Setting, share int) *Trial {
	t := &Trial{Setting: v, Flags: v.Flags(), Share: share}
	for _, fold := range s.allFolds() {
		if r, ok := s.known[key{v, share, fold}]; ok {
			t.documents += r.Documents
			t.Bytes, t.Speed, t.Seconds = max(t.Bytes, r.Bytes), max(t.Speed, r.Speed), t.Seconds+r.Seconds
		}
	}
	t.Scores = s.scores(v, share, s.allFolds())
	t.Mean, t.SE = mean(t.Scores), standardError(t.Scores)
	if len(t.Scores) == 1 && t.documents > 0 && t.Mean >= 0 && t.Mean <= 1 {
		t.SE = math.Sqrt(t.Mean * (1 - t.Mean) / float64(t.documents)) // of a share of documents
	}
	return t
}

// complete are the settings that were tried on all folds and all documents, the best first.
func (s *search) complete() (all []*Trial) {
	for _, v := range s.order {
		if t := s.trial(v, 1); len(t.Scores) == s.folds && (s.o.MaxModel == 0 || t.Bytes <= s.o.MaxModel) && t.Speed >= s.o.MinSpeed {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *Trial) int { return cmp.Compare(b.Mean, a.Mean) })
	return all
}

// difference is by how much a setting is better than another on average, and its standard error.
func (s *search) difference(better, than *Trial) (d, se float64) {
	differences := make([]float64, len(better.Scores))
	for k := range differences {
		differences[k] = better.Scores[k] - than.Scores[k]
	}
	return mean(differences), standardError(differences)
}

// outcome chooses.
func (s *search) outcome(ended string) (*Outcome, error) {
	out := &Outcome{Metric: s.o.Metric, Folds: s.folds, Ended: ended, Trials: s.complete()}
	if len(out.Trials) == 0 {
		switch {
		case s.o.MinSpeed > 0 && len(s.known) > 0:
			return nil, fmt.Errorf("nbsvm: none of %d settings scores %.0f MB/s with a model of the size allowed: ask for less (--min-speed)", len(s.order), s.o.MinSpeed/1e6)
		case s.o.MaxModel > 0 && len(s.known) > 0:
			return nil, fmt.Errorf("nbsvm: none of %d settings has a model of at most %d bytes: allow more (--max-model)", len(s.order), s.o.MaxModel)
		}
		out.Trials = s.incomplete()
	}
	if len(out.Trials) == 0 {
		if ended == errTime.Error() {
			return nil, s.tooShort()
		}
		if s.refused != nil {
			return nil, s.refused
		}
		return nil, fmt.Errorf("nbsvm: none of %d settings can be compared by %s: take another metric (--metric)", len(s.order), s.o.Metric)
	}
	out.Best = out.Trials[0]
	out.Chosen, out.Why = s.choose(out.Trials)
	o, err := out.Chosen.Setting.Options(s.o.Base)
	out.Options = o
	if slices.Contains(lower, s.o.Metric) {
		for _, t := range out.Trials {
			t.Mean = -t.Mean
			for k := range t.Scores {
				t.Scores[k] = -t.Scores[k]
			}
		}
	}
	return out, err
}

func (s *search) tooShort() error {
	return fmt.Errorf("nbsvm: the time was up before one setting was tried: to read the documents and to train on them takes longer than %v: give more (--time)", s.o.Time)
}

// incomplete are the settings that were tried on most, where none was tried on all.
func (s *search) incomplete() (all []*Trial) {
	best := key{share: math.MaxInt}
	for k := range s.known {
		if k.share < best.share {
			best = k
		}
	}
	most := 0
	for _, v := range s.order {
		if t := s.trial(v, best.share); len(t.Scores) > 0 {
			all = append(all, t)
			most = max(most, len(t.Scores))
		}
	}
	all = slices.DeleteFunc(all, func(t *Trial) bool { return len(t.Scores) < most })
	slices.SortStableFunc(all, func(a, b *Trial) int { return cmp.Compare(b.Mean, a.Mean) })
	return all
}

// choose takes the simplest setting within one standard error of the best.
func (s *search) choose(trials []*Trial) (*Trial, string) {
	best := trials[0]
	chosen, by, within := best, 0.0, 0.0
	for _, t := range trials[1:] {
		d, se := s.difference(best, t)
		if len(best.Scores) == 1 {
			se = best.SE
		}
		if d <= se && t.Setting.simpler(chosen.Setting) {
			chosen, by, within = t, d, se
		}
	}
	switch {
	case chosen != best:
		return chosen, fmt.Sprintf("it is the simplest within one standard error of the best: %.4f below it, the standard error being %.4f", by, within)
	}
	return chosen, "it is the best, and none within one standard error of it is simpler"
}

// Command is the nbsvm train that makes the chosen model again, for a shell. The flags are those of options that were
// not searched.
func (o *Outcome) Command(flags, inputs []string, output string) string {
	words := slices.Concat([]string{"nbsvm", "train"}, o.Chosen.Flags, flags, []string{"-o", output}, inputs)
	for k, word := range words {
		if word == "" || strings.Trim(word, plainInShell) != "" {
			words[k] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plainInShell are the characters that mean themselves to a shell, wherever they stand.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%"

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// standardError is that of the mean; 0 for fewer than two values.
func standardError(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	m, sum := mean(values), 0.0
	for _, v := range values {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(len(values)-1) / float64(len(values)))
}
