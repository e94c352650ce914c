package nbsvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// documents writes labelled documents, of which words tell the class three times in four.
func documents(t *testing.T, n int, multi bool) corpus.Input {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range n {
		class := r.IntN(3)
		label := fmt.Sprint("class", class)
		if multi && r.IntN(2) == 0 {
			label += ",more"
		}
		text.WriteString(label + "\t")
		for range 6 {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&text, "tell%d%d ", class, r.IntN(5))
			} else {
				fmt.Fprintf(&text, "word%d ", r.IntN(50))
			}
		}
		if strings.Contains(label, "more") {
			text.WriteString("extra")
		}
		text.WriteString("\n")
	}
	path := filepath.Join(t.TempDir(), "tsv")
	must.OK(t, os.WriteFile(path, []byte(text.String()), 0o600))
	in := corpus.Input{Paths: []string{path}}
	if multi {
		in.LabelSep = ","
	}
	return in
}

func searchOptions(trials int) TuneOptions {
	o := TuneOptions{Base: DefaultOptions(), Folds: 3, Trials: trials}
	o.Base.Text.Bits = 12
	return o
}

func mustSearch(t *testing.T, in corpus.Input, o TuneOptions) *TuneOutcome {
	t.Helper()
	out, err := Tune(context.Background(), in, o)
	must.OK(t, err)
	return out
}

// resultsOf searches, and returns all results in the order in which they came.
func resultsOf(t *testing.T, in corpus.Input, o TuneOptions) (*TuneOutcome, []result) {
	t.Helper()
	var results []result
	s, seen := newSearch(in, o), map[key]bool{}
	s.o.Progress = func(p TuneProgress) {
		if p.Trials == 0 {
			return // documents are being read
		}
		for k, r := range s.known {
			if !seen[k] {
				seen[k] = true
				results = append(results, r)
			}
		}
	}
	out, err := s.run(t.Context())
	must.OK(t, err)
	return out, results
}

// withoutTimes is an outcome without what differs from run to run.
func withoutTimes(out *TuneOutcome) *TuneOutcome {
	for _, trial := range out.Trials {
		trial.Seconds, trial.Speed, trial.Pareto = 0, 0, false
	}
	return out
}

// TestSameChoice: the number of trials decides, and nothing else.
func TestSameChoice(t *testing.T) {
	in := documents(t, 200, false)
	o := searchOptions(25)
	one := withoutTimes(mustSearch(t, in, o))
	o.Base.Threads = 1
	two := withoutTimes(mustSearch(t, in, o))
	two.Options.Threads = one.Options.Threads
	if !reflect.DeepEqual(one, two) {
		t.Errorf("with other threads, %+v and then %+v", one.Chosen, two.Chosen)
	}
	if one.Best.Mean < 0.8 || one.Ended != errTrials.Error() || len(one.Trials) == 0 || len(one.Trials) > 25 {
		t.Errorf("best %+v of %d trials, ended as %s", one.Best, len(one.Trials), one.Ended)
	}
}

// TestKinds: whatever documents there are, something is found.
func TestKinds(t *testing.T) {
	svm := filepath.Join(t.TempDir(), "svm")
	var text strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 90 {
		fmt.Fprintf(&text, "%d %d:1 %d:%d\n", i%2, 1+i%2+2*r.IntN(3), 7+r.IntN(5), 1+r.IntN(3))
	}
	must.OK(t, os.WriteFile(svm, []byte(text.String()), 0o600))
	negative := filepath.Join(t.TempDir(), "negative.svm")
	must.OK(t, os.WriteFile(negative, []byte(strings.ReplaceAll(text.String(), ":1 ", ":-1.5 ")), 0o600))
	for name, in := range map[string]corpus.Input{
		"several labels": documents(t, 150, true),
		"features":       {Paths: []string{svm}},
		"negative":       {Paths: []string{negative}}, // which some models can't take
	} {
		t.Run(name, func(t *testing.T) {
			o := searchOptions(12)
			if name == "features" {
				o.Metric = "log_loss" // of which less is better
			}
			out := mustSearch(t, in, o)
			if o.Metric != "" {
				if best, last := out.Best.Mean, out.Trials[len(out.Trials)-1].Mean; best <= 0 || best > last {
					t.Errorf("the best log loss is %v, another %v", best, last)
				}
				return
			}
			if name == "several labels" && out.Metric != "micro_f1" {
				t.Errorf("compared by %s", out.Metric)
			}
			if out.Chosen.Mean < 0.5 || strings.Contains(strings.Join(out.Chosen.Flags, " "), "--ngrams") != (name == "several labels") {
				t.Errorf("chosen is %+v", out.Chosen)
			}
		})
	}
}

