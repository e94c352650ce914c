package main

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// mostSettings is how many settings a grid may have.
const mostSettings = 10_000

// gridFlag is a flag of train's that a grid can have several values of.
type gridFlag struct {
	set   func(f *trainFlags, value string) error
	given func(f *trainFlags) bool
}

// gridAxes are these flags.
var gridAxes = map[string]gridFlag{
	"preset": {
		set:   func(f *trainFlags, value string) error { f.Preset = value; return nil },
		given: func(f *trainFlags) bool { return f.Preset != nbsvm.Presets()[0].Name },
	},
	"features": {
		set:   func(f *trainFlags, value string) error { return f.Features.parse(value) },
		given: func(f *trainFlags) bool { return f.Features != nil },
	},
	"tokenizer":         axis(func(f *trainFlags) **hashing.Tokenizer { return &f.Tokenizer }, parseText[hashing.Tokenizer]),
	"ngrams":            axis(func(f *trainFlags) **ngrams { return &f.Ngrams }, parseText[ngrams]),
	"lowercase":         axis(func(f *trainFlags) **bool { return &f.Lowercase }, parseSwitch),
	"punctuation":       axis(func(f *trainFlags) **bool { return &f.Punctuation }, parseSwitch),
	"strip-html":        axis(func(f *trainFlags) **bool { return &f.StripHTML }, parseSwitch),
	"values":            axis(func(f *trainFlags) **string { return &f.Values }, parseString),
	"bits":              axis(func(f *trainFlags) **int { return &f.Bits }, parseNumber[int]),
	"min-df":            axis(func(f *trainFlags) **int { return &f.MinDF }, parseNumber[int]),
	"max-df":            axis(func(f *trainFlags) **float64 { return &f.MaxDF }, parseNumber[float64]),
	"prenormalize":      axis(func(f *trainFlags) **bool { return &f.Prenormalize }, parseSwitch),
	"normalize":         axis(func(f *trainFlags) **bool { return &f.Normalize }, parseSwitch),
	"sublinear-tf":      axis(func(f *trainFlags) **bool { return &f.SublinearTF }, parseSwitch),
	"model":             axis(func(f *trainFlags) **string { return &f.Model }, parseString),
	"loss":              axis(func(f *trainFlags) **string { return &f.Loss }, parseString),
	"C":                 axis(func(f *trainFlags) **float64 { return &f.C }, parseNumber[float64]),
	"alpha":             axis(func(f *trainFlags) **float64 { return &f.Alpha }, parseNumber[float64]),
	"beta":              axis(func(f *trainFlags) **beta { return &f.Beta }, parseText[beta]),
	"bias":              axis(func(f *trainFlags) **float64 { return &f.Bias }, parseNumber[float64]),
	"calibrate":         axis(func(f *trainFlags) **bool { return &f.Calibrate }, parseSwitch),
	"gamma":             axis(func(f *trainFlags) **float64 { return &f.Gamma }, parseNumber[float64]),
	"normalize-weights": axis(func(f *trainFlags) **bool { return &f.NormalizeWeights }, parseSwitch),
	"neighbours":        axis(func(f *trainFlags) **int { return &f.Neighbours }, parseNumber[int]),
	"similarity":        axis(func(f *trainFlags) **string { return &f.Similarity }, parseString),
	"votes":             axis(func(f *trainFlags) **string { return &f.Votes }, parseString),
	"hold-out":          axis(func(f *trainFlags) **float64 { return &f.HoldOut }, parseNumber[float64]),
	"tol":               axis(func(f *trainFlags) **float64 { return &f.Tol }, parseNumber[float64]),
	"rounds":            axis(func(f *trainFlags) **int { return &f.Rounds }, parseNumber[int]),
	"depth":             axis(func(f *trainFlags) **int { return &f.Depth }, parseNumber[int]),
	"rate":              axis(func(f *trainFlags) **float64 { return &f.Rate }, parseNumber[float64]),
	"lambda":            axis(func(f *trainFlags) **float64 { return &f.Lambda }, parseNumber[float64]),
	"min-gain":          axis(func(f *trainFlags) **float64 { return &f.MinGain }, parseNumber[float64]),
	"min-child-weight":  axis(func(f *trainFlags) **float64 { return &f.MinChild }, parseNumber[float64]),
	"subsample":         axis(func(f *trainFlags) **float64 { return &f.Subsample }, parseNumber[float64]),
	"colsample":         axis(func(f *trainFlags) **float64 { return &f.ColSample }, parseNumber[float64]),
	"bins":              axis(func(f *trainFlags) **int { return &f.Bins }, parseNumber[int]),
	"patience":          axis(func(f *trainFlags) **int { return &f.Patience }, parseNumber[int]),
	"hierarchy-method":  axis(func(f *trainFlags) **string { return &f.HierarchyMethod }, parseString),
	"hierarchy-beam":    axis(func(f *trainFlags) **int { return &f.HierarchyBeam }, parseNumber[int]),
	"hierarchy-stop":    axis(func(f *trainFlags) **float64 { return &f.HierarchyStop }, parseNumber[float64]),
}

// axis is a flag whose values are parsed so.
func axis[T any](flag func(f *trainFlags) **T, parse func(string) (T, error)) gridFlag {
	return gridFlag{
		set: func(f *trainFlags, value string) error {
			v, err := parse(value)
			*flag(f) = &v
			return err
		},
		given: func(f *trainFlags) bool { return *flag(f) != nil },
	}
}

func parseNumber[T any](s string) (v T, err error) {
	return v, numeral(s, reflect.ValueOf(&v).Elem())
}

