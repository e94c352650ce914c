package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// key is a setting on one fold; one in share of the documents was trained on.
type key struct {
	setting     TuneSetting
	share, fold int
}

// result is what came of it.
type result struct {
	key
	documents int     // that were evaluated
	score     float64 // by the metric: higher is better
	bytes     int64   // of the model
	speed     float64 // of scoring, in bytes of text a second; 0 where it was not measured
	seconds   float64 // about how long it took
}

type search struct {
	o          TuneOptions
	in         corpus.Input
	base       TuneSetting // what settings to begin with differ from
	usual      TuneSetting // what train takes by default
	kinds      []Kind      // of models that are searched; nil for those of portfolio
	task       string      // see dataset.Classes
	packed     bool        // documents come from a packed corpus
	folds      int
	grouped    int // documents with near-duplicates, all in the same fold
	divided    int // and of those in several
	known      map[key]result
	order      []TuneSetting // in which they were first tried
	impossible map[TuneSetting]bool
	onAll      map[TuneSetting]bool // tried on all documents, if not on all folds
	read       *reader
	first      sample
	refused    error // the last of settings that are impossible
	begin      time.Time
	seconds    map[string]float64 // to try a setting on one fold of all documents, about, by n-grams
	confirming bool               // the search is over, but for the finalists
	spare      time.Duration      // that the finalists may take of the time left
	splits     int                // further ones, on all folds of which the finalists were tried
}

var (
	errTime   = errors.New("the time is up, but for the final training")
	errTrials = errors.New("all trials are used")
)

// Tune searches for the options whose models cross-validate best. It reads the input more than once, so that the
// documents must be in files or in memory (corpus.Input.Documents), not in corpus.Input.Stdin. Train on the Options of
// the outcome afterwards.
func Tune(ctx context.Context, in corpus.Input, o TuneOptions) (*TuneOutcome, error) {
	if o.Base.From != nil {
		return nil, errOnlyTrain
	}
	return newSearch(in, o).run(ctx)
}

func newSearch(in corpus.Input, o TuneOptions) *search {
	if o.Folds == 0 {
		o.Folds = defaultFolds
	}
	o.Base = o.Base.forKind()
	s := &search{
		o: o, in: in, folds: o.Folds, known: map[key]result{}, impossible: map[TuneSetting]bool{},
		onAll: map[TuneSetting]bool{},
		first: firstSample, begin: time.Now(), seconds: map[string]float64{},
	}
	s.read = newReader(in, &s.o)
	return s
}

func (s *search) run(ctx context.Context) (out *TuneOutcome, err error) {
	defer func() { err = errors.Join(err, s.read.close()) }()
	if s.in.ReadsStdin() {
		return nil, errors.New("nbsvm: a search reads the documents several times: give files, not standard input")
	}
	if kinds := s.o.Kinds; len(kinds) > 0 && kinds[0].Numbers() != s.o.Base.Kind.Numbers() {
		s.o.Base.Kind, s.o.Base.Loss = kinds[0], ""
	}
	for _, kind := range append(slices.Clone(s.o.Kinds), s.o.Base.Kind) { // the first is that which was asked for
		if err := kind.checkLabels(s.in); err != nil {
			return nil, err
		}
	}
	if err := s.checkMetric(); err != nil {
		return nil, err
	}
	if err := s.o.Validate(); err != nil {
		return nil, err
	}
	switch {
	case len(s.o.Kinds) > 0:
		s.kinds = s.o.Kinds
	case !s.o.Base.Kind.Solved() || s.o.Base.Kind.Numbers():
		s.kinds = []Kind{s.o.Base.Kind}
	}
	if err := s.start(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = s.tooShort()
		}
		return nil, err
	}
	ended, err := s.rounds(ctx)
	if err != nil {
		return nil, err
	}
	return s.outcome(ended)
}

// rounds searches, tries the finalists, and goes on with the search for as long as there is time that these have left.
// It returns why the search ended.
func (s *search) rounds(ctx context.Context) (ended string, err error) {
	for halved := false; ; {
		// What is known of the first split decides, as if there had been no round before, and is not tried again.
		before, splits := len(s.known), s.splits
		s.splits, s.confirming = 0, false
		clear(s.onAll)
		s.spare = (s.o.Time - time.Since(s.begin)) / 4
		if !halved {
			err = s.halve(ctx)
			halved = err == nil
		}
		if err == nil {
			err = s.refine(ctx)
		}
		timed := errors.Is(err, errTime)
		switch {
		case err == nil:
			ended = "nothing is left to try"
		case timed || errors.Is(err, errTrials):
			ended, err = err.Error(), nil
		default:
			return "", err
		}
		if err = s.confirm(ctx); errors.Is(err, errTime) {
			// Finalists of the round before stand if these were not all tried.
			s.splits, err = max(s.splits, splits), nil
		}
		if err != nil || !timed || len(s.known) == before {
			return ended, err
		}
	}
}

