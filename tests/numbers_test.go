package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// numberKinds are the kinds of model that predict numbers.
var numberKinds = []nbsvm.Kind{nbsvm.NBSVR, nbsvm.SVR, nbsvm.Ridge, nbsvm.Ordinal}

// rated are documents of small with numbers for labels, of which the words tell a part: 0, 1 or 4, and up to 1 more.
func rated(s shape) []record {
	s.classes = 3
	docs, rng := s.records(), rand.New(rand.NewPCG(s.seed, 8))
	for i := range docs {
		class := int(docs[i].label[len("class0")] - '0')
		docs[i].label = fmt.Sprint([]float64{0, 1, 4}[class] + float64(rng.IntN(9))/8)
	}
	return docs
}

// ofNumbers are options for a kind and a loss.
func ofNumbers(kind nbsvm.Kind, loss string) nbsvm.Options {
	return options(func(o *nbsvm.Options) { o.Kind, o.Loss, o.MinDF = kind, loss, 1 })
}

// eachNumberModel runs a test for every kind and loss of models of numbers.
func eachNumberModel(t *testing.T, test func(t *testing.T, o nbsvm.Options)) {
	for _, kind := range numberKinds {
		losses := []string{"squared-epsilon-insensitive", "epsilon-insensitive", "logistic"}
		switch kind {
		case nbsvm.Ridge:
			losses = losses[:1]
		case nbsvm.Ordinal:
			losses = []string{"logistic", "hinge"}
		}
		for _, loss := range losses {
			t.Run(string(kind)+" "+loss, func(t *testing.T) { test(t, ofNumbers(kind, loss)) })
		}
	}
}

// scores are the numbers that a model predicts for documents.
func scores(t testing.TB, c *nbsvm.Classifier, docs []record) (all []float64) {
	s := newScorer(t, c)
	for _, d := range docs {
		all = append(all, predict(t, s, d.text).Scores[0])
	}
	return all
}

// TestNumbersWeights: a document of weight k is k documents, and one of weight 0 is absent.
func TestNumbersWeights(t *testing.T) {
	exactWeights(t)
	docs := rated(small.with(func(s *shape) { s.weights = true }))
	for i := 4; i < len(docs); i += 5 {
		docs[i].weight, docs[i].text, docs[i].label = 0, docs[i-1].text, "99" // which would be the largest number
	}
	eachNumberModel(t, func(t *testing.T, o nbsvm.Options) {
		o.Tol = 1e-8
		a, ra := mustTrain(t, weighted(docs), o)
		b, rb := mustTrain(t, input(tsv(repeated(docs)), corpus.TSV), o)
		if x, y := ra.Solution.Primal, rb.Solution.Primal; !near(x, y, exact) {
			t.Errorf("objective %v with weights, %v with repetition", x, y)
		}
		for k, x := range scores(t, a, docs) {
			if y := scores(t, b, docs[k:][:1])[0]; math.Abs(x-y) > 0.002 {
				t.Fatalf("document %d: %v with weights, %v with repetition", k, x, y)
			}
		}
	})
}

// TestNumbersSame: threads, a limit of memory, packing, where the documents are and how they are written change nothing.
func TestNumbersSame(t *testing.T) {
	docs := rated(small.with(func(s *shape) { s.weights = true }))
	eachNumberModel(t, func(t *testing.T, o nbsvm.Options) {
		o.NamesLimit = 0 // a packed corpus without names has none
		c, _ := mustTrain(t, weighted(docs), o)
		want := encode(t, c)
		in := weighted(docs)
		in.Numbers = true
		path := pack(t, in, o.Pack(), 0)
		var lines bytes.Buffer
		for _, d := range docs {
			fmt.Fprintf(&lines, "{\"text\":%q,\"label\":%s,\"weight\":%d}\n", d.text, d.label, d.weight)
		}
		asJSON := input(lines.Bytes(), corpus.JSONL)
		asJSON.WeightField = "weight"
		for name, test := range map[string]struct {
			in     corpus.Input
			change func(o *nbsvm.Options)
		}{
			"one thread": {weighted(docs), func(o *nbsvm.Options) { o.Threads = 1 }},
			"memory":     {weighted(docs), func(o *nbsvm.Options) { o.Memory = 64 << 20 }},
			"packed":     {corpus.Input{Paths: []string{path}}, func(*nbsvm.Options) {}},
			"JSON lines": {asJSON, func(*nbsvm.Options) {}},
			"in memory":  {documents(docs), func(*nbsvm.Options) {}},
		} {
			o := o
			test.change(&o)
			got, _ := mustTrain(t, test.in, o)
			if !bytes.Equal(encode(t, got), want) {
				t.Errorf("%s: another model", name)
			}
		}
	})
}