// TestTime: a search ends when its time is up, before all it could try, and goes on until there is time for nothing but
// the final training.
func TestTime(t *testing.T) {
	must.SkipUnderRace(t)
	in := documents(t, 3000, false)
	o := searchOptions(0)
	o.Time = 300 * time.Millisecond
	out, err := Tune(context.Background(), in, o)
	if err != nil && !strings.Contains(err.Error(), "TuneOptions.Time") {
		t.Fatal(err)
	}
	if err == nil && out.Ended != errTime.Error() {
		t.Errorf("ended as %s", out.Ended)
	}
	begin := time.Now()
	if _, _, err := Train(t.Context(), in.Again(), DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	o.Time = max(1500*time.Millisecond, 20*time.Since(begin)) // on a busy machine
	begin = time.Now()
	out = mustSearch(t, in, o)
	took := time.Since(begin)
	if _, _, err := Train(t.Context(), in.Again(), out.Options); err != nil {
		t.Fatal(err)
	}
	if training := time.Since(begin) - took; out.Ended != errTime.Error() || took+4*training < o.Time*3/4 {
		t.Errorf("of %v, %v were used, the final training takes %v, and it ended because %s", o.Time, took, training, out.Ended)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tune(ctx, in, o); err == nil {
		t.Error("a search goes on after it was cancelled")
	}
}

// TestFlags: a setting is what its flags say, which the command checks, too.
func TestFlags(t *testing.T) {
	must.SkipUnderRace(t)
	base := settingOf(DefaultOptions(), "word:1-2")
	settings := append(portfolio(base, false), portfolioOf(base, Kinds(), false)...)
	for _, s := range settings {
		if o, err := s.Options(DefaultOptions()); err != nil || settingOf(o, s.Ngrams) != s {
			t.Errorf("%+v makes options of %+v, %v", s, settingOf(o, s.Ngrams), err)
		}
		for _, flag := range s.flags() {
			name := strings.TrimPrefix(strings.TrimPrefix(flag, "--"), "no-")
			if strings.HasPrefix(flag, "--") && slices.Contains(s.Kind.Ignores(), name) {
				t.Errorf("a setting of %s has %s, which has no effect", s.Kind, flag)
			}
		}
		if f := strings.Join(s.flags(), " "); !strings.HasPrefix(f, "--ngrams ") {
			t.Errorf("flags are %s", f)
		}
		for _, move := range moves {
			for _, v := range move(s, "binary") {
				if v == s || strings.Join(v.flags(), " ") == strings.Join(s.flags(), " ") {
					t.Errorf("%v becomes %v", s.flags(), v.flags())
				}
				if _, err := v.Options(DefaultOptions()); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestChoose: the defaults stay unless the best setting is better by more than a standard error, and what is
// taken for being simple is no worse than they are.
func TestChoose(t *testing.T) {
	base := settingOf(DefaultOptions(), "")
	of := func(features string, scores ...float64) *TuneTrial {
		s := base
		s.Ngrams = features
		return &TuneTrial{Setting: s, Scores: scores, Mean: xmath.Mean(scores)}
	}
	const most, less, least = "word:1-3,char:2-5", "word:1-2", "word:1-1"
	for name, test := range map[string]struct {
		best, usual, simple *TuneTrial
		want                string
	}{
		"best":                   {of(most, 0.9, 0.8, 0.7), of(less, 0.8, 0.7, 0.7), of(least, 0.5, 0.5, 0.5), most},
		"defaults by chance":     {of(most, 0.9, 0.8, 0.7), of(less, 0.9, 0.79, 0.7), of(least, 0.9, 0.79, 0.69), less},
		"defaults best":          {of(less, 0.9, 0.8, 0.7), nil, of(least, 0.9, 0.79, 0.7), less},
		"simple":                 {of(most, 0.9, 0.8, 0.7), of(less, 0.8, 0.7, 0.7), of(least, 0.9, 0.79, 0.7), least},
		"simple, worse":          {of(most, 0.9, 0.8, 0.7), of(less, 0.88, 0.78, 0.68), of(least, 0.97, 0.7, 0.66), most},
		"documents, no folds":    {of(most, 0.9), of(less, 0.895), of(least, 0.5), less},
		"documents, clear ahead": {of(most, 0.9), of(less, 0.8), of(least, 0.5), most},
	} {
		trials := []*TuneTrial{test.best}
		if test.usual == nil {
			test.usual = test.best
		} else {
			trials = append(trials, test.usual)
		}
		test.best.SE = 0.01
		chosen, why := choose(append(trials, test.simple), test.usual)
		if chosen.Setting.Ngrams != test.want || (why == "the defaults are the best setting") != (test.usual == test.best) {
			t.Errorf("%s: %s is chosen, want %s: %s", name, chosen.Setting.Ngrams, test.want, why)
		}
	}
	// Without the defaults, the simplest within one standard error of the difference is taken.
	best := of(most, 0.9, 0.8, 0.7)
	for _, test := range []struct {
		other *TuneTrial
		taken bool
	}{
		{of(least, 0.9, 0.79, 0.7), true},               // d .0033, se .0033
		{of(least, 0.89, 0.79, 0.69), false},            // always worse
		{of("word:1-3,char:1-6", 0.9, 0.8, 0.7), false}, // as good, but not simpler
	} {
		if chosen, why := choose([]*TuneTrial{best, test.other}, nil); (chosen == test.other) != test.taken {
			t.Errorf("%v is chosen: %s", chosen.Setting.Ngrams, why)
		}
	}
}

// TestPareto marks trials of invented scores, sizes and speeds.
func TestPareto(t *testing.T) {
	of := func(bytes int64, speed float64, scores ...float64) *TuneTrial {
		return &TuneTrial{Scores: scores, Bytes: bytes, Speed: speed}
	}
	for _, test := range []struct {
		trials []*TuneTrial
		want   []bool
	}{
		{[]*TuneTrial{of(500, 100, 0.9, 0.9), of(400, 90, 0.8, 0.8), of(500, 126, 0.8, 0.8)}, []bool{true, true, true}},
		{[]*TuneTrial{of(500, 100, 0.9, 0.9), of(500, 124, 0.8, 0.8), of(501, 124, 0.9, 0.9)}, []bool{true, false, false}},
		{[]*TuneTrial{of(500, 100, 0.9, 0.9), of(500, 110, 0.9, 0.9), of(500, 79, 0.9, 0.9)}, []bool{true, true, false}},
		{[]*TuneTrial{of(500, 0, 0.9, 0.9, 0.1), of(500, 0, 0.8, 0.8), of(499, 0, 0.1, 0.1)}, []bool{true, false, true}},
	} {
		markPareto(test.trials)
		for k, trial := range test.trials {
			if trial.Pareto != test.want[k] {
				t.Errorf("%+v among %+v is marked %v", trial, test.trials[0], trial.Pareto)
			}
		}
	}
}

// usualOfThree are the defaults for a little text of three classes.
func usualOfThree() TuneSetting {
	return settingOf(DefaultOptions(), "word:1-2,char-wb:2-5")
}

// TestTriesDefaults: the search begins with what train takes, and tries it on all folds whatever comes of a part.
func TestTriesDefaults(t *testing.T) {
	must.SkipUnderRace(t)
	defer func(was sample) { firstSample = was }(firstSample)
	firstSample = sample{8 << 10, 100}
	in, o := documents(t, 1500, false), searchOptions(30)
	out, results := resultsOf(t, in, o)
	usual := usualOfThree()
	if results[0].setting != usual {
		t.Errorf("the search begins with %+v, want %+v", results[0].setting, usual)
	}
	if first := results[slices.IndexFunc(results, func(r result) bool { return r.share == 1 })]; first.setting != usual {
		t.Errorf("of all documents, the search begins with %+v", first.setting)
	}
	if !slices.ContainsFunc(out.Trials, func(trial *TuneTrial) bool { return trial.Setting == usual && len(trial.Scores) >= 3 }) {
		t.Error("the defaults were not tried on all folds")
	}
	firstSample = sample{1 << 30, 1 << 30}
	out = mustSearch(t, documents(t, 500, false), o)
	if !slices.ContainsFunc(out.Trials, func(trial *TuneTrial) bool {
		return trial.Setting.Ngrams == usual.Ngrams && trial.Setting.Values == LogTFIDF
	}) {
		t.Error("the n-grams of the defaults were not tried with tf-idf")
	}
}

// TestFinalists: the best settings and the defaults are compared on the folds of further splits, if there is a better
// one than the defaults; they come before the others, and one of them is chosen.
func TestFinalists(t *testing.T) {
	must.SkipUnderRace(t)
	in, o := documents(t, 1400, false), searchOptions(12)
	out := mustSearch(t, in, o)
	finalists := slices.IndexFunc(out.Trials, func(trial *TuneTrial) bool { return len(trial.Scores) == o.Folds })
	if finalists < 2 || finalists > mostFinalists {
		t.Fatalf("%d finalists", finalists)
	}
	if !slices.ContainsFunc(out.Trials[:finalists], func(trial *TuneTrial) bool { return trial.Setting == usualOfThree() }) {
		t.Error("the defaults are no finalist")
	}
	for k, trial := range out.Trials {
		if want := o.Folds * (1 + furtherSplits); k < finalists && len(trial.Scores) != want {
			t.Errorf("a finalist has %d scores, want %d", len(trial.Scores), want)
		}
		if trial == out.Chosen && k >= finalists {
			t.Error("a setting is chosen that is no finalist")
		}
	}
	setting, err := out.Chosen.Setting.Options(DefaultOptions())
	must.OK(t, err)
	for split := range 1 + furtherSplits { // they are those of cross-validation with other seeds, but for n-grams of other buckets
		setting.Seed = 1 + uint64(split)
		cv, err := CrossValidate(t.Context(), in, setting, o.Folds)
		must.OK(t, err)
		for k, trial := range cv.Folds {
			if got := out.Chosen.Scores[split*o.Folds+k]; math.Abs(got-trial.Accuracy) > 0.02 {
				t.Errorf("split %d, fold %d: %v, cross-validation has %v", split, k, got, trial.Accuracy)
			}
		}
	}
}

// TestSample: of many documents, a part is tried first.
func TestSample(t *testing.T) {
	must.SkipUnderRace(t)
	defer func(was sample) { firstSample = was }(firstSample)
	firstSample = sample{8 << 10, 100}
	in := documents(t, 1500, false)
	o := searchOptions(30)
	out, results := resultsOf(t, in, o)
	shares := map[int]int{}
	for _, r := range results {
		shares[r.share]++
		if want := 1500 / r.share / 3; r.documents < want/2 || r.documents > 2*want {
			t.Fatalf("one in %d documents: a fold of %d, want about %d", r.share, r.documents, want)
		}
	}
	if len(shares) != 3 || shares[1] == 0 || out.Best.Share != 1 || len(out.Best.Scores) < 3 {
		t.Errorf("shares %v, best %+v", shares, out.Best)
	}
	o.Trials = 5 // only on a part
	if out := mustSearch(t, in, o); out.Best.Share < 2 || out.Best.SE <= 0 || len(out.Trials) != 5 {
		t.Errorf("best of few is %+v", out.Best)
	}
}

// TestTuneMaxModel: every setting has a model as small as is asked for.
func TestTuneMaxModel(t *testing.T) {
	must.SkipUnderRace(t)
	in, o := documents(t, 1500, false), searchOptions(6)
	o.Base.MaxModel = 6000
	out := mustSearch(t, in, o)
	for _, trial := range out.Trials {
		if trial.Bytes > o.Base.MaxModel || trial.Speed <= 0 {
			t.Errorf("%v: %d bytes, %g a second", trial.Flags, trial.Bytes, trial.Speed)
		}
	}
	if out.Options.MaxModel != o.Base.MaxModel || out.Best.Mean < 0.6 {
		t.Errorf("best is %+v", out.Best)
	}
	o.Kinds = []Kind{Multinomial}
	if _, err := Tune(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), "Options.MaxModel has no effect on model mnb") {
		t.Errorf("error is %v", err)
	}
}

// TestReadAgain: a search that keeps no more than what was read last comes to the same outcome.
func TestReadAgain(t *testing.T) {
	in, o := documents(t, 300, false), searchOptions(14)
	want := withoutTimes(mustSearch(t, in, o))
	defer func(was int64) { mostEntries = was }(mostEntries)
	mostEntries = 1
	if got := withoutTimes(mustSearch(t, in, o)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestModels: a search of some kinds of model tries no other, begins with all of them, and changes what they take.
func TestModels(t *testing.T) {
	must.SkipUnderRace(t)
	kinds := Kinds()
	base := settingOf(DefaultOptions(), "word:1-2")
	for _, kind := range kinds {
		begin := portfolioOf(base, []Kind{kind}, false)
		if len(begin) < 5 {
			t.Errorf("%s: the search begins with %d settings", kind, len(begin))
		}
		changed := map[string]bool{}
		for _, v := range slices.Concat(moveC(begin[0], "multiclass"), moveNeighbours(begin[0], "multiclass"), moveForm(begin[0], "multiclass")) {
			if begin[0].Kind != kind {
				t.Errorf("a search of %s begins with %s", kind, begin[0].Kind)
			}
			for name, differs := range map[string]bool{
				"C": v.C != begin[0].C, "alpha": v.Alpha != begin[0].Alpha,
				"max-epochs": v.Epochs != begin[0].Epochs,
				"rounds":     v.Trees.Rounds != begin[0].Trees.Rounds,
				"depth":      v.Trees.Depth != begin[0].Trees.Depth,
				"rate":       v.Trees.Rate != begin[0].Trees.Rate,
				"neighbours": v.Neighbours != begin[0].Neighbours,
			} {
				changed[name] = changed[name] || differs && v.Kind == kind
			}
		}
		for name, is := range changed {
			ignored := slices.Contains(kind.Ignores(), name) || name == "max-epochs" && !kind.Online()
			if is == ignored {
				t.Errorf("%s: %s is changed: %t, and of no effect: %t", kind, name, is, ignored)
			}
		}
	}
	in := documents(t, 200, false)
	for _, some := range [][]Kind{
		{GBDT},
		{Rocchio},
		{PassiveAggressive, Complement},
		{Perceptron},
		{Logistic, Multinomial},
	} {
		o := searchOptions(12)
		o.Kinds = some
		out := mustSearch(t, in, o)
		tried := map[Kind]bool{}
		for _, trial := range out.Trials {
			tried[trial.Setting.Kind] = true
		}
		for kind := range tried {
			if !slices.Contains(some, kind) {
				t.Errorf("a search of %v tries %s", some, kind)
			}
		}
		if len(tried) == 0 || out.Best.Mean < 0.6 {
			t.Errorf("a search of %v tries %v, the best is %+v", some, tried, out.Best)
		}
		best := out.Best.Setting
		if got, err := best.Options(o.Base); err != nil || settingOf(got, best.Ngrams) != best {
			t.Errorf("%+v makes options of %+v, %v", best, settingOf(got, best.Ngrams), err)
		}
	}
	o := searchOptions(5)
	o.Base.Kind, o.Base.MaxEpochs = Perceptron, 4
	if out := mustSearch(t, in, o); out.Best.Setting.Kind != Perceptron {
		t.Errorf("a search from a perceptron ends at %s", out.Best.Setting.Kind)
	}
	o.Kinds = []Kind{"forest"}
	if _, err := Tune(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), `unknown model "forest"`) {
		t.Errorf("a search of forests: %v", err)
	}
}

// TestTimeForTraining: what is kept for the final training is what the best setting takes, not another that has the
// same n-grams.
func TestTimeForTraining(t *testing.T) {
	best, slow := TuneSetting{Ngrams: "word:1-2", Kind: SVM}, TuneSetting{Ngrams: "word:1-2", Kind: GBDT}
	s := &search{
		o: TuneOptions{Time: time.Hour, Metric: "accuracy", Valid: &corpus.Input{}}, folds: 2, begin: time.Now(), usual: best, order: []TuneSetting{best, slow},
		known: map[key]result{}, seconds: map[string]float64{}, read: &reader{took: map[string]time.Duration{"word:1-2": time.Minute}},
	}
	for fold := range 2 {
		s.add(result{key: key{best, 1, fold}, score: 0.01, seconds: 100})
		s.add(result{key: key{slow, 1, fold}, score: 0.001, seconds: 1000})
	}
	if left, want := s.left("word:1-2").Round(time.Second), time.Hour-time.Minute-150*time.Second; left != want {
		t.Errorf("%v are left, want %v", left, want)
	}
}