// checkMetric refuses a metric that there is not.
func (s *search) checkMetric() error {
	s.o.Metric = strings.ReplaceAll(s.o.Metric, "-", "_")
	var names []string
	var r metrics.Report
	if s.o.Base.Kind.Numbers() {
		r.Regression = &metrics.RegressionReport{}
	}
	if s.o.Base.Hierarchy != "" {
		var some metrics.PathCounts
		some.Add(1, 1, 1)
		r.AddPaths(&some)
	}
	for name := range r.Values() {
		if name == s.o.Metric {
			return nil
		}
		names = append(names, name)
	}
	if s.o.Metric == "" {
		return nil
	}
	return fmt.Errorf("nbsvm: there is no metric %q: use one of %s",
		s.o.Metric, strings.ReplaceAll(strings.Join(names, ", "), "_", "-"))
}

// start reads the documents for the first time.
func (s *search) start(ctx context.Context) error {
	if s.o.Time > 0 {
		timed, stop := context.WithTimeoutCause(ctx, s.o.Time, errTime)
		defer stop()
		ctx = timed
	}
	paths := s.in.Paths
	if s.o.Valid != nil {
		paths = slices.Concat(paths, s.o.Valid.Paths)
	}
	for _, path := range paths { // they are read several times
		if err := osfile.CheckRegular(path); err != nil {
			return fmt.Errorf("nbsvm: %w", err)
		}
	}
	s.base = settingOf(s.o.Base, "") // n-grams that are automatic, or were packed
	first := s.base
	if _, isPacked, err := dataset.PackedPaths(s.in); err != nil {
		return err
	} else if !isPacked {
		first.Values = Count // settings may do without
	}
	f, err := s.read.folds(ctx, first, 1)
	if err != nil {
		return err
	}
	s.grouped, s.divided = f.parts.Grouped(f.tests)
	ds := f.ds
	if s.o.MinSpeed > 0 && !ds.HasTexts() {
		return errors.New("nbsvm: scoring speed is measured on texts, which packed corpora and ready-made features do not have: leave out TuneOptions.MinSpeed")
	}
	s.packed = ds.Path != ""
	if s.task = ds.Classes.Task(); s.o.Metric == "" {
		s.o.Metric = metrics.Main(s.task)
	}
	if s.o.Valid != nil {
		s.folds = 1
	}
	s.usual = s.base
	if o, err := f.Choose(ctx, s.o.Base); err == nil {
		s.base.Kind, s.base.Normalize = o.Kind, o.Normalize
		if !s.base.Values.counted() {
			s.base.Values = s.base.presence()
		}
		s.usual = s.base
		s.usual.MinDF = o.MinDF
	}
	if !s.packed && !ds.Ready() { // others can't be read in another way
		s.base.Ngrams, s.usual.Ngrams = "word:1-2", s.read.fixNgrams(f)
	}
	return nil
}

// try trains with settings on folds, where this was not done before. As a model starts from the solution of the one
// before, all settings are tried again on folds where one is missing, so that results do not depend on which were tried
// before.
func (s *search) try(ctx context.Context, settings []TuneSetting, share int, folds []int) error {
	alike := map[reading][]TuneSetting{}
	var readings []reading
	admitted := s.admit(settings)
	for _, v := range admitted {
		r := v.reading(1)
		if alike[r] == nil {
			readings = append(readings, r)
		}
		alike[r] = append(alike[r], v)
		s.onAll[v] = s.onAll[v] || share == 1
	}
	for _, r := range readings {
		// So many folds are tried side by side that the work of a batch is not lost where the time ends it.
		for batch := range slices.Chunk(folds, max(1, par.Threads(s.o.Base.Threads))) {
			some := slices.DeleteFunc(slices.Clone(alike[r]), func(v TuneSetting) bool { return s.impossible[v] })
			missing := slices.DeleteFunc(slices.Clone(batch), func(fold int) bool {
				return !slices.ContainsFunc(some, func(v TuneSetting) bool { return len(s.scores(v, share, []int{fold})) == 0 })
			})
			if len(missing) == 0 {
				continue
			}
			if err := s.tryInTime(ctx, some, share, missing); err != nil {
				return err
			}
		}
	}
	if len(admitted) < len(settings) {
		return errTrials
	}
	return nil
}

