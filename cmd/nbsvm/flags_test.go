package main

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/declare"
)

// own are the flags of a command.
func own(t *testing.T, name string) []*declare.Field {
	t.Helper()
	g := newGrammar(io.Discard, io.Discard, nil)
	command, _, err := g.root.Find(strings.Fields(name))
	if err != nil || g.commands[command] == nil {
		t.Fatalf("there is no command %s: %v", name, err)
	}
	return g.commands[command].own
}

// trained are the options of a train command.
func trained(t *testing.T, flags ...string) (nbsvm.Options, error) {
	t.Helper()
	p, err := parse(append([]string{"train", "in.tsv", "-o", "x.nbm"}, flags...), io.Discard, io.Discard)
	if err != nil {
		return nbsvm.Options{}, err
	}
	return p.runner.(*trainCmd).options(&call{common: p.common, parsed: p}, nil)
}

// TestTrainFlags checks that every flag arrives in its option, and no other
// option changes.
func TestTrainFlags(t *testing.T) {
	for _, test := range []struct {
		flags string
		set   func(o *nbsvm.Options)
	}{
		{"", func(*nbsvm.Options) {}},
		{"--threads 3", func(o *nbsvm.Options) { o.Threads = 3 }},
		{"--ngrams char", func(o *nbsvm.Options) { o.Text.Tokenizer, o.Text.NgramHi, o.AutoNgrams = hashing.Char, 5, false }},
		{"--ngrams char:2-3", func(o *nbsvm.Options) {
			o.Text.Tokenizer, o.AutoNgrams, o.Text.NgramLo, o.Text.NgramHi = hashing.Char, false, 2, 3
		}},
		{"--ngrams word,char-wb", func(o *nbsvm.Options) {
			o.Text.More[0] = hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}
		}},
		{"--ngrams char:3-4,word:1-1", func(o *nbsvm.Options) {
			o.AutoNgrams, o.Text.NgramHi, o.Text.More[0] = false, 1, hashing.Family{Tokenizer: hashing.Char, NgramLo: 3, NgramHi: 4}
		}},
		{"--ngrams char-wb:2-3", func(o *nbsvm.Options) {
			o.Text.Tokenizer, o.AutoNgrams, o.Text.NgramLo, o.Text.NgramHi = hashing.CharWB, false, 2, 3
		}},
		{"--ngrams space", func(o *nbsvm.Options) { o.Text.Tokenizer = hashing.Space }},
		{"--ngrams 2-3", func(o *nbsvm.Options) { o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 2, 3, false }},
		{"--ngrams 1", func(o *nbsvm.Options) { o.Text.NgramLo, o.Text.NgramHi, o.AutoNgrams = 1, 1, false }},
		{"--no-lowercase", func(o *nbsvm.Options) { o.Text.Lowercase = false }},
		{"--no-punctuation", func(o *nbsvm.Options) { o.Text.Punctuation = false }},
		{"--strip-html", func(o *nbsvm.Options) { o.Text.StripHTML = true }},
		{"--bits 20", func(o *nbsvm.Options) { o.Text.Bits = 20 }},
		{"--min-df 5", func(o *nbsvm.Options) { o.MinDF, o.AutoMinDF = 5, false }},
		{"--min-df 2", func(o *nbsvm.Options) { o.AutoMinDF = false }},
		{"--preset paper --min-df auto", func(o *nbsvm.Options) {
			o.AutoNgrams, o.AutoBeta, o.Normalize, o.AlphaBySize, o.Beta, o.Bias = false, false, false, false, 0.25, 0
		}},
		{"--max-df 0.5", func(o *nbsvm.Options) { o.MaxDF = 0.5 }},
		{"--values log-tfidf", func(o *nbsvm.Options) { o.Values = nbsvm.LogTFIDF }},
		{"--prenormalize", func(o *nbsvm.Options) { o.Prenormalize = true }},
		{"--no-normalize", func(o *nbsvm.Options) { o.Normalize = false }},
		{"--model nbsvm", func(o *nbsvm.Options) { o.AutoKind = false }},
		{"--model svm", func(o *nbsvm.Options) { o.Kind = nbsvm.SVM }},
		{"--loss hinge", func(o *nbsvm.Options) { o.Loss = "hinge" }},
		{"--C 0.5", func(o *nbsvm.Options) { o.C = 0.5 }},
		{"--alpha 0.25", func(o *nbsvm.Options) { o.Alpha = 0.25 }},
		{"--no-alpha-by-size", func(o *nbsvm.Options) { o.AlphaBySize = false }},
		{"--beta 0.125", func(o *nbsvm.Options) { o.Beta, o.AutoBeta = 0.125, false }},
		{"--bias 0", func(o *nbsvm.Options) { o.Bias = 0 }},
		{"--class-weight balanced", func(o *nbsvm.Options) { o.ClassWeight.Balanced = true }},
		{"--class-weight a=2,b=c=0.5", func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"a": 2, "b=c": 0.5} }},
		{"--calibrate", func(o *nbsvm.Options) { o.Calibrate = true }},
		{"--tol 0.001", func(o *nbsvm.Options) { o.Tol = 0.001 }},
		{"--max-epochs 7", func(o *nbsvm.Options) { o.MaxEpochs = 7 }},
		{"--model rocchio --values tfidf", func(o *nbsvm.Options) {
			o.Kind, o.Values = nbsvm.Rocchio, nbsvm.TFIDF
		}},
		{"--model rocchio --values binary", func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Rocchio, nbsvm.Binary }},
		{"--model knn --neighbours 5", func(o *nbsvm.Options) {
			o.Kind, o.Neighbours = nbsvm.KNN, 5
		}},
		{"--model knn --values tfidf", func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.TFIDF }},
		{"--model knn --values binary", func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.Binary }},
		{"--hold-out 0.25 --model pa", func(o *nbsvm.Options) {
			o.Kind, o.HoldOut = nbsvm.PassiveAggressive, 0.25
		}},
		{"--model gbdt --rounds 7 --depth 3 --rate 0.5", func(o *nbsvm.Options) {
			o.Kind, o.Trees.Rounds, o.Trees.Depth, o.Trees.Rate = nbsvm.GBDT, 7, 3, 0.5
		}},
		{"--seed 18446744073709551615", func(o *nbsvm.Options) { o.Seed = 1<<64 - 1 }},
		{"--names 0", func(o *nbsvm.Options) { o.NamesLimit = 0 }},
		{"--memory 1.5GiB", func(o *nbsvm.Options) { o.Memory = 3 << 29 }},
	} {
		want := nbsvm.DefaultOptions()
		test.set(&want)
		got, err := trained(t, strings.Fields(test.flags)...)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %+v\nwant %+v", test.flags, err, got, want)
		}
	}
}

