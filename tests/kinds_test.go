package tests

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// everyVariant are options that take different ways through the code.
func everyVariant() map[string]func(*nbsvm.Options) {
	return map[string]func(*nbsvm.Options){
		"default":    func(*nbsvm.Options) {},
		"interp":     func(o *nbsvm.Options) { o.Beta, o.Normalize = 0.25, false },
		"tfidf":      func(o *nbsvm.Options) { o.Values, o.Prenormalize = nbsvm.LogTFIDF, true },
		"min-df 1":   func(o *nbsvm.Options) { o.MinDF, o.Values = 1, nbsvm.Count },
		"calibrated": func(o *nbsvm.Options) { o.Calibrate = true },
		"logistic":   func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic },
		"perceptron": func(o *nbsvm.Options) { o.Kind, o.HoldOut = nbsvm.Perceptron, 0.2 },
		"pa":         func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.PassiveAggressive, nbsvm.TFIDF },
		"mnb":        func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Multinomial, nbsvm.Count },
		"cnb":        func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Complement, nbsvm.Count },
		"rocchio":    func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Rocchio, nbsvm.TFIDF },
		"gbdt": func(o *nbsvm.Options) {
			o.Kind, o.Trees.Rounds = nbsvm.GBDT, 10
		},
		"gbdt tfidf": func(o *nbsvm.Options) {
			o.Kind, o.Trees.Rounds, o.Values, o.Prenormalize = nbsvm.GBDT, 10, nbsvm.TFIDF, true
		},
		"knn":        func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.LogTFIDF },
		"knn counts": func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.Count },
		"bnb":        func(o *nbsvm.Options) { o.Kind = nbsvm.Bernoulli },
	}
}

// grownTrees are options that learn classes in a tree, of which there must be many.
var grownTrees = map[string]func(*nbsvm.Options){
	"nbsvm":    func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree },
	"svm":      func(o *nbsvm.Options) { o.Tree, o.Kind = nbsvm.AlwaysTree, nbsvm.SVM },
	"logistic": func(o *nbsvm.Options) { o.Tree, o.Kind, o.Calibrate = nbsvm.AlwaysTree, nbsvm.Logistic, true },
}

// eachSolution names one variant of each kind of solution: solved, with documents held out, counted, grown.
var eachSolution = []string{"default", "calibrated", "mnb", "gbdt"}

// variants are all of them or, with -short, one of each kind of solution.
func variants() map[string]func(*nbsvm.Options) {
	all := everyVariant()
	if testing.Short() {
		maps.DeleteFunc(all, func(name string, _ func(*nbsvm.Options)) bool { return !slices.Contains(eachSolution, name) })
	}
	return all
}

// kindCase is a model of some documents, of which every property must hold.
type kindCase struct {
	*testing.T
	s      shape
	o      nbsvm.Options
	c      *nbsvm.Classifier
	bytes  []byte             // of the model
	unseen []record           // documents that it was not trained on
	want   []nbsvm.Prediction // of them, one by one
	corpus func(named bool, minDF int) string
}