// TestNumbersUnit: numbers in another unit, from another zero, make the same model in that unit.
func TestNumbersUnit(t *testing.T) {
	docs := rated(small)
	const unit, zero = -40, 1000
	other := slices.Clone(docs)
	for i := range other {
		var x float64
		must.OK(t, json.Unmarshal([]byte(docs[i].label), &x))
		other[i].label = fmt.Sprint(unit*x + zero)
	}
	eachNumberModel(t, func(t *testing.T, o nbsvm.Options) {
		exactWeights(t)
		o.Tol = 1e-7
		if strings.Contains(o.Loss, "epsilon") && o.Kind != nbsvm.Ridge {
			o.Epsilon = 0.125
		}
		a, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
		o.Epsilon *= math.Abs(unit)
		b, _ := mustTrain(t, input(tsv(other), corpus.TSV), o)
		want, got := scores(t, a, docs), scores(t, b, docs)
		for k := range want {
			if x := float64(unit*want[k]) + zero; math.Abs(got[k]-x) > 0.2 {
				t.Fatalf("document %d: %v, want %v", k, got[k], x)
			}
		}
	})
}

// TestNumbersRatio: numbers 0 and 1 have the log-count ratio of two classes.
func TestNumbersRatio(t *testing.T) {
	docs := small.records()
	numbers := numbered(docs)
	o := options(func(o *nbsvm.Options) { o.MinDF = 1 })
	classes, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
	o.Kind = nbsvm.NBSVR
	of, _ := mustTrain(t, input(tsv(numbers), corpus.TSV), o)
	want, got := inside.Classifier(classes).Model().Ratio, inside.Classifier(of).Model().Ratio
	if got.Len() != want.Len() || want.Len() == 0 {
		t.Fatalf("%d ratios, want %d", got.Len(), want.Len())
	}
	for k := range want.Len() {
		if got.At(k) != want.At(k) {
			t.Fatalf("ratio %d: %v, want %v", k, got.At(k), want.At(k))
		}
	}
}

// TestNumbersRidge compares ridge regression with the solution of its normal equations.
func TestNumbersRidge(t *testing.T) {
	const rows, columns, c, bias = 40, 5, 0.7, 2
	rng := rand.New(rand.NewPCG(1, 9))
	x, y := make([][]float64, rows), make([]float64, rows)
	var lines strings.Builder
	var mean, square float64
	for i := range x {
		x[i] = make([]float64, columns+1)
		y[i] = 50 + 3*rng.NormFloat64()
		for j := range columns {
			x[i][j] = float64(float32(rng.NormFloat64() * float64(j+1)))
			y[i] += x[i][j] * float64(j-2)
		}
		x[i][columns] = bias
		fmt.Fprint(&lines, y[i])
		for j := range columns {
			fmt.Fprintf(&lines, " %d:%v", j+1, x[i][j])
		}
		lines.WriteByte('\n')
		mean += y[i] / rows
	}
	for i := range y {
		square += (y[i] - mean) * (y[i] - mean) / rows
	}
	deviation := math.Sqrt(square)
	// (I + 2C·XᵀX)·w = 2C·Xᵀt, with t the standardized numbers
	a := make([][]float64, columns+1)
	for j := range a {
		a[j] = make([]float64, columns+2)
		a[j][j] = 1
		for i := range x {
			for k := range columns + 1 {
				a[j][k] += 2 * c * x[i][j] * x[i][k]
			}
			a[j][columns+1] += 2 * c * x[i][j] * (y[i] - mean) / deviation
		}
	}
	w := solve(a)
	o := options(func(o *nbsvm.Options) {
		o.Kind, o.C, o.Bias, o.Normalize, o.Clip, o.Tol, o.MaxEpochs = nbsvm.Ridge, c, bias, false, false, 1e-12, 100_000
	})
	m, _ := mustTrain(t, as(corpus.SVMLight, lines.String()), o)
	s := newScorer(t, m)
	for i := range x {
		var features strings.Builder
		want := 0.0
		for j, v := range x[i] {
			if want += w[j] * v; j < columns {
				fmt.Fprintf(&features, "%d:%v ", j+1, v)
			}
		}
		want = mean + deviation*want
		p, err := s.PredictFeatures([]byte(features.String()))
		must.OK(t, err)
		if math.Abs(p.Scores[0]-want) > 1e-4 { // weights are stored in 32 bits
			t.Errorf("row %d: %v, want %v", i, p.Scores[0], want)
		}
	}
}

