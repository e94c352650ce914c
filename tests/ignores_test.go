package tests

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestIgnores: options that a kind of model ignores change nothing of its models but the record of options, and
// the others do.
func TestIgnores(t *testing.T) {
	must.SkipUnderRace(t)
	others := map[string]func(*nbsvm.Options){
		"C":             func(o *nbsvm.Options) { o.C = 0.03 },
		"loss":          func(o *nbsvm.Options) { o.Loss = "hinge" },
		"tol":           func(o *nbsvm.Options) { o.Tol = 0.3 },
		"max-epochs":    func(o *nbsvm.Options) { o.MaxEpochs = 1 },
		"neighbours":    func(o *nbsvm.Options) { o.Neighbours = 3 },
		"hold-out":      func(o *nbsvm.Options) { o.HoldOut = 0.2 },
		"bias":          func(o *nbsvm.Options) { o.Bias = 0 },
		"class-weight":  func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"class00": 3} },
		"calibrate":     func(o *nbsvm.Options) { o.Calibrate = true },
		"normalize":     func(o *nbsvm.Options) { o.Normalize = false },
		"alpha":         func(o *nbsvm.Options) { o.Alpha = 3 },
		"alpha-by-size": func(o *nbsvm.Options) { o.AlphaBySize = false },
		"beta":          func(o *nbsvm.Options) { o.Beta = 0.25 },
		"rounds":        func(o *nbsvm.Options) { o.Trees.Rounds = 5 },
		"depth":         func(o *nbsvm.Options) { o.Trees.Depth = 2 },
		"rate":          func(o *nbsvm.Options) { o.Trees.Rate = 0.05 },
	}
	few := small.with(func(s *shape) { s.docs = 100 })
	trained := func(o nbsvm.Options) []byte {
		c, _ := mustTrain(t, few.input(), o)
		return unmade(t, c)
	}
	for _, kind := range classKinds() {
		plain := trained(options(func(o *nbsvm.Options) { o.Kind, o.Trees.Rounds = kind, 60 }))
		for name, change := range others {
			if kind == nbsvm.Logistic && name == "loss" {
				continue // it has one
			}
			o := options(func(o *nbsvm.Options) { o.Kind, o.Trees.Rounds = kind, 60 }, change)
			if o.Validate() != nil && name == "loss" && slices.Contains(kind.Ignores(), name) {
				continue // it is refused, as it is asked for by name
			}
			if same, ignores := bytes.Equal(trained(o), plain), slices.Contains(kind.Ignores(), name); same != ignores {
				t.Errorf("%s: %s is ignored: %t, and models are the same: %t", kind, name, ignores, same)
			}
		}
	}
}

// TestRefusals: what is asked for by name and has no effect on a kind of model is refused, and so is what it can't be
// trained with.
func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*nbsvm.Options){
		"Options.Loss has no effect on model mnb: leave it out, or choose another model (nbsvm, svm, logistic)": func(o *nbsvm.Options) { o.Kind, o.Loss = nbsvm.Multinomial, "hinge" },
		"Options.MaxModel is 1500: raise it":             func(o *nbsvm.Options) { o.MaxModel = 1500 },
		"Options.MaxModel must be 0 (no limit), or 1024": func(o *nbsvm.Options) { o.MaxModel = 1000 },
		"Options.MaxModel has no effect on model mnb":    func(o *nbsvm.Options) { o.Kind, o.MaxModel = nbsvm.Multinomial, 1<<20 },
		"holds out none of":                              func(o *nbsvm.Options) { o.Kind, o.HoldOut = nbsvm.Perceptron, 0.001 },
		"weights overflow 32 bits": func(o *nbsvm.Options) {
			o.Kind, o.MinDF, o.Normalize, o.ClassWeight.Weights = nbsvm.Perceptron, 1, false, map[string]float64{"1": 1e3, "-1": 1e3}
		},
	} {
		in := small.input()
		if strings.HasPrefix(want, "weights overflow") {
			in = input([]byte("1 1:3e38 2:1\n-1 2:3e38\n1 1:1e38\n-1 2:2e38\n"), corpus.SVMLight)
		}
		if _, _, err := nbsvm.Train(t.Context(), in, options(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
