package tune

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
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
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
	path := filepath.Join(t.TempDir(), "train.tsv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	in := corpus.Input{Paths: []string{path}}
	if multi {
		in.LabelSep = ","
	}
	return in
}

func options(trials int) Options {
	o := Options{Base: train.DefaultOptions(), Folds: 3, Trials: trials}
	o.Base.Text.Bits = 12
	return o
}

func mustSearch(t *testing.T, in corpus.Input, o Options) *Outcome {
	t.Helper()
	out, err := Search(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// resultsOf searches, and returns all results in the order in which they came.
func resultsOf(t *testing.T, in corpus.Input, o Options) (*Outcome, []result) {
	t.Helper()
	var results []result
	s, seen := newSearch(in, o), map[key]bool{}
	s.o.Progress = func(p Progress) {
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
	if err != nil {
		t.Fatal(err)
	}
	return out, results
}

// withoutTimes is an outcome without what differs from run to run.
func withoutTimes(out *Outcome) *Outcome {
	for _, trial := range out.Trials {
		trial.Seconds = 0
	}
	return out
}

// TestSameChoice: the number of trials decides, and nothing else.
func TestSameChoice(t *testing.T) {
	in := documents(t, 200, false)
	o := options(25)
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
	svm := filepath.Join(t.TempDir(), "train.svm")
	var text strings.Builder
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 90 {
		fmt.Fprintf(&text, "%d %d:1 %d:%d\n", i%2, 1+i%2+2*r.IntN(3), 7+r.IntN(5), 1+r.IntN(3))
	}
	if err := os.WriteFile(svm, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	negative := filepath.Join(t.TempDir(), "negative.svm")
	if err := os.WriteFile(negative, []byte(strings.ReplaceAll(text.String(), ":1 ", ":-1.5 ")), 0o600); err != nil {
		t.Fatal(err)
	}
	vw := filepath.Join(t.TempDir(), "train.vw")
	if err := os.WriteFile(vw, []byte(strings.Repeat("1 |a x y\n-1 |a z y:2\n", 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]corpus.Input{
		"several labels": documents(t, 150, true),
		"features":       {Paths: []string{svm}},
		"negative":       {Paths: []string{negative}}, // which some models can't take
		"vw":             {Paths: []string{vw}},
	} {
		t.Run(name, func(t *testing.T) {
			out := mustSearch(t, in, options(12))
			if name == "several labels" && out.Metric != "micro_f1" {
				t.Errorf("compared by %s", out.Metric)
			}
			if out.Chosen.Mean < 0.5 || strings.Contains(strings.Join(out.Chosen.Flags, " "), "--features") != (name == "several labels") {
				t.Errorf("chosen is %+v", out.Chosen)
			}
		})
	}
}

// TestMetrics: of some metrics less is better, and the outcome has them as they are.
func TestMetrics(t *testing.T) {
	in := documents(t, 150, false)
	o := options(6)
	o.Metric = "macro_f1"
	if out := mustSearch(t, in, o); out.Best.Mean <= 0 || out.Best.Mean > 1 {
		t.Errorf("best has %v", out.Best.Mean)
	}
	o.Metric = "log_loss"
	if out := mustSearch(t, in, o); out.Best.Mean <= 0 || out.Best.Mean > out.Trials[len(out.Trials)-1].Mean {
		t.Errorf("best has %v", out.Best.Mean)
	}
	o.Metric = "nothing"
	if _, err := Search(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), `no metric "nothing": use one of accuracy, macro-f1, `) {
		t.Errorf("error is %v", err)
	}
}

// TestValid: other documents in place of folds.
func TestValid(t *testing.T) {
	in := documents(t, 150, false)
	o := options(8)
	o.Valid = &in
	out := mustSearch(t, in, o)
	if out.Folds != 1 || len(out.Best.Scores) != 1 || out.Best.Mean < 0.9 { // they are those that were trained on
		t.Errorf("best is %+v", out.Best)
	}
}

// TestMaxModel: settings whose models are too large are left out.
func TestMaxModel(t *testing.T) {
	in := documents(t, 150, false)
	o := options(10)
	all := mustSearch(t, in, o)
	o.MaxModel = all.Trials[0].Bytes
	for _, trial := range all.Trials {
		o.MaxModel = min(o.MaxModel, trial.Bytes)
	}
	for _, trial := range mustSearch(t, in, o).Trials {
		if trial.Bytes > o.MaxModel {
			t.Errorf("a model of %d bytes, more than %d", trial.Bytes, o.MaxModel)
		}
	}
	o.MaxModel = 1
	if _, err := Search(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), "--max-model") {
		t.Errorf("error is %v", err)
	}
}

// TestTime: a search ends when its time is up, and before all it could try.
func TestTime(t *testing.T) {
	in := documents(t, 3000, false)
	o := options(0)
	o.Time = 300 * time.Millisecond
	out, err := Search(context.Background(), in, o)
	if err != nil && !strings.Contains(err.Error(), "--time") {
		t.Fatal(err)
	}
	if err == nil && out.Ended != errTime.Error() {
		t.Errorf("ended as %s", out.Ended)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Search(ctx, in, o); err == nil {
		t.Error("a search goes on after it was cancelled")
	}
}

// TestFlags: a setting is what its flags say, which the command checks, too.
func TestFlags(t *testing.T) {
	base := settingOf(train.DefaultOptions(), "word:1-2")
	settings := append(portfolio(base, false), portfolioOf(base, train.Kinds(), false)...)
	for _, s := range settings {
		if o, err := s.Options(train.DefaultOptions()); err != nil || settingOf(o, s.Features) != s {
			t.Errorf("%+v makes options of %+v, %v", s, settingOf(o, s.Features), err)
		}
		for _, flag := range s.Flags() {
			name := strings.TrimPrefix(strings.TrimPrefix(flag, "--"), "no-")
			if strings.HasPrefix(flag, "--") && slices.Contains(s.Kind.Ignores(), name) {
				t.Errorf("a setting of %s has %s, which has no effect", s.Kind, flag)
			}
		}
		if f := strings.Join(s.Flags(), " "); !strings.HasPrefix(f, "--features ") {
			t.Errorf("flags are %s", f)
		}
		for _, move := range moves {
			for _, v := range move(s, false) {
				if v == s || strings.Join(v.Flags(), " ") == strings.Join(s.Flags(), " ") {
					t.Errorf("%v becomes %v", s.Flags(), v.Flags())
				}
				if _, err := v.Options(train.DefaultOptions()); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestChoose: without the defaults, the simplest within one standard error of the difference is taken.
func TestChoose(t *testing.T) {
	base := settingOf(train.DefaultOptions(), "word:1-2,char-wb:2-5")
	of := func(features string, scores ...float64) *Trial {
		s := base
		s.Features = features
		return &Trial{Setting: s, Scores: scores, Mean: mean(scores)}
	}
	best := of("word:1-2,char-wb:2-5", 0.9, 0.8, 0.7)
	for _, test := range []struct {
		other *Trial
		taken bool
	}{
		{of("word:1-2", 0.9, 0.79, 0.7), true},             // d .0033, se .0033
		{of("word:1-2", 0.89, 0.79, 0.69), false},          // always worse
		{of("word:1-2,char-wb:1-6", 0.9, 0.8, 0.7), false}, // as good, but not simpler
	} {
		chosen, why := choose([]*Trial{best, test.other}, nil)
		if (chosen == test.other) != test.taken {
			t.Errorf("%v is chosen: %s", chosen.Setting.Features, why)
		}
	}
}

// TestChooseDefaults: the defaults stay unless the best setting is better by more than a standard error, and what is
// taken for being simple is no worse than they are.
func TestChooseDefaults(t *testing.T) {
	base := settingOf(train.DefaultOptions(), "")
	of := func(features string, scores ...float64) *Trial {
		s := base
		s.Features = features
		return &Trial{Setting: s, Scores: scores, Mean: mean(scores)}
	}
	const most, less, least = "word:1-3,char:2-5", "word:1-2", "word:1-1"
	for name, test := range map[string]struct {
		best, usual, simple *Trial
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
		trials := []*Trial{test.best}
		if test.usual == nil {
			test.usual = test.best
		} else {
			trials = append(trials, test.usual)
		}
		test.best.SE = 0.01
		chosen, why := choose(append(trials, test.simple), test.usual)
		if chosen.Setting.Features != test.want || (why == "the defaults are the best setting") != (test.usual == test.best) {
			t.Errorf("%s: %s is chosen, want %s: %s", name, chosen.Setting.Features, test.want, why)
		}
	}
}

// usualOfThree are the defaults for a little text of three classes.
func usualOfThree() Setting {
	usual := settingOf(train.DefaultOptions(), "word:1-2,char:2-5")
	usual.Beta = 1
	return usual
}

// TestTriesDefaults: the search begins with what train takes, and tries it on all folds whatever comes of a part.
func TestTriesDefaults(t *testing.T) {
	defer func(was sample) { firstSample = was }(firstSample)
	firstSample = sample{8 << 10, 100}
	in, o := documents(t, 1500, false), options(30)
	out, results := resultsOf(t, in, o)
	usual := usualOfThree()
	if results[0].Setting != usual {
		t.Errorf("the search begins with %+v, want %+v", results[0].Setting, usual)
	}
	if first := results[slices.IndexFunc(results, func(r result) bool { return r.Share == 1 })]; first.Setting != usual {
		t.Errorf("of all documents, the search begins with %+v", first.Setting)
	}
	if !slices.ContainsFunc(out.Trials, func(trial *Trial) bool { return trial.Setting == usual && len(trial.Scores) >= 3 }) {
		t.Error("the defaults were not tried on all folds")
	}
	firstSample = sample{1 << 30, 1 << 30}
	out = mustSearch(t, in, o)
	if !slices.ContainsFunc(out.Trials, func(trial *Trial) bool {
		return trial.Setting.Features == usual.Features && trial.Setting.Values == train.TFIDF
	}) {
		t.Error("the n-grams of the defaults were not tried with tf-idf")
	}
}

// TestFinalists: the best settings and the defaults are compared on the folds of further splits, if there is a better one
// than the defaults; they come before the others, and one of them is chosen.
func TestFinalists(t *testing.T) {
	in, o := documents(t, 1500, false), options(12)
	out := mustSearch(t, in, o)
	finalists := slices.IndexFunc(out.Trials, func(trial *Trial) bool { return len(trial.Scores) == o.Folds })
	if finalists < 2 || finalists > mostFinalists {
		t.Fatalf("%d finalists", finalists)
	}
	if !slices.ContainsFunc(out.Trials[:finalists], func(trial *Trial) bool { return trial.Setting == usualOfThree() }) {
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
	settings := make([]train.Options, 1)
	var err error
	if settings[0], err = out.Chosen.Setting.Options(train.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	for split := range 1 + furtherSplits { // they are those of cross-validation with other seeds, but for n-grams of other buckets
		settings[0].Seed = 1 + uint64(split)
		cv, err := train.CrossValidate(t.Context(), in, settings, o.Folds, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, trial := range cv[0].Trials {
			if got := out.Chosen.Scores[split*o.Folds+k]; math.Abs(got-trial.Report.Accuracy) > 0.02 {
				t.Errorf("split %d, fold %d: %v, cross-validation has %v", split, k, got, trial.Report.Accuracy)
			}
		}
	}
}

// TestSample: of many documents, a part is tried first.
func TestSample(t *testing.T) {
	defer func(was sample) { firstSample = was }(firstSample)
	firstSample = sample{8 << 10, 100}
	in := documents(t, 1500, false)
	o := options(30)
	out, results := resultsOf(t, in, o)
	shares := map[int]int{}
	for _, r := range results {
		shares[r.Share]++
		if want := 1500 / r.Share / 3; r.Documents < want/2 || r.Documents > 2*want {
			t.Fatalf("one in %d documents: a fold of %d, want about %d", r.Share, r.Documents, want)
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

// TestSampleMaxModel: where the settings that do best on a part of the documents have too large models on all of them,
// the one with the smallest is tried.
func TestSampleMaxModel(t *testing.T) {
	defer func(was sample) { firstSample = was }(firstSample)
	firstSample = sample{8 << 10, 100}
	in, o := documents(t, 1500, false), options(30)
	o.MaxModel = 4500 // one setting with single words has 2880 bytes, and is the worst of a sample
	if out := mustSearch(t, in, o); out.Best.Share != 1 || out.Best.Bytes > o.MaxModel {
		t.Errorf("best is %+v", out.Best)
	}
	o.MaxModel = 2000
	want := "within --max-model (2.0 KiB); the smallest had 2.8 KiB (--features word:1-1 --values tfidf --sublinear-tf --model svm)"
	if _, err := Search(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v", err)
	}
}

// TestReadAgain: a search that keeps no more than what was read last comes to the same outcome.
func TestReadAgain(t *testing.T) {
	in, o := documents(t, 300, false), options(14)
	want := withoutTimes(mustSearch(t, in, o))
	defer func(was int64) { mostEntries = was }(mostEntries)
	mostEntries = 1
	if got := withoutTimes(mustSearch(t, in, o)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestModels: a search of some kinds of model tries no other, begins with all of them, and changes what they take.
func TestModels(t *testing.T) {
	kinds := train.Kinds()
	base := settingOf(train.DefaultOptions(), "word:1-2")
	for _, kind := range kinds {
		begin := portfolioOf(base, []train.Kind{kind}, false)
		if len(begin) < 5 {
			t.Errorf("%s: the search begins with %d settings", kind, len(begin))
		}
		changed := map[string]bool{}
		for _, v := range append(moveC(begin[0], false), moveForm(begin[0], false)...) {
			if begin[0].Kind != kind {
				t.Errorf("a search of %s begins with %s", kind, begin[0].Kind)
			}
			for name, differs := range map[string]bool{
				"C": v.C != begin[0].C, "alpha": v.Alpha != begin[0].Alpha, "gamma": v.Gamma != begin[0].Gamma,
				"max-epochs":        v.Epochs != begin[0].Epochs,
				"rounds":            v.Trees.Rounds != begin[0].Trees.Rounds,
				"depth":             v.Trees.Depth != begin[0].Trees.Depth,
				"rate":              v.Trees.Rate != begin[0].Trees.Rate,
				"normalize-weights": v.NormalizeWeights != begin[0].NormalizeWeights,
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
	for _, some := range [][]train.Kind{
		{train.GBDT},
		{train.Rocchio},
		{train.PassiveAggressive, train.Complement},
		{train.Perceptron},
		{train.Logistic, train.Multinomial},
	} {
		o := options(30)
		o.Kinds = some
		out := mustSearch(t, in, o)
		tried := map[train.Kind]bool{}
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
		if got, err := best.Options(o.Base); err != nil || settingOf(got, best.Features) != best {
			t.Errorf("%+v makes options of %+v, %v", best, settingOf(got, best.Features), err)
		}
	}
	o := options(5)
	o.Base.Kind, o.Base.MaxEpochs = train.Perceptron, 4
	if out := mustSearch(t, in, o); out.Best.Setting.Kind != train.Perceptron {
		t.Errorf("a search from a perceptron ends at %s", out.Best.Setting.Kind)
	}
	o.Kinds = []train.Kind{"forest"}
	if _, err := Search(context.Background(), in, o); err == nil || !strings.Contains(err.Error(), `unknown model "forest"`) {
		t.Errorf("a search of forests: %v", err)
	}
}

// TestWrongLimits: negative limits are refused, and an empty list of kinds is none.
func TestWrongLimits(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"time must be 0":      func(o *Options) { o.Time = -1 },
		"trials must be 0":    func(o *Options) { o.Trials = -1 },
		"max-model must be 0": func(o *Options) { o.MaxModel = -1 },
		"min-speed must be 0": func(o *Options) { o.MinSpeed = -1 },
	} {
		o := options(1)
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := options(1)
	o.Kinds = []train.Kind{}
	mustSearch(t, documents(t, 100, false), o)
}

// TestTimeIsUsed: a search goes on until there is time for nothing but the final training, also where it keeps some for
// finalists and then has none, or few.
func TestTimeIsUsed(t *testing.T) {
	o := options(0)
	o.Time = 4 * time.Second
	in := documents(t, 3000, false)
	begin := time.Now()
	out, err := Search(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	if _, _, err := train.Train(t.Context(), in.Again(), out.Options); err != nil {
		t.Fatal(err)
	}
	training := time.Since(begin) - took
	if out.Ended != errTime.Error() {
		t.Errorf("it ended after %v because %s", took, out.Ended)
	} else if took+4*training < o.Time*3/4 {
		t.Errorf("of %v, %v were used, the final training takes %v, and it ended because %s", o.Time, took, training, out.Ended)
	}
}

// TestTimeForTraining: what is kept for the final training is what the best setting takes, not another that has the same
// n-grams.
func TestTimeForTraining(t *testing.T) {
	best, slow := Setting{Features: "word:1-2", Kind: train.SVM}, Setting{Features: "word:1-2", Kind: train.GBDT}
	s := &search{
		o: Options{Time: time.Hour, Metric: "accuracy", Valid: &corpus.Input{}}, folds: 2, begin: time.Now(), usual: best, order: []Setting{best, slow},
		known: map[key]result{}, seconds: map[string]float64{}, read: &reader{took: map[string]time.Duration{"word:1-2": time.Minute}},
	}
	for fold := range 2 {
		for _, r := range []result{{Setting: best, Seconds: 100}, {Setting: slow, Seconds: 1000}} {
			r.Share, r.Fold, r.Metrics = 1, fold, map[string]float64{"accuracy": 1 / r.Seconds}
			s.add(r)
		}
	}
	if left, want := s.left("word:1-2").Round(time.Second), time.Hour-time.Minute-150*time.Second; left != want {
		t.Errorf("%v are left, want %v", left, want)
	}
}

// TestUnbalanced: a search whose base has balanced classes also tries without.
func TestUnbalanced(t *testing.T) {
	o := options(60)
	o.Base.ClassWeight = train.ClassWeight{Balanced: true}
	with, without := o.Base, o.Base
	without.ClassWeight = train.ClassWeight{}
	for _, want := range []train.Options{with, without} {
		s := settingOf(want, "word:1-2")
		if got, err := s.Options(o.Base); err != nil || got.ClassWeight.Balanced != want.ClassWeight.Balanced {
			t.Errorf("the setting with balanced classes %v makes options with %v: %v", s.Balanced, got.ClassWeight.Balanced, err)
		}
	}
	o.Base.ClassWeight = train.ClassWeight{Weights: map[string]float64{"a": 2}}
	if got, err := settingOf(o.Base, "word:1-2").Options(o.Base); err != nil || len(got.ClassWeight.Weights) != 1 {
		t.Errorf("weights of classes are lost: %+v, %v", got.ClassWeight, err)
	}
}