// numbered returns documents whose labels are the numbers of the classes.
func numbered(docs []record) []record {
	numbers := slices.Clone(docs)
	for i := range numbers {
		numbers[i].label = numbers[i].label[len(numbers[i].label)-1:]
	}
	return numbers
}

// TestOrdinal: of levels 0 and 1, an ordinal model predicts the probability that logistic regression has for 1. The
// prediction for more levels is their expectation.
func TestOrdinal(t *testing.T) {
	exactWeights(t)
	docs := small.records()
	numbers := numbered(docs)
	o := options(func(o *nbsvm.Options) { o.MinDF, o.Loss, o.Beta, o.Tol = 1, "logistic", 1, 1e-9 })
	classes, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
	o.Kind, o.Beta = nbsvm.Ordinal, 0
	of, _ := mustTrain(t, input(tsv(numbers), corpus.TSV), o)
	s := newScorer(t, classes)
	for k, x := range scores(t, of, docs) {
		if p := predict(t, s, docs[k].text).Scores[1]; math.Abs(p-x) > 1e-4 {
			t.Fatalf("document %d: %v, and logistic regression has %v", k, x, p)
		}
	}

	more := rated(small)
	c, _ := mustTrain(t, input(tsv(more), corpus.TSV), ofNumbers(nbsvm.Ordinal, ""))
	levels := inside.Classifier(c).Model().Meta.Levels
	s = newScorer(t, c)
	for _, d := range more[:20] {
		p := predict(t, s, d.text)
		above, want := 1.0, 0.0 // the probability that the level is this one or more
		for k, level := range levels.Numbers {
			next := 0.0
			if k < len(levels.Intercepts) {
				next = 1 / (1 + math.Exp(-p.Margins[0]-levels.Intercepts[k]))
			}
			want += level * (above - next)
			above = next
		}
		if math.Abs(p.Scores[0]-want) > 1e-9 {
			t.Errorf("%q: %v, want %v", d.text, p.Scores[0], want)
		}
	}
	if got, want := c.Levels(), levels.Numbers; !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	p := predict(t, s, more[0].text)
	mean := 0.0
	for k, q := range c.AppendLevels(nil, &p) {
		mean += q * levels.Numbers[k]
	}
	if !near(mean, p.Scores[0], 1e-9) {
		t.Errorf("the mean of the levels by their probabilities is %v, want %v", mean, p.Scores[0])
	}
	_, err := nbsvm.CrossValidate(t.Context(), as(corpus.TSV, "1\ta b\n1\tb c\n1\tc d\n2\td e\n"), ofNumbers(nbsvm.Ordinal, ""), 4)
	if want := "have the number 1 alone, and model ordinal with logistic loss takes two levels or more"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	for i := range more {
		more[i].label = fmt.Sprint(i)
	}
	_, _, err = nbsvm.Train(t.Context(), input(tsv(more), corpus.TSV), ofNumbers(nbsvm.Ordinal, ""))
	if want := "has 300 different numbers, and model ordinal takes 100 levels at most: use model nbsvr"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestOrdinalLevels: with hinge loss, the prediction for levels 0 and 1 is that of a support vector machine. For more
// levels it is one of them, which orders documents as the margin does, and is nearer to what is wanted than an
// expectation is.
func TestOrdinalLevels(t *testing.T) {
	exactWeights(t)
	docs := small.records()
	numbers := numbered(docs)
	o := options(func(o *nbsvm.Options) { o.MinDF, o.Loss, o.Beta, o.Tol = 1, "hinge", 1, 1e-9 })
	classes, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
	o.Kind, o.Beta, o.C = nbsvm.Ordinal, 0, 1
	of, _ := mustTrain(t, input(tsv(numbers), corpus.TSV), o)
	s := newScorer(t, classes)
	for k, x := range scores(t, of, docs) {
		p := predict(t, s, docs[k].text)
		if math.Abs(p.Margins[0]) > 1e-3 && float64(p.Labels[0]) != x {
			t.Fatalf("document %d: %v, and a support vector machine has %v", k, x, p.Labels[0])
		}
	}

	more := rated(small.with(func(s *shape) { s.docs = 600 }))
	for i := range more {
		var x float64
		must.OK(t, json.Unmarshal([]byte(more[i].label), &x))
		more[i].label = fmt.Sprint(math.Round(x))
	}
	errors := map[string]float64{}
	for _, loss := range []string{"hinge", "logistic"} {
		c, _ := mustTrain(t, input(tsv(more[:400]), corpus.TSV), ofNumbers(nbsvm.Ordinal, loss))
		if hinge := loss == "hinge"; hinge == (c.Levels() != nil) {
			t.Errorf("%s: levels with probabilities are %v", loss, c.Levels())
		}
		for k, x := range scores(t, c, more[400:]) {
			var want float64
			must.OK(t, json.Unmarshal([]byte(more[400+k].label), &want))
			errors[loss] += math.Abs(x - want)
			if loss == "hinge" && (x != math.Round(x) || x < 0 || x > 5) {
				t.Fatalf("document %d: %v is no level", k, x)
			}
		}
	}
	if errors["hinge"] >= errors["logistic"] {
		t.Errorf("absolute errors %v", errors)
	}
}

// TestSoftLabels: with logistic loss, a document with a number between the least and the largest is two copies, one of
// each, with the shares of the way as weights.
func TestSoftLabels(t *testing.T) {
	exactWeights(t)
	docs := rated(small.with(func(s *shape) { s.weights = true }))
	docs[0].label, docs[1].label = "0", "5"
	t.Run("of what there is", func(t *testing.T) { compareSoftLabels(t, docs, 0, 5, [2]float64{}) })
	t.Run("of a range", func(t *testing.T) { compareSoftLabels(t, docs, -1, 7, [2]float64{-1, 7}) })
}

// compareSoftLabels compares documents with numbers with copies that have the ends of their range.
func compareSoftLabels(t *testing.T, docs []record, least, most float64, limits [2]float64) {
	var soft, copies strings.Builder
	soft.WriteString("label,weight,text\n")
	copies.WriteString("label,weight,text\n")
	for _, d := range docs {
		var x float64
		must.OK(t, json.Unmarshal([]byte(d.label), &x))
		share := (x - least) / (most - least)
		fmt.Fprintf(&soft, "%v,%d,%s\n", x, d.weight, d.text)
		fmt.Fprintf(&copies, "%v,%v,%s\n%v,%v,%[3]s\n", most, float64(d.weight)*share, d.text, least, float64(d.weight)*(1-share))
	}
	for _, kind := range []nbsvm.Kind{nbsvm.NBSVR, nbsvm.SVR} {
		train := func(csv string) (*nbsvm.Classifier, *nbsvm.Report) {
			in := as(corpus.CSV, csv)
			in.WeightField = "weight"
			o := ofNumbers(kind, "logistic")
			o.Tol, o.Range = 1e-9, limits
			return mustTrain(t, in, o)
		}
		a, ra := train(soft.String())
		b, rb := train(copies.String())
		if x, y := ra.Solution.Primal, rb.Solution.Primal; !near(x, y, 1e-6) {
			t.Errorf("%s: objective %v of soft labels, %v of weighted copies", kind, x, y)
		}
		want := scores(t, b, docs)
		for k, x := range scores(t, a, docs) {
			if math.Abs(x-want[k]) > 1e-3 { // weights may differ by the root of twice the gap
				t.Fatalf("%s: document %d: %v, and weighted copies have %v", kind, k, x, want[k])
			}
		}
	}
}

// TestNumbersRange: a range that the documents' numbers have anyway changes no score, and numbers beyond one are refused
// with their place, of packed corpora with their number, by all that trains.
func TestNumbersRange(t *testing.T) {
	docs := rated(small)
	docs[0].label, docs[1].label, docs[2].label = "5", "0", "0"
	path := filepath.Join(t.TempDir(), "docs.tsv")
	must.OK(t, os.WriteFile(path, tsv(docs), 0o600))
	in := corpus.Input{Paths: []string{path}}
	eachNumberModel(t, func(t *testing.T, o nbsvm.Options) {
		a, _ := mustTrain(t, in, o)
		o.Range = [2]float64{0, 5}
		b, report := mustTrain(t, in, o)
		if want, got := scores(t, a, docs), scores(t, b, docs); !slices.Equal(want, got) {
			t.Errorf("scores %v, want %v", got, want)
		}
		if report.Options.Range != o.Range {
			t.Errorf("the report has the range %v", report.Options.Range)
		}
	})

	o := ofNumbers(nbsvm.NBSVR, "squared-epsilon-insensitive")
	o.C, o.Range = 100, [2]float64{0, 5.25}
	c, _ := mustTrain(t, in, o)
	far := scores(t, c, []record{{text: strings.Repeat("k2w0 k2w1 k2w2 k2w3 ", 3)}})
	if far[0] <= 5 || far[0] > 5.25 {
		t.Errorf("clipped to %v, want more than what there was, and 5.25 at most", far)
	}

	asNumbers := in
	asNumbers.Numbers = true
	packed := corpus.Input{Paths: []string{pack(t, asNumbers, o.Pack(), 0)}}
	o.Range[0] = 0.0625
	tune := nbsvm.TuneOptions{Base: o, Trials: 2, Folds: 2}
	for name, in := range map[string]corpus.Input{"docs.tsv:2": in, "corpus.nbc has": packed} {
		_, _, trained := nbsvm.Train(t.Context(), in.Again(), o)
		_, validated := nbsvm.CrossValidate(t.Context(), in.Again(), o, 2)
		_, tuned := nbsvm.Tune(t.Context(), in.Again(), tune)
		for _, err := range []error{trained, validated, tuned} {
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "0.0625") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// TestNumbersMemory: a limit of memory counts the rows of the problem that a document is.
func TestNumbersMemory(t *testing.T) {
	must.SkipUnderRace(t)
	var docs bytes.Buffer
	for k := range 40_000 {
		fmt.Fprintf(&docs, "%d\tw%d w%d\n", k%21, k%21, k%19)
	}
	for kind, want := range map[nbsvm.Kind]string{
		nbsvm.NBSVR:   "",
		nbsvm.Ordinal: "even with rows left on disk, and the limit is 48 MiB: raise it (Options.Memory), or train model nbsvr, as a document is 20 rows of this one's problem",
	} {
		o := ofNumbers(kind, "")
		o.Memory, o.Tol = 48<<20, 0.3
		_, _, err := nbsvm.Train(t.Context(), input(docs.Bytes(), corpus.TSV), o)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", kind, err, want)
		}
	}
}

// solve solves linear equations by Gauss's elimination; the last column is the right side.
func solve(a [][]float64) []float64 {
	n := len(a)
	for j := range n {
		best := j
		for i := j; i < n; i++ {
			if math.Abs(a[i][j]) > math.Abs(a[best][j]) {
				best = i
			}
		}
		a[j], a[best] = a[best], a[j]
		for i := range n {
			if i == j {
				continue
			}
			factor := a[i][j] / a[j][j]
			for k := j; k <= n; k++ {
				a[i][k] -= factor * a[j][k]
			}
		}
	}
	x := make([]float64, n)
	for j := range x {
		x[j] = a[j][n] / a[j][j]
	}
	return x
}

// TestNumbersRaters: several numbers count with their mean, and what is no number is bad.
func TestNumbersRaters(t *testing.T) {
	o := ofNumbers(nbsvm.NBSVR, "")
	several := "{\"text\":\"good film\",\"label\":[3,4,\"5\"]}\n{\"text\":\"bad film\",\"label\":[0,1]}\n{\"text\":\"film\",\"label\":2.50}\n"
	one := "4\tgood film\n0.5\tbad film\n25e-1\tfilm\n"
	a, _ := mustTrain(t, as(corpus.JSONL, several), o)
	b, _ := mustTrain(t, as(corpus.TSV, one), o)
	if !bytes.Equal(encode(t, a), encode(t, b)) {
		t.Error("the mean of several numbers makes another model than that number")
	}
	for label, want := range map[string]string{
		"x": `a target must be a number`, "NaN": `a target must be a number`, "Inf": `a target must be a number`,
		"1e31": `a target must be a number`, "0x10": `a target must be a number`, "1_0": `a target must be a number`,
		"4": "all documents (2) have the number 4",
	} {
		_, _, err := nbsvm.Train(t.Context(), as(corpus.TSV, "4\tgood film\n"+label+"\tbad film\n"), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("label %s: error %v, want %s", label, err, want)
		}
	}
	path := pack(t, as(corpus.TSV, "4\tgood film\ngood\tgood film\n"), o.Pack(), 0)
	_, _, err := nbsvm.Train(t.Context(), corpus.Input{Paths: []string{path}}, o)
	if want := `has the label "good", which is not a number`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a packed corpus of classes: error %v, want %s", err, want)
	}
}

// TestNumbersNegative: log-counts of negative features are undefined, and the message names models without.
func TestNumbersNegative(t *testing.T) {
	rows := "1 1:-2\n2 1:1\n"
	_, _, err := nbsvm.Train(t.Context(), as(corpus.SVMLight, rows), ofNumbers(nbsvm.NBSVR, ""))
	if want := "cannot be negative: use Options.Kind svr or ridge"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	mustTrain(t, as(corpus.SVMLight, rows), ofNumbers(nbsvm.SVR, ""))
}

// TestNumbersSearch: a search tries kinds and losses of which documents are more or fewer rows, and models without a bias.
func TestNumbersSearch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tsv")
	must.OK(t, os.WriteFile(path, tsv(rated(small)), 0o600))
	for _, kinds := range [][]nbsvm.Kind{{nbsvm.NBSVR}, {nbsvm.NBSVR, nbsvm.Ordinal, nbsvm.SVR, nbsvm.Ridge}} {
		o := nbsvm.TuneOptions{Base: ofNumbers(nbsvm.NBSVR, ""), Kinds: kinds, Folds: 2, Trials: 60}
		found, err := nbsvm.Tune(t.Context(), corpus.Input{Paths: []string{path}}, o)
		must.OK(t, err)
		losses, unbiased := map[string]bool{}, false
		for _, trial := range found.Trials {
			losses[trial.Setting.Loss] = true
			unbiased = unbiased || trial.Setting.Bias == 0
		}
		if found.Metric != "r2" || len(kinds) == 1 && (!losses["squared-epsilon-insensitive"] || !unbiased) {
			t.Errorf("%v: by %s, with the losses %v, without a bias %v", kinds, found.Metric, losses, unbiased)
		}
	}
	o := ofNumbers(nbsvm.Ordinal, "")
	o.Bias = 0
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "thresholds of model ordinal are biases") {
		t.Errorf("ordinal without a bias: error %v", err)
	}
}