func parseSwitch(s string) (bool, error) {
	on, err := strconv.ParseBool(s)
	if err != nil {
		err = fmt.Errorf("%q is neither true nor false", s)
	}
	return on, err
}

func parseString(s string) (string, error) { return s, nil }

func parseText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](s string) (v T, err error) {
	return v, P(&v).UnmarshalText([]byte(s))
}

// gridAxis is a flag with its values, as it was given: NAME=V,V,…
type gridAxis struct {
	name   string
	values []string
}

func (a *gridAxis) UnmarshalText(text []byte) error {
	name, values, ok := strings.Cut(string(text), "=")
	name = strings.TrimPrefix(strings.TrimSpace(name), "--")
	switch {
	case !ok || values == "":
		return fmt.Errorf("%q is no flag with values like C=0.1,1,10", text)
	case gridAxes[name].set == nil:
		return fmt.Errorf("there can't be a grid of %q; there can be of %s", name, strings.Join(axisNames(), ", "))
	}
	a.name, a.values = name, strings.Split(values, ",")
	for i, value := range a.values {
		a.values[i] = strings.TrimSpace(value)
	}
	return nil
}

func axisNames() []string {
	return slices.SortedFunc(maps.Keys(gridAxes), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
}

// gridPoint is a setting of a grid.
type gridPoint struct {
	Values  map[string]string `json:"setting"` // of the axes that have an effect on it
	ToBest  standing          `json:"to_best"`
	ignores []string          // flags that have no effect on its model
	foldSummary
}

// String is the point as flags are written.
func (p *gridPoint) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		parts = append(parts, name+"="+p.Values[name])
	}
	return strings.Join(parts, " ")
}

// severalModels are the kinds of model that --model lists, if there are several.
func (v *cvCmd) severalModels() []string {
	if v.Model == nil || !strings.Contains(*v.Model, ",") {
		return nil
	}
	return strings.Split(*v.Model, ",")
}

// axes are those of the grid. Several kinds of model are one more, the first.
func (v *cvCmd) axes() []gridAxis {
	if kinds := v.severalModels(); kinds != nil {
		return append([]gridAxis{{"model", kinds}}, v.Grid...)
	}
	return v.Grid
}

// settings are all points of the grid, the last axis changing fastest, and their options. Points that differ only in
// what has no effect on their model are one.
func (v *cvCmd) settings(c *call) (points []gridPoint, all []nbsvm.Options, err error) {
	for k, axis := range v.Grid {
		for _, before := range v.Grid[:k] {
			if before.name == axis.name {
				return nil, nil, usageError{fmt.Errorf("--grid %s is given twice: join the values with commas, --grid %[1]s=A,B", axis.name)}
			}
		}
		if gridAxes[axis.name].given(&v.trainFlags) {
			return nil, nil, usageError{fmt.Errorf("--grid %s has the values to compare, and --%s no effect beside it: leave one out", axis.name, axis.name)}
		}
	}
	asked := []gridPoint{{Values: map[string]string{}}}
	for _, axis := range v.axes() {
		if len(asked)*len(axis.values) > mostSettings {
			return nil, nil, usageError{fmt.Errorf("--grid: there are more than %d settings", mostSettings)}
		}
		var more []gridPoint
		for _, p := range asked {
			for _, value := range axis.values {
				values := maps.Clone(p.Values)
				values[axis.name] = value
				more = append(more, gridPoint{Values: values})
			}
		}
		asked = more
	}
	known := map[string]bool{}
	for _, p := range asked {
		o, err := v.build(c, &p)
		if err != nil {
			return nil, nil, err
		}
		p.ignores = o.Kind.Ignores()
		for _, name := range p.ignores {
			delete(p.Values, name)
		}
		if !known[p.String()] {
			known[p.String()] = true
			points, all = append(points, p), append(all, o)
		}
	}
	return points, all, v.checkEffect(points, all)
}

// build makes the options of a point.
func (v *cvCmd) build(c *call, p *gridPoint) (nbsvm.Options, error) {
	flags := v.trainFlags
	for name, value := range p.Values {
		if err := gridAxes[name].set(&flags, value); err != nil {
			return nbsvm.Options{}, usageError{fmt.Errorf("--grid %s: %w", name, inRange(name, err))}
		}
	}
	o, err := flags.build(c, v.Input)
	switch {
	case err == nil || len(p.Values) == 0:
	case v.Grid == nil:
		err = usageError{fmt.Errorf("--model %s: %w", p.Values["model"], err)}
	default:
		err = usageError{fmt.Errorf("--grid %s: %w", p, err)}
	}
	return o, err
}

// checkEffect refuses flags that have no effect in any setting.
func (v *cvCmd) checkEffect(points []gridPoint, all []nbsvm.Options) error {
	var kinds []string
	for _, o := range all {
		if !slices.Contains(kinds, string(o.Kind)) {
			kinds = append(kinds, string(o.Kind))
		}
	}
	for _, name := range points[0].ignores {
		everywhere := !slices.ContainsFunc(points, func(p gridPoint) bool { return !slices.Contains(p.ignores, name) })
		compared := slices.ContainsFunc(v.Grid, func(axis gridAxis) bool { return axis.name == name })
		switch {
		case !everywhere || !compared && !v.gives(name):
		case len(kinds) > 1:
			return usageError{fmt.Errorf("--%s has no effect on any of the models %s: leave it out", name, strings.Join(kinds, ", "))}
		default:
			return noEffect(name, all[0].Kind)
		}
	}
	return nil
}