// TestPresetFlags checks that presets are what the library says, and that every
// flag can take back what a preset gives.
func TestPresetFlags(t *testing.T) {
	for _, preset := range nbsvm.Presets() {
		if got, err := trained(t, "--preset", preset.Name); err != nil || !reflect.DeepEqual(got, preset.Options()) {
			t.Errorf("preset %s: %v\n got %+v\nwant %+v", preset.Name, err, got, preset.Options())
		}
		got, err := trained(t, "--preset", preset.Name, "--ngrams", "word", "--beta", "auto", "--min-df", "2", "--values", "binary")
		if err != nil || !got.AutoNgrams || !got.AutoBeta || got.MinDF != 2 || got.Values != nbsvm.Binary {
			t.Errorf("preset %s taken back: %v, %+v", preset.Name, err, got)
		}
		// Another model has the loss that suits it, not that of the preset.
		if got, err := trained(t, "--preset", preset.Name, "--model", "logistic"); err != nil || got.Loss != "" {
			t.Errorf("preset %s with model logistic: %v, loss %q", preset.Name, err, got.Loss)
		}
	}
}

// TestRanges wants values out of range refused in the words of the reference.
func TestRanges(t *testing.T) {
	tested := 0
	for _, flag := range own(t, "train") {
		want := flag.Tag("values")
		if want == "" || flag.Name == "seed" || flag.Placeholder == "SIZE" || flag.Name == "max-record" || flag.Name == "threads" {
			continue
		}
		tested++
		value := "-77"
		flags := []string{"--" + flag.Name + "=" + value}
		for _, kind := range nbsvm.Kinds() {
			if !slices.Contains(kind.Ignores(), flag.Name) {
				flags = append(flags, "--model", string(kind))
				break
			}
		}
		if o, err := trained(t, flags...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v, %v, want %s", flags, o, err, want)
		}
		if _, err := trained(t, "--"+flag.Name, "x"); err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("--%s x gives %v, want %s", flag.Name, err, want)
		}
	}
	if tested < 15 {
		t.Errorf("only %d flags have a range", tested)
	}
}

// TestChoices offers words for completion that the command takes, every one.
func TestChoices(t *testing.T) {
	offered := 0
	for command, p := range newGrammar(io.Discard, io.Discard, nil).commands {
		for _, flag := range p.own {
			for _, word := range wordsOf(flag) {
				offered++
				if command.CommandPath() != "nbsvm train" || word == "quarantine=" || word == "lines" {
					continue
				}
				flags := []string{"--" + flag.Name, word}
				if flag.Name == "loss" && word != "logistic" {
					flags = append(flags, "--model", "svm")
				}
				if _, err := trained(t, flags...); err != nil {
					t.Errorf("train %v: %v", flags, err)
				}
			}
		}
	}
	if offered < 40 {
		t.Errorf("only %d words are offered", offered)
	}
}

// TestFlagNames keeps the flags in which commands agree with each other alike:
// everything that cv has but what is about folds and grids, train has too, and what grids are of.
func TestFlagNames(t *testing.T) {
	flags := map[string]map[string]string{}
	for command, p := range newGrammar(io.Discard, io.Discard, nil).commands {
		name := strings.TrimPrefix(command.CommandPath(), "nbsvm ")
		flags[name] = map[string]string{}
		for _, flag := range p.own {
			flags[name][flag.Name] = flag.Help
			if flag.Group == "" && !flag.Argument || !strings.HasSuffix(flag.Help, ".") || flag.Placeholder == "" && !flag.Argument && !flag.Switch() {
				t.Errorf("%s --%s: group %q, help %q, placeholder %q", name, flag.Name, flag.Group, flag.Help, flag.Placeholder)
			}
		}
	}
	own := []string{"folds", "grid", "no-group", "wrong"}
	for name, help := range flags["cv"] {
		if !slices.Contains(own, name) && flags["train"][name] != help {
			t.Errorf("cv has --%s %q, train %q", name, help, flags["train"][name])
		}
	}
	if help := flags["tune"]["no-group"]; help != flags["cv"]["no-group"] {
		t.Errorf("cv has --no-group %q, tune %q", flags["cv"]["no-group"], help)
	}
	if names := gridNames(); len(names) < 25 {
		t.Errorf("there can be a grid of %v alone", names)
	}
}