// properties hold whatever the kind of model and the number of labels. What is of input alone is tried with one variant
// of each kind of solution.
var properties = []struct {
	name  string
	input bool
	holds func(k *kindCase)
}{
	{"threads do not matter", false, func(k *kindCase) {
		for _, threads := range []int{1, 5} {
			k.o.Threads = threads
			k.same(k.s.input(), fmt.Sprint(threads, " threads"))
		}
	}},
	{"files do not matter", true, func(k *kindCase) {
		in, data := k.s.input(), tsv(k.s.records())
		in.Stdin = nil
		for i := range 7 {
			lo, hi := lineStart(data, i*len(data)/7), lineStart(data, (i+1)*len(data)/7)
			in.Paths = append(in.Paths, writeFile(k, fmt.Sprintf("%d.tsv", i), data[lo:hi]))
		}
		k.same(in, "7 files")
	}},
	{"documents in memory are a file of them", true, func(k *kindCase) {
		in := documents(k.s.records())
		in.LabelSep = k.s.input().LabelSep
		k.same(in, "documents in memory")
	}},
	// Of packed corpora also for a higher min-df than was packed.
	{"a packed corpus is its text", false, func(k *kindCase) {
		k.same(packedFile(k.corpus(true, 1)), "a corpus with names")
		k.o.NamesLimit = 0
		c, _ := mustTrain(k, k.s.input(), k.o)
		k.bytes = encode(k, c)
		k.same(packedFile(k.corpus(false, 1)), "a corpus without names")
		if k.s.own == 0 { // else documents that are held out may have n-grams that no other has
			k.same(packedFile(k.corpus(false, k.o.MinDF)), "a corpus of frequent n-grams")
		}
	}},
	{"opened again it is the same", false, func(k *kindCase) {
		path := filepath.Join(k.TempDir(), "model.nbm")
		must.OK(k, k.c.Save(path))
		opened, err := nbsvm.Open(path)
		must.OK(k, err)
		if !bytes.Equal(encode(k, opened), k.bytes) {
			k.Error("it writes other bytes")
		}
		scorer := newScorer(k, opened)
		for i, d := range k.unseen {
			if p := predict(k, scorer, d.text); !reflect.DeepEqual(p, k.want[i]) {
				k.Fatalf("%+v, and reopened %+v", k.want[i], p)
			}
		}
		if !reflect.DeepEqual(strongest(k, k.c, 5), strongest(k, opened, 5)) {
			k.Error("other explanations")
		}
		must.OK(k, opened.Close())
	}},
	{"all ways of scoring agree", false, func(k *kindCase) {
		var rows []byte
		for i := range k.want {
			rows = render(rows, nil, k.want[i:i+1])
		}
		in := func() corpus.Input {
			in := k.s.input()
			in.Stdin = bytes.NewReader(tsv(k.unseen))
			return in
		}
		for _, threads := range []int{1, 3} {
			var got bytes.Buffer
			stats, err := k.c.Score(k.Context(), in(), nbsvm.ScoreOptions{Threads: threads}, render, &got)
			must.OK(k, err)
			if stats.Documents != int64(len(k.unseen)) || stats.Bad != 0 || stats.Bytes == 0 {
				k.Errorf("stats %+v", stats)
			}
			if !bytes.Equal(got.Bytes(), rows) {
				k.Errorf("Score with %d threads and Predict differ", threads)
			}
		}
		evaluated, err := k.c.Evaluate(k.Context(), in(), nbsvm.ScoreOptions{Threads: 2})
		must.OK(k, err)
		if a, b := marshalled(k, k.report()), marshalled(k, evaluated); a != b {
			k.Errorf("Evaluate reports %s, predictions one by one %s", b, a)
		}
		ds := readAll(k, in(), &k.o)
		must.OK(k, score.PredictRows(k.Context(), inner(k, k.c), ds, ds.All(), 3, func(doc int, p *score.Prediction) {
			if !samePrediction((*nbsvm.Prediction)(p), &k.want[doc]) {
				k.Fatalf("document %d: from rows, as in cross-validation, %+v, and Predict says %+v", doc, *p, k.want[doc])
			}
		}))
	}},
	{"probabilities add up", false, func(k *kindCase) {
		for _, p := range k.want {
			sum := 0.0
			for _, score := range p.Scores {
				if sum += score; k.c.Probabilities() && !(score >= 0 && score <= 1) {
					k.Fatalf("%v are probabilities", p.Scores)
				}
			}
			if k.c.Probabilities() && !k.s.multi && !near(sum, 1, 1e-9) {
				k.Fatalf("probabilities add up to %v", sum)
			}
		}
	}},
	{"unknown n-grams are counted as explanations count them", false, func(k *kindCase) {
		texts := [][]byte{nil, []byte(" \n"), []byte("\xff\xfe")}
		for _, d := range k.unseen[:40] {
			texts = append(texts, []byte(d.text), []byte(d.text+" zyx \xff zyx wvu"))
		}
		checkUnknown(k, k.c, texts)
	}},
	{"explanations add up", false, func(k *kindCase) {
		scorer := newScorer(k, k.c)
		for i, d := range k.unseen[:100] {
			e, err := scorer.ExplainText([]byte(d.text))
			must.OK(k, err)
			sum := e.Bias
			for _, part := range e.Contributions {
				if sum += part.Margin; part.Name == "" {
					k.Fatalf("a contribution without name in %+v", e)
				}
			}
			if !near(sum, e.Margin, 1e-9) || e.Bias == 0 && math.Signbit(e.Bias) {
				k.Fatalf("margin %v, bias %v and contributions %v", e.Margin, e.Bias, sum)
			}
			top, err := scorer.ExplainTop([]byte(d.text), 3)
			must.OK(k, err)
			n := min(3, len(e.Contributions))
			if !slices.Equal(top.Contributions, e.Contributions[:n]) || top.Others != len(e.Contributions)-n || top.Unknown != e.Unknown {
				k.Fatalf("the largest are %+v of %+v", top, e)
			}
			sum = top.Bias + top.OthersMargin
			for _, part := range top.Contributions {
				sum += part.Margin
			}
			p, class := k.want[i], slices.Index(k.c.Labels(), e.Label)
			want := p.Margins[min(class, len(p.Margins)-1)]
			if len(p.Margins) == 1 && class == 0 {
				want = -want // the margin is that of the second class
			}
			if !near(sum, e.Margin, 1e-9) || e.Margin != want || e.Score != p.Scores[class] || !k.s.multi && p.Labels[0] != class {
				k.Fatalf("class %s: margin %v, score %v, the largest and others %v; predicted %+v", e.Label, e.Margin, e.Score, sum, p)
			}
		}
	}},
	{"goroutines may share it", false, func(k *kindCase) {
		var texts [][]byte
		for _, d := range k.unseen[:100] {
			texts = append(texts, []byte(d.text))
		}
		same := func(how string, n int, got nbsvm.Prediction) {
			if want := k.want[n]; fmt.Sprint(got.Labels, got.Scores, got.Margins) != fmt.Sprint(want.Labels, want.Scores, want.Margins) {
				k.Errorf("%s: text %d: %v, want %v", how, n, got, want)
			}
		}
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for n, text := range texts {
					p, err := k.c.Predict(text)
					if err != nil {
						k.Error(err)
					}
					same("Predict", n, p)
					label, score, err := k.c.Classify(string(text))
					want := best(k.c, &p, 2)
					if err != nil || label != k.c.Labels()[want[0]] || score != p.Scores[want[0]] {
						k.Errorf("Classify: text %d: class %s, score %v, %v; want class %d", n, label, score, err, want[0])
					}
					top, err := k.c.Top(string(text), 2)
					if err != nil || len(top) != 2 || top[0] != (nbsvm.LabelScore{Label: label, Score: score}) ||
						top[1] != (nbsvm.LabelScore{Label: k.c.Labels()[want[1]], Score: p.Scores[want[1]]}) {
						k.Errorf("Top: text %d: %v, %v; want %v", n, top, err, want)
					}
				}
			})
		}
		wait.Wait()
		for _, threads := range []int{1, 3, 0} {
			visits := make([]int, len(texts))
			err := inside.Classifier(k.c).PredictAll(k.Context(), texts, threads, nil, func(n int, p *score.Prediction) {
				visits[n]++
				same("PredictAll", n, nbsvm.Prediction(*p))
			})
			if err != nil || slices.Min(visits) != 1 || slices.Max(visits) != 1 {
				k.Errorf("%d threads: %v, visits %v", threads, err, visits)
			}
		}
		n := 0
		for scored, err := range k.c.Each(k.Context(), documentsOf(texts)) {
			if err != nil {
				k.Fatal(err)
			}
			same("Each", n, scored.Prediction)
			if label, score, err := k.c.Classify(string(texts[n])); err != nil || scored.LabelScore != (nbsvm.LabelScore{Label: label, Score: score}) || scored.ID != fmt.Sprint(n) {
				k.Errorf("Each: text %d: %+v, want %s %v", n, scored, label, score)
			}
			n++
		}
		if n != len(texts) {
			k.Errorf("Each: %d texts of %d", n, len(texts))
		}
	}},
	{"names of classes do not matter", false, func(k *kindCase) {
		if k.o.Calibrate || k.s.multi || k.s.classes > 5 || k.s.classes > 2 && (k.o.Kind.Online() || k.o.Kind == nbsvm.GBDT) {
			// Folds deal documents out class by class, the first of equal rivals is moved, a tree grows in their order, and
			// each output has samples of its own, by its number.
			return
		}
		names := map[string]string{"class00": "z", "class01": "b", "class02": "ä", "class03": "a", "class04": "y"}
		docs := k.s.records()
		for i := range docs {
			docs[i].label = names[docs[i].label]
		}
		if k.s.classes > 2 {
			k.o.Tol = 1e-7 // which says how far the order of outputs and rows may lead
			k.c, _ = mustTrain(k, k.s.input(), k.o)
		}
		renamed, _ := mustTrain(k, input(tsv(docs), corpus.TSV), k.o)
		if !slices.IsSorted(renamed.Labels()) {
			k.Fatalf("labels %q are not ascending", renamed.Labels())
		}
		a, b := newScorer(k, k.c), newScorer(k, renamed)
		for _, d := range docs {
			p, q := predict(k, a, d.text), predict(k, b, d.text)
			if k.s.classes == 2 { // the other one is positive
				// The ratio of tf-idf is made of rounded sums, a difference on one side.
				same := k.o.Values != nbsvm.TFIDF && k.o.Kind != nbsvm.Bernoulli
				if x, y := p.Margins[0], -q.Margins[0]; same && x != y || !near(x, y, 1e-4) || !near(p.Scores[0], q.Scores[1], 1e-3) {
					k.Fatalf("margin %v, scores %v, and with swapped classes %v, %v", x, p.Scores, -y, q.Scores)
				}
				continue
			}
			for n, label := range k.c.Labels() {
				if other := slices.Index(renamed.Labels(), names[label]); !near(p.Margins[n], q.Margins[other], 0.01) {
					k.Fatalf("class %s: margin %v, and when it is called %s, %v", label, p.Margins[n], names[label], q.Margins[other])
				}
			}
		}
	}},
}

