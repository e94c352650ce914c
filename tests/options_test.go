package tests

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

func TestParseClassWeight(t *testing.T) {
	for text, want := range map[string]nbsvm.ClassWeight{
		"":            {},
		"balanced":    {Balanced: true},
		"a=2":         {Weights: map[string]float64{"a": 2}},
		"x=y=1":       {Weights: map[string]float64{"x=y": 1}},
		"a=0.5,b=3e2": {Weights: map[string]float64{"a": 0.5, "b": 300}},
	} {
		got, err := nbsvm.ParseClassWeight(text)
		if err != nil || got.Balanced != want.Balanced || !maps.Equal(got.Weights, want.Weights) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"a", "a=", "a=x", "a=-1", "a=NaN", "a=1,,b=2", "Balanced"} {
		if got, err := nbsvm.ParseClassWeight(text); err == nil || !strings.Contains(err.Error(), "class weight") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestClassWeightIsDocumentWeight: a class of weight k trains as documents of
// weight k do, as far as costs go, and balanced weights are those of their formula.
func TestClassWeightIsDocumentWeight(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := small.with(func(s *shape) { s.classes = classes })
		docs := s.records()
		size := map[string]int{}
		for i, d := range docs {
			size[d.label]++
			docs[i].weight = 1
			if d.label == "class01" {
				docs[i].weight = 3
			}
		}
		// Without a ratio, weights count in costs alone. Of three classes, solved side by
		// side, each is as near to its optimum as the tolerance says.
		base := func(o *nbsvm.Options) { o.Kind, o.MinDF, o.Tol = nbsvm.SVM, 1, 1e-7 }
		named, _ := mustTrain(t, s.input(), options(base, func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"class01": 3} }))
		byDocument, _ := mustTrain(t, weighted(docs), options(base))
		margin := func(c *nbsvm.Classifier, text string) float64 {
			return predict(t, newScorer(t, c), text).Margins[classes/3]
		}
		for _, d := range docs[:20] {
			if a, b := margin(named, d.text), margin(byDocument, d.text); a != b && classes == 2 || !near(a, b, 0.01) {
				t.Fatalf("%d classes: margin %v by class weight, %v by document weight", classes, a, b)
			}
		}
		balanced, _ := mustTrain(t, s.input(), options(base, func(o *nbsvm.Options) { o.ClassWeight.Balanced = true }))
		if classes > 2 {
			continue // against the rest, each output has weights of its own
		}
		weights := map[string]float64{}
		for label, n := range size {
			weights[label] = float64(len(docs)) / (2 * float64(n))
		}
		formula, _ := mustTrain(t, s.input(), options(base, func(o *nbsvm.Options) { o.ClassWeight.Weights = weights }))
		for _, d := range docs[:20] {
			if a, b := margin(balanced, d.text), margin(formula, d.text); !near(a, b, 1e-9) {
				t.Fatalf("margin %v balanced, %v by the formula", a, b)
			}
		}
	}
}

func TestPresets(t *testing.T) {
	presets := nbsvm.Presets()
	if presets[0].Name != "default" || fmt.Sprint(presets[0].Options()) != fmt.Sprint(nbsvm.DefaultOptions()) {
		t.Error("the first preset is not the default")
	}
	for _, p := range presets {
		o := p.Options()
		if err := o.Validate(); err != nil {
			t.Errorf("preset %s: %v", p.Name, err)
		}
		found, err := nbsvm.PresetNamed(p.Name)
		if err != nil || found.Name != p.Name || p.About == "" {
			t.Errorf("preset %s: %v, %v", p.Name, found, err)
		}
		o.MinDF, o.Threads = 1, 2
		mustTrain(t, small.input(), o)
	}
	if _, err := nbsvm.PresetNamed("papers"); err == nil || !strings.Contains(err.Error(), `"paper"`) {
		t.Errorf("an unknown preset: %v", err)
	}
}

// TestPaperPreset: the published recipe is binary uni- and bigrams, alpha 1, C 1 with
// squared hinge, beta 0.25, and no bias, which is not interpolated with anything.
func TestPaperPreset(t *testing.T) {
	p, err := nbsvm.PresetNamed("paper")
	if err != nil {
		t.Fatal(err)
	}
	o := p.Options()
	if o.Kind != nbsvm.NBSVM || o.Values != nbsvm.Binary || o.Text.NgramLo != 1 || o.Text.NgramHi != 2 || o.AutoNgrams || o.MinDF != 1 || o.Normalize {
		t.Errorf("features are %+v", o)
	}
	if o.Alpha != 1 || o.AlphaBySize || o.C != 1 || o.Loss != "" || o.Beta != 0.25 || o.AutoBeta || o.Bias != 0 {
		t.Errorf("alpha %v (by size %t), C %v, loss %q, beta %v (auto %v), bias %v", o.Alpha, o.AlphaBySize, o.C, o.Loss, o.Beta, o.AutoBeta, o.Bias)
	}
	for _, classes := range []int{2, 3} {
		s := small.with(func(s *shape) { s.classes = classes })
		c, _ := mustTrain(t, s.input(), o)
		for i, b := range modelOf(t, c).Bias {
			if b != 0 {
				t.Errorf("%d classes: output %d has the bias %v", classes, i, b)
			}
		}
	}
}

