package train

import (
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
		"C must be from 1e-12 to 1e12, got 0":                            func(o *Options) { o.C = 0 },
		"alpha must be from 1e-12 to 1e9, got 5e-324":                    func(o *Options) { o.Alpha = 5e-324 },
		"beta must be 0, or from 1e-12 to 1, got 1e-310":                 func(o *Options) { o.Beta = 1e-310 },
		"bias must be 0 (none), or from 1e-6 to 1e6, got 1e-200":         func(o *Options) { o.Bias = 1e-200 },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got 1e-300`: func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": 1e-300} },
		`weight of class "a" must be 0, or from 1e-9 to 1e9, got -1`:     func(o *Options) { o.ClassWeight.Weights = map[string]float64{"a": -1} },
	} {
		o := DefaultOptions()
		change(&o)
		if err := o.Validate(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