// TestKinds: every property holds of models of every kind, of two classes, of several, and of several labels.
func TestKinds(t *testing.T) {
	shapes := agreementShapes()
	shapes["many"] = small.with(func(s *shape) { s.classes = 13 })
	shapes["many, multi-label"] = small.with(func(s *shape) { s.classes, s.multi = 13, true })
	for kind, s := range shapes {
		corpora := map[string]string{} // by how they are packed
		folder := t.TempDir()
		all := variants()
		if s.classes > 5 {
			all = grownTrees
		}
		for name, change := range all {
			s := s
			o := options(change)
			if o.NamesLimit = 100; o.Calibrate || o.HoldOut > 0 || s.multi {
				s.own = 20 // of packed corpora, near-duplicates that are not equal can't be found
			}
			k := kindCase{s: s, o: o, unseen: s.with(func(s *shape) { s.seed = 2 }).records()}
			k.corpus = func(named bool, minDF int) string {
				po := o.Pack()
				if po.Names = named; minDF > 0 {
					po.MinDF = minDF
				}
				how := fmt.Sprintf("%+v %d", po, s.own)
				if corpora[how] == "" {
					in := s.input() // from a file, as it is read twice
					in.Paths = []string{writeFile(t, "documents.tsv", tsv(s.records()))}
					corpora[how] = filepath.Join(folder, fmt.Sprint(len(corpora), ".nbc"))
					must.OK(t, os.Rename(pack(t, in, po, 0), corpora[how]))
				}
				return corpora[how]
			}
			k.c, _ = mustTrain(t, s.input(), o)
			if k.bytes = encode(t, k.c); k.c.Labels()[0] != "class00" || len(k.c.Labels()) != s.classes {
				t.Fatalf("labels %q", k.c.Labels())
			}
			if grown := inner(t, k.c).Tree() != nil; grown != (s.classes > 5) {
				t.Fatalf("%s of %d classes has a tree: %t", name, s.classes, grown)
			}
			scorer := newScorer(t, k.c)
			for _, d := range k.unseen {
				k.want = append(k.want, predict(t, scorer, d.text))
			}
			for _, property := range properties {
				if property.input && !slices.Contains(eachSolution, name) {
					continue
				}
				t.Run(strings.Join([]string{kind, name, property.name}, "/"), func(t *testing.T) {
					k := k
					k.T = t
					property.holds(&k)
				})
			}
		}
	}
}

// same wants an input to give the model of the case.
func (k *kindCase) same(in corpus.Input, how string) {
	k.Helper()
	got, _ := mustTrain(k, in, k.o)
	if !bytes.Equal(encode(k, got), k.bytes) {
		k.Errorf("%s: another model, made %s", how, modelOf(k, got).Meta.Made)
	}
}

// report is that of the predictions one by one.
func (k *kindCase) report() *metrics.Report {
	k.Helper()
	a := metrics.NewAccumulator(k.c.Labels(), k.c.MultiLabel())
	for i, d := range k.unseen {
		var labels, given []int32
		for n, label := range k.c.Labels() {
			if slices.Contains(strings.Split(d.label, ","), label) {
				labels = append(labels, int32(n))
			}
		}
		for _, n := range k.want[i].Labels {
			given = append(given, int32(n))
		}
		var probabilities []float64
		if k.c.Probabilities() {
			probabilities = k.want[i].Scores
		}
		must.OK(k, a.Add(labels, given, k.want[i].Scores, probabilities))
	}
	report, err := a.Report()
	must.OK(k, err)
	return report
}