// TestNumbersClip: predictions stay in the range of the training documents' numbers, unless they are not to.
func TestNumbersClip(t *testing.T) {
	docs := rated(small)
	o := ofNumbers(nbsvm.NBSVR, "squared-epsilon-insensitive")
	o.C = 100
	far := []record{{text: strings.Repeat("k2w0 k2w1 k2w2 k2w3 ", 3)}, {text: "k0w0 k0w1 k0w2 k0w3"}}
	clipped, report := mustTrain(t, input(tsv(docs), corpus.TSV), o)
	o.Clip = false
	free, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
	r := report.Numbers
	for k, x := range scores(t, free, append(far, docs...)) {
		want := min(max(x, r.Min), r.Max)
		if got := scores(t, clipped, append(far, docs...)[k:][:1])[0]; got != want {
			t.Errorf("document %d: %v, want %v of %v", k, got, want, x)
		}
	}
	if x := scores(t, free, docs); slices.Max(x) <= r.Max && slices.Min(x) >= r.Min {
		t.Error("no prediction is beyond the range, so that nothing was tested")
	}
}

// TestNumbersFolds: folds have about the same numbers, and all of cross-validation is of numbers.
func TestNumbersFolds(t *testing.T) {
	docs := rated(small.with(func(s *shape) { s.docs, s.own = 1000, 2 }))
	slices.SortFunc(docs, func(a, b record) int { return strings.Compare(a.label, b.label) })
	cv, err := nbsvm.CrossValidate(t.Context(), input(tsv(docs), corpus.TSV), ofNumbers(nbsvm.NBSVR, ""), 5)
	must.OK(t, err)
	for k, fold := range cv.Folds {
		of := fold.Regression
		if of == nil || math.Abs(of.Wanted.Mean-cv.Folds[0].Regression.Wanted.Mean) > 0.05 {
			t.Errorf("fold %d: %+v", k, of)
		}
		if *of.Spearman < 0.5 {
			t.Errorf("fold %d: Spearman's correlation is %v", k, *of.Spearman)
		}
	}
	if cv.Task != "regression" || metrics.Main(cv.Task) != "r2" {
		t.Errorf("the task is %s", cv.Task)
	}
}
