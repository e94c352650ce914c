package nbsvm

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// TestIgnores: options that a kind of model ignores change nothing of its models but the record of options, and
// the others do.
func TestIgnores(t *testing.T) {
	others := map[string]func(*Options){
		"C":                 func(o *Options) { o.C = 0.03 },
		"loss":              func(o *Options) { o.Loss = "hinge" },
		"tol":               func(o *Options) { o.Tol = 0.3 },
		"max-epochs":        func(o *Options) { o.MaxEpochs = 1 },
		"gamma":             func(o *Options) { o.Gamma = 0.5 },
		"neighbours":        func(o *Options) { o.Neighbours = 3 },
		"similarity":        func(o *Options) { o.Similarity = BM25 },
		"votes":             func(o *Options) { o.Votes = VoteByCount },
		"hold-out":          func(o *Options) { o.HoldOut = 0.2 },
		"bias":              func(o *Options) { o.Bias = 0 },
		"class-weight":      func(o *Options) { o.ClassWeight.Weights = map[string]float64{"class00": 3} },
		"calibrate":         func(o *Options) { o.Calibrate = true },
		"normalize":         func(o *Options) { o.Normalize = false },
		"alpha":             func(o *Options) { o.Alpha = 3 },
		"beta":              func(o *Options) { o.Beta, o.AutoBeta = 0.25, false },
		"normalize-weights": func(o *Options) { o.NormalizeWeights = true },
		"keep-ratio":        func(o *Options) { o.KeepRatio = true },
		"rounds":            func(o *Options) { o.Trees.Rounds = 5 },
		"depth":             func(o *Options) { o.Trees.Depth = 2 },
		"rate":              func(o *Options) { o.Trees.Rate = 0.05 },
		"lambda":            func(o *Options) { o.Trees.Lambda = 9 },
		"min-gain":          func(o *Options) { o.Trees.MinGain = 3 },
		"subsample":         func(o *Options) { o.Trees.Subsample = 0.5 },
		"colsample":         func(o *Options) { o.Trees.ColSample = 0.5 },
		"min-child-weight":  func(o *Options) { o.Trees.MinChildWeight = 5 },
	}
	trained := func(o Options) []byte {
		c, _ := mustTrain(t, small.input(), o)
		c.Model().Meta.Made = nil
		return encode(t, c)
	}
	for _, kind := range Kinds() {
		for name, change := range others {
			if kind == Logistic && name == "loss" {
				continue // it has one
			}
			o := options(func(o *Options) { o.Kind, o.Normalize = kind, name != "keep-ratio" })
			plain := trained(o)
			change(&o)
			if o.Validate() != nil && (name == "loss" || name == "keep-ratio") && slices.Contains(kind.Ignores(), name) {
				continue // these are refused, as they are asked for by name
			}
			if same, ignores := bytes.Equal(trained(o), plain), slices.Contains(kind.Ignores(), name); same != ignores {
				t.Errorf("%s: %s is ignored: %t, and models are the same: %t", kind, name, ignores, same)
			}
		}
	}
}

// TestRefusesIgnored: what is asked for by name and has no effect on a kind of model is refused.
func TestRefusesIgnored(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"does not take keep-ratio; model nbsvm does":            func(o *Options) { o.Kind, o.KeepRatio = SVM, true },
		"does not take loss; models nbsvm, svm and logistic do": func(o *Options) { o.Kind, o.Loss = Multinomial, "hinge" },
	} {
		if _, _, err := Train(t.Context(), small.input(), options(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