// TestProgress: calls come one at a time, tell of every stage, and reach the end.
func TestProgress(t *testing.T) {
	for kind, s := range agreementShapes() {
		var stages []string
		last := map[string]corpus.Progress{}
		inside := make(chan bool, 1)
		o := options(func(o *nbsvm.Options) {
			o.Calibrate = true
			o.Progress = func(p corpus.Progress) {
				select {
				case inside <- true:
				default:
					t.Error("two calls at once")
				}
				if !slices.Contains(stages, p.Stage) {
					stages = append(stages, p.Stage)
				}
				if p.Done < last[p.Stage].Done {
					t.Errorf("%s: %s goes back from %d to %d", kind, p.Stage, last[p.Stage].Done, p.Done)
				}
				last[p.Stage] = p
				<-inside
			}
		})
		mustTrain(t, s.input(), o)
		if !slices.Equal(stages, []string{"read", "layout", "hold out", "solve"}) {
			t.Errorf("%s: stages %q", kind, stages)
		}
		for _, p := range last {
			if p.Total >= 0 && p.Done != p.Total || p.Unit == "" {
				t.Errorf("%s: the last of it was %+v", kind, p)
			}
		}
	}
}

func TestReport(t *testing.T) {
	c, made := mustTrain(t, small.input(), options())
	read, err := c.Report()
	if err != nil {
		t.Fatal(err)
	}
	if read.Documents != small.docs || read.Solution == nil || read.Solution.Gap > read.Options.Tol || read.Features != made.Features {
		t.Errorf("the model's record says %+v, training %+v", read, made)
	}
	var together int64
	for _, stage := range made.Stages {
		together += int64(stage.Took)
	}
	if len(made.Stages) < 4 || together > int64(made.Took) {
		t.Errorf("stages %v took longer than all of it, %v", made.Stages, made.Took)
	}
	if read.Options.Loss != "squared-hinge" || read.Options.Beta != 0.75 {
		t.Errorf("options left open: %+v", read.Options)
	}
}

// TestOpenRefuses what is no model, and models that this version can't score with.
func TestOpenRefuses(t *testing.T) {
	if _, err := nbsvm.Open(filepath.Join(t.TempDir(), "none.nbm")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := nbsvm.Open(writeFile(t, "text.nbm", []byte(strings.Repeat("no model at all ", 50)))); !errors.Is(err, model.ErrNotModel) {
		t.Errorf("a text: %v", err)
	}
	for want, spoil := range map[string]func(*model.Model){
		"idf":   func(m *model.Model) { m.Meta.Values = "tfidf" },
		"ratio": func(m *model.Model) { m.Ratio = nil },
		"bits":  func(m *model.Model) { m.Meta.Text.Bits++ },
		"takes": func(m *model.Model) { m.Meta.Source = "guess" },
	} {
		c, _ := mustTrain(t, small.input(), options())
		m := modelOf(t, c)
		spoil(m)
		path := filepath.Join(t.TempDir(), "spoilt.nbm")
		if err := score.New(m).Save(path); err != nil {
			continue // refused already when written
		}
		if opened, err := nbsvm.Open(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", want, opened, err)
		}
	}
}

// TestNames: each is an n-gram of the corpus that falls into its bucket, and long
// ones are cut at a character.
func TestNames(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.Text.Bits, o.NamesLimit = 10, 200 }))
	m := modelOf(t, c)
	names := m.Names
	shared := 0
	for _, n := range names {
		if _, ok := m.IDs.Rank(n.ID); !ok || n.Text == "" || !bytes.Contains(tsv(small.records()), []byte(strings.Fields(n.Text)[0])) {
			t.Errorf("name %+v", n)
		}
		if n.Shared {
			shared++
		}
	}
	if len(names) == 0 || len(names) > 220 || shared == 0 || shared == len(names) {
		t.Errorf("%d names, %d of them shared", len(names), shared)
	}
	none, _ := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.NamesLimit = 0 }))
	if len(modelOf(t, none).Names) != 0 {
		t.Error("names in spite of a limit of 0")
	}
	word := strings.Repeat("é", 150)
	in := as(corpus.TSV, "a\t"+word+" x\nb\ty z\na\t"+word+"\nb\ty\n")
	c, _ = mustTrain(t, in, options())
	if got, want := strongest(t, c, 1)[0].Features[0].Name, strings.Repeat("é", 100)+"…"; got != want {
		t.Errorf("a long name is %q, want %q", got, want)
	}
}

