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
		"alpha must be from 1e-12 to 1e9, got 5e-324":                    func(o *Options) { o.Alpha = 5e-324 },
		"beta must be 0, or from 1e-12 to 1, got 1e-310":                 func(o *Options) { o.Beta = 1e-310 },
		"bias must be 0 (none), or from 1e-6 to 1e6, got 1e-200":         func(o *Options) { o.Bias = 1e-200 },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got 1e-300`: func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": 1e-300} },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got -1`:     func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": -1} },
		"rounds must be from 1 to 100000, got 0":                         func(o *Options) { o.Kind, o.Trees.Rounds = GBDT, 0 },
		"rounds must be from 1 to 100000, got -1":                        func(o *Options) { o.Trees.Rounds = -1 },
		"depth must be from 1 to 32, got 33":                             func(o *Options) { o.Kind, o.Trees.Depth = GBDT, 33 },
		"rate must be from 0.0001 to 1, got NaN":                         func(o *Options) { o.Kind, o.Trees.Rate = GBDT, math.NaN() },
		"neighbours must be from 1 to 1048576, got 0":                    func(o *Options) { o.Kind, o.Neighbours = KNN, 0 },
		"min-df must be 1 document or more, got 0":                       func(o *Options) { o.MinDF = 0 },
		"max-df must be a share of the documents up to 1":                func(o *Options) { o.MaxDF = 0 },
		"gamma must be from 0 to 1, got NaN":                             func(o *Options) { o.Gamma = math.NaN() },
		"hold-out must be 0, or a share":                                 func(o *Options) { o.HoldOut = 0.6 },
		"memory must be a number of bytes":                               func(o *Options) { o.Memory = -1 },
		"alpha must be from 1e-12 to 1e9, got +Inf":                      func(o *Options) { o.Alpha = math.Inf(1) },
		"beta must be 0, or from 1e-12 to 1, got -0.1":                   func(o *Options) { o.Beta = -0.1 },
		"beta must be 0, or from 1e-12 to 1, got NaN":                    func(o *Options) { o.Beta = math.NaN() },
		"C must be from 1e-12 to 1e12, got +Inf":                         func(o *Options) { o.C = math.Inf(1) },
		"bias must be 0 (none), or from 1e-6 to 1e6, got N":              func(o *Options) { o.Bias = math.NaN() },
		"max-df must be":            func(o *Options) { o.MaxDF = math.NaN() },
		"tol must be":               func(o *Options) { o.Tol = -1 },
		"tol":                       func(o *Options) { o.Tol = math.NaN() },
		"epochs":                    func(o *Options) { o.MaxEpochs = -1 },
		"names":                     func(o *Options) { o.NamesLimit = -1 },
		`model "tree"`:              func(o *Options) { o.Kind = "tree" },
		`values "bits"`:             func(o *Options) { o.Values = "bits" },
		"sublinear-tf":              func(o *Options) { o.Values, o.SublinearTF = Binary, true },
		"bnb":                       func(o *Options) { o.Kind, o.Values = Bernoulli, Count },
		"prenormalize":              func(o *Options) { o.Kind, o.Prenormalize = Bernoulli, true },
		"0/1":                       func(o *Options) { o.Loss = "0/1" },
		"logistic":                  func(o *Options) { o.Kind, o.Loss = Logistic, "hinge" },
		"n-gram":                    func(o *Options) { o.Text.NgramHi, o.AutoNgrams = 99, false },
		"balanced":                  func(o *Options) { o.ClassWeight = ClassWeight{Balanced: true, Weights: map[string]float64{"a": 1}} },
		"threads must be 1 or more": func(o *Options) { o.Threads = -1 },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	o := DefaultOptions()
	o.Kind, o.Alpha, o.Trees, o.Neighbours, o.Similarity = SVM, 0, TreeOptions{}, 0, ""
	if err := o.Validate(); err != nil {
		t.Errorf("options that a model does not take are 0: %v", err)
	}
}