// admit returns the settings that may be tried: as many different ones as there are trials.
func (s *search) admit(settings []TuneSetting) (some []TuneSetting) {
	for _, v := range settings {
		if !slices.Contains(s.order, v) {
			if s.o.Trials > 0 && len(s.order) >= s.o.Trials {
				continue
			}
			s.order = append(s.order, v)
		}
		some = append(some, v)
	}
	return some
}

// tryInTime tries settings of the same n-grams, until the time is up.
func (s *search) tryInTime(ctx context.Context, settings []TuneSetting, share int, folds []int) error {
	if s.o.Time == 0 {
		return s.trySome(ctx, settings, share, folds)
	}
	timed, stop := context.WithTimeoutCause(ctx, s.left(settings[0].Ngrams), errTime)
	defer stop()
	if timed.Err() != nil && ctx.Err() == nil {
		return errTime
	}
	err := s.trySome(timed, settings, share, folds)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(timed), errTime) {
		return errTime
	}
	return err
}

func (s *search) trySome(ctx context.Context, settings []TuneSetting, share int, folds []int) error {
	sample, part := share, 1
	if s.packed {
		sample, part = 1, share
	}
	f, err := s.read.folds(ctx, settings[0], sample)
	if err != nil {
		return err
	}
	var possible []TuneSetting
	threads := par.Threads(s.o.Base.Threads)
	workers := min(threads, len(folds))
	var candidates []candidate
	for _, v := range settings {
		o, err := v.Options(s.o.Base)
		o.NamesLimit, o.Progress, o.Review, o.Threads = 0, nil, nil, max(1, threads/workers)
		var c candidate
		if err == nil {
			c, err = f.Candidate(o)
		}
		if err != nil {
			s.impossible[v] = true
			continue
		}
		possible, candidates = append(possible, v), append(candidates, c)
	}
	if len(possible) == 0 {
		return nil
	}
	err = f.Try(ctx, candidates, foldPlan{Folds: folds, Share: part, Workers: workers, Warm: true, Size: true, Speed: true}, func(t foldTrial) {
		at := key{possible[t.Setting], share, t.Fold}
		for name, value := range t.Report.Values() {
			if name != s.o.Metric {
				continue
			}
			if value == nil { // the model has no probabilities, say
				s.impossible[at.setting] = true
				return
			}
			score := *value
			if slices.Contains(lower, name) {
				score = -score
			}
			s.add(result{at, t.Report.N, score, t.Bytes, t.Speed, (t.Train + t.Score).Seconds()})
		}
	})
	if err != nil && ctx.Err() == nil && f.ds.Ready() { // nbsvm can't take negative values, for one
		if len(possible) == 1 {
			s.impossible[possible[0]], s.refused = true, err
			return nil
		}
		for _, v := range possible {
			if err := s.trySome(ctx, []TuneSetting{v}, share, folds); err != nil {
				return err
			}
		}
		return nil
	}
	return err
}

// add keeps a result.
func (s *search) add(r result) {
	if _, known := s.known[r.key]; known {
		return // it was tried again for the sake of those after it
	}
	s.known[r.key] = r
	ngrams := r.setting.Ngrams
	s.seconds[ngrams] = max(s.seconds[ngrams], r.seconds*float64(r.share))
	if s.o.Progress != nil {
		p := TuneProgress{Trials: len(s.order)}
		if all := s.complete(); len(all) > 0 {
			p.Best = all[0]
		}
		s.o.Progress(p)
	}
}

// left returns how much time there is for trying settings of some n-grams, so that a model can be trained in the end.
func (s *search) left(ngrams string) time.Duration {
	once := 0.0
	if all := s.complete(); len(all) > 0 {
		// One of these is likely to be chosen. The defaults were tried first, so they started from nothing.
		ngrams = all[0].Setting.Ngrams
		for _, v := range []TuneSetting{all[0].Setting, s.usual} {
			if tried := len(s.scores(v, 1, s.allFolds())); tried > 0 {
				once = max(once, s.trial(v, 1).Seconds/float64(tried))
			}
		}
	} else {
		once = s.seconds[ngrams]
	}
	if once == 0 {
		for _, seconds := range s.seconds {
			once = max(once, seconds)
		}
	}
	const more = 1.5 // documents than in a fold's training, and names of n-grams
	training := s.read.took[ngrams] + time.Duration(more*once*float64(time.Second))
	return s.o.Time - time.Since(s.begin) - training - s.toConfirm(once)
}
