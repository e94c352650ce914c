package main

import (
	"io"
	"reflect"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// TestTrainCommand: the flags that are told of options give these options.
func TestTrainCommand(t *testing.T) {
	settings := map[string]nbsvm.Options{}
	for _, preset := range nbsvm.Presets() {
		settings["preset "+preset.Name] = preset.Options()
	}
	add := func(name string, change func(*nbsvm.Options)) {
		o := nbsvm.DefaultOptions()
		change(&o)
		settings[name] = o
	}
	for _, kind := range nbsvm.Kinds() {
		add("model "+string(kind), func(o *nbsvm.Options) {
			o.Kind = kind
		})
	}
	add("many", func(o *nbsvm.Options) {
		o.Text.Lowercase, o.Text.StripHTML, o.Text.Bits = false, true, 20
		o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = 1, 3
		o.MinDF, o.MaxDF, o.Values, o.Normalize, o.Prenormalize = 7, 0.25, nbsvm.LogCount, false, true
		o.C, o.Bias, o.Tol, o.MaxEpochs = 1e-7, 0, 0.02, 9
		o.Seed, o.Calibrate, o.NamesLimit, o.Memory = 1<<63+1, true, 0, 12345678
		o.Kind, o.Loss, o.ClassWeight.Weights = nbsvm.SVM, "hinge", map[string]float64{"a=b": 2, "it's": 0.5}
	})
	add("ratios of any features", func(o *nbsvm.Options) { o.Kind = nbsvm.NBSVM })
	add("binary centroids", func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Rocchio, nbsvm.Binary })
	add("centroids of counts", func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.Rocchio, nbsvm.LogCount })
	add("balanced", func(o *nbsvm.Options) { o.ClassWeight.Balanced = true })
	add("characters", func(o *nbsvm.Options) {
		o.Text.Families[0].Tokenizer, o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = hashing.CharWB, 2, 4
	})
	for name, words := range map[string]hashing.Family{
		"families": {Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 2}, "families, automatic orders": {},
	} {
		add(name, func(o *nbsvm.Options) {
			o.Text.Families = hashing.Families{words, {Tokenizer: hashing.Char, NgramLo: 1, NgramHi: 3}}
		})
	}
	for name, o := range settings {
		words := append(append([]string{"train", "TRAIN"}, trainWords(&o)...), "-o", "m.nbm")
		p, err := parse(words, io.Discard, io.Discard)
		if err != nil {
			t.Errorf("%s: %q: %v", name, words, err)
			continue
		}
		got, err := p.runner.(*trainCmd).options(&call{common: p.common, parsed: p, streams: streams{err: io.Discard}}, nil)
		if err != nil {
			t.Errorf("%s: %q: %v", name, words, err)
			continue
		}
		if got.Loss == "" { // the usual one
			got.Loss = o.Loss
		}
		if !reflect.DeepEqual(got, o) {
			t.Errorf("%s: %q gives\n%+v, want\n%+v", name, words, got, o)
		}
	}
}

func TestShellWords(t *testing.T) {
	read := corpus.Reading{TextField: "a b", LabelSep: ",", Header: "no", Delimiter: "\t"}
	o := nbsvm.DefaultOptions()
	want := `nbsvm train TRAIN '--text-field=a b' --label-sep=, --no-header --delimiter=tab -o 'it'\''s.nbm'`
	if got := trainCommand(&o, read, "it's.nbm"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