// TestChosenIsTaken: orders of n-grams and a beta that were chosen go before what DefaultOptions leave to the documents.
func TestChosenIsTaken(t *testing.T) {
	choose := func(o *nbsvm.Options) { o.Text.NgramHi, o.Beta = 3, 0.25 }
	want, _ := mustTrain(t, small.input(), options(choose, func(o *nbsvm.Options) { o.AutoNgrams, o.AutoBeta = false, false }))
	got, made := mustTrain(t, small.input(), options(choose, func(o *nbsvm.Options) { o.AutoNgrams, o.AutoBeta = true, true }))
	if o := made.Options; o.Text.NgramHi != 3 || o.Beta != 0.25 || !bytes.Equal(encode(t, got), encode(t, want)) {
		t.Errorf("trained with %s and beta %v", o.Text, o.Beta)
	}
	o := options(choose)
	o.AutoNgrams, o.AutoBeta = true, true
	if all, err := nbsvm.CrossValidate(t.Context(), small.input(), o, 2); err != nil || len(all.Folds) != 2 {
		t.Errorf("cross-validation: %v", err)
	}
	if pack := o.Pack(); pack.AutoNgrams {
		t.Error("packing leaves the orders to the documents")
	}
	again, remade := mustTrain(t, small.input(), made.Options)
	if remade.Options.Beta != 0.25 || !bytes.Equal(encode(t, again), encode(t, got)) {
		t.Error("the options of a model make another")
	}
	left, made := mustTrain(t, small.input(), nbsvm.DefaultOptions())
	if again, _ := mustTrain(t, small.input(), made.Options); !made.Options.AutoBeta || !bytes.Equal(encode(t, again), encode(t, left)) {
		t.Error("options that were left to the documents make another model")
	}
}

// TestAutoKind: ready-made features of which rows have a twentieth or more are taken for measurements, unless an option
// tells that ratios are meant. Others are words.
func TestAutoKind(t *testing.T) {
	features := func(each, of int) []byte { // rows have so many of so many features
		var text strings.Builder
		for i := range 2 * of {
			fmt.Fprintf(&text, "%d", i%2)
			for k := range each {
				fmt.Fprintf(&text, " %d:%d", k*(of/each)+i/2%(of/each)+1, 1+i%3)
			}
			text.WriteByte('\n')
		}
		return []byte(text.String())
	}
	dense := func() corpus.Input { return input(features(5, 100), corpus.SVMLight) }
	sparse := func() corpus.Input { return input(features(4, 100), corpus.SVMLight) }
	svm := func(o *nbsvm.Options) { o.Kind, o.Normalize = nbsvm.SVM, false }
	for name, c := range map[string]struct {
		in     func() corpus.Input
		change func(o *nbsvm.Options)
		want   func(o *nbsvm.Options)
	}{
		"measurements":           {dense, func(*nbsvm.Options) {}, svm},
		"words":                  {sparse, func(*nbsvm.Options) {}, func(o *nbsvm.Options) { o.AutoKind = false }},
		"texts":                  {small.input, func(*nbsvm.Options) {}, func(o *nbsvm.Options) { o.AutoKind = false }},
		"ratios of measurements": {dense, func(o *nbsvm.Options) { o.AutoKind = false }, func(o *nbsvm.Options) { o.AutoKind = false }},
		"a loss": {dense, func(o *nbsvm.Options) { o.Loss = "hinge" }, func(o *nbsvm.Options) {
			o.Loss, o.AutoKind = "hinge", false
		}},
		"another kind": {dense, func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial }, func(o *nbsvm.Options) {
			o.Kind = nbsvm.Multinomial
		}},
	} {
		got, made := mustTrain(t, c.in(), options(c.change))
		want, _ := mustTrain(t, c.in(), options(c.want))
		if !bytes.Equal(encode(t, got), encode(t, want)) {
			t.Errorf("%s: trained %s, normalize %t", name, made.Options.Kind, made.Options.Normalize)
		}
		if again, _ := mustTrain(t, c.in(), made.Options); !bytes.Equal(encode(t, again), encode(t, got)) {
			t.Errorf("%s: the options of the model make another", name)
		}
	}
}
