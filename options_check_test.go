package nbsvm

import (
	"math"
	"strings"
	"testing"
)

// TestRanges: numbers that a training can't calculate with are refused, with the value and the range.
func TestRanges(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"": func(o *Options) {
			o.C, o.Alpha, o.Beta, o.Bias, o.ClassWeight.Weights = 1e-12, 1e-12, 1e-12, 1e-6, map[string]float64{"a": 1e-9, "b": 0}
		},
		"C must be from 1e-12 to 1e12, got 1e-320":                       func(o *Options) { o.C = 1e-320 },
		"C must be from 1e-12 to 1e12, got -1":                           func(o *Options) { o.C = -1 },
		"Alpha must be from 1e-12 to 1e9, got 5e-324":                    func(o *Options) { o.Alpha = 5e-324 },
		"Beta must be from 1e-12 to 1, got 1e-310":                       func(o *Options) { o.Beta = 1e-310 },
		"Bias must be 0 (none), or from 1e-6 to 1e6, got 1e-200":         func(o *Options) { o.Bias = 1e-200 },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got 1e-300`: func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": 1e-300} },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got -1`:     func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": -1} },
		"Options.Trees.Rounds must be from 1 to 100000, got 0":           func(o *Options) { o.Kind, o.Trees.Rounds = GBDT, 0 },
		"Options.Trees.Rounds must be from 1 to 100000, got -1":          func(o *Options) { o.Trees.Rounds = -1 },
		"Options.Trees.Depth must be from 1 to 32, got 33":               func(o *Options) { o.Kind, o.Trees.Depth = GBDT, 33 },
		"Options.Trees.Rate must be from 0.0001 to 1, got NaN":           func(o *Options) { o.Kind, o.Trees.Rate = GBDT, math.NaN() },
		"Neighbours must be from 1 to 1048576, got 0":                    func(o *Options) { o.Kind, o.Neighbours = KNN, 0 },
		"Options.MinDF must be 1 document or more, got -1":               func(o *Options) { o.MinDF = -1 },
		"Options.MaxDF must be a share of the documents up to 1":         func(o *Options) { o.MaxDF = 0 },
		"Options.HoldOut must be 0, or a share":                          func(o *Options) { o.HoldOut = 0.6 },
		"Memory must be a number of bytes":                               func(o *Options) { o.Memory = -1 },
		"Alpha must be from 1e-12 to 1e9, got +Inf":                      func(o *Options) { o.Alpha = math.Inf(1) },
		"Beta must be from 1e-12 to 1, got -0.1":                         func(o *Options) { o.Beta = -0.1 },
		"Beta must be from 1e-12 to 1, got NaN":                          func(o *Options) { o.Beta = math.NaN() },
		"C must be from 1e-12 to 1e12, got +Inf":                         func(o *Options) { o.C = math.Inf(1) },
		"Bias must be 0 (none), or from 1e-6 to 1e6, got N":              func(o *Options) { o.Bias = math.NaN() },
		"Options.MaxDF must be":                                          func(o *Options) { o.MaxDF = math.NaN() },
		"Options.Tol must be":                                            func(o *Options) { o.Tol = -1 },
		"Options.Tol":                                                    func(o *Options) { o.Tol = math.NaN() },
		"Options.MaxEpochs":                                              func(o *Options) { o.MaxEpochs = -1 },
		"Options.NamesLimit":                                             func(o *Options) { o.NamesLimit = -1 },
		`model "tree"`:                                                   func(o *Options) { o.Kind = "tree" },
		`Options.Values "bits"`:                                          func(o *Options) { o.Values = "bits" },
		"bnb":                                                            func(o *Options) { o.Kind, o.Values = Bernoulli, Count },
		"Options.Prenormalize":                                           func(o *Options) { o.Kind, o.Prenormalize = Bernoulli, true },
		"0/1":                                                            func(o *Options) { o.Loss = "0/1" },
		"logistic":                                                       func(o *Options) { o.Kind, o.Loss = Logistic, "hinge" },
		"n-gram":                                                         func(o *Options) { o.Text.Families[0].NgramHi = 99 },
		"balanced":                                                       func(o *Options) { o.ClassWeight = ClassWeight{Balanced: true, Weights: map[string]float64{"a": 1}} },
		"Threads must be 1 or more":                                      func(o *Options) { o.Threads = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	o := DefaultOptions()
	o.Kind, o.Alpha, o.Trees, o.Neighbours = SVM, 0, TreeOptions{}, 0
	if err := o.Validate(); err != nil {
		t.Errorf("options that a model does not take are 0: %v", err)
	}
}
