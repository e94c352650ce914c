package main

import (
	"encoding"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

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
	"tokenizer":    axis(func(f *trainFlags) **hashing.Tokenizer { return &f.Tokenizer }, parseText[hashing.Tokenizer]),
	"ngrams":       axis(func(f *trainFlags) **ngrams { return &f.Ngrams }, parseText[ngrams]),
	"lowercase":    axis(func(f *trainFlags) **bool { return &f.Lowercase }, parseSwitch),
	"punctuation":  axis(func(f *trainFlags) **bool { return &f.Punctuation }, parseSwitch),
	"strip-html":   axis(func(f *trainFlags) **bool { return &f.StripHTML }, parseSwitch),
	"values":       axis(func(f *trainFlags) **string { return &f.Values }, parseString),
	"bits":         axis(func(f *trainFlags) **int { return &f.Bits }, parseNumber[int]),
	"min-df":       axis(func(f *trainFlags) **int { return &f.MinDF }, parseNumber[int]),
	"max-df":       axis(func(f *trainFlags) **float64 { return &f.MaxDF }, parseNumber[float64]),
	"prenormalize": axis(func(f *trainFlags) **bool { return &f.Prenormalize }, parseSwitch),
	"normalize":    axis(func(f *trainFlags) **bool { return &f.Normalize }, parseSwitch),
	"sublinear-tf": axis(func(f *trainFlags) **bool { return &f.SublinearTF }, parseSwitch),
	"model":        axis(func(f *trainFlags) **string { return &f.Model }, parseString),
	"loss":         axis(func(f *trainFlags) **string { return &f.Loss }, parseString),
	"C":            axis(func(f *trainFlags) **float64 { return &f.C }, parseNumber[float64]),
	"alpha":        axis(func(f *trainFlags) **float64 { return &f.Alpha }, parseNumber[float64]),
	"beta":         axis(func(f *trainFlags) **beta { return &f.Beta }, parseText[beta]),
	"bias":         axis(func(f *trainFlags) **float64 { return &f.Bias }, parseNumber[float64]),
	"calibrate":    axis(func(f *trainFlags) **bool { return &f.Calibrate }, parseSwitch),
	"gamma":        axis(func(f *trainFlags) **float64 { return &f.Gamma }, parseNumber[float64]),
	"hold-out":     axis(func(f *trainFlags) **float64 { return &f.HoldOut }, parseNumber[float64]),
	"tol":          axis(func(f *trainFlags) **float64 { return &f.Tol }, parseNumber[float64]),
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

// gridSetting is one point of a grid.
type gridSetting struct {
	Values  map[string]string `json:"setting"`
	ignores []string          // flags that have no effect on its model
	foldSummary
}

// String is the point as flags are written.
func (s gridSetting) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		parts = append(parts, name+"="+s.Values[name])
	}
	return strings.Join(parts, " ")
}

// settings are all points of the grid, the last axis changing fastest, and their options.
func (v *cvCmd) settings(c *call) (points []gridSetting, all []nbsvm.Options, err error) {
	points = []gridSetting{{Values: map[string]string{}}}
	for k, axis := range v.Grid {
		for _, before := range v.Grid[:k] {
			if before.name == axis.name {
				return nil, nil, usageError{fmt.Errorf("--grid %s is given twice: join the values with commas, --grid %[1]s=A,B", axis.name)}
			}
		}
		if gridAxes[axis.name].given(&v.trainFlags) {
			return nil, nil, usageError{fmt.Errorf("--grid %s has the values to compare, and --%s no effect beside it: leave one out", axis.name, axis.name)}
		}
		if len(points)*len(axis.values) > mostSettings {
			return nil, nil, usageError{fmt.Errorf("--grid: there are more than %d settings", mostSettings)}
		}
		var more []gridSetting
		for _, p := range points {
			for _, value := range axis.values {
				values := maps.Clone(p.Values)
				values[axis.name] = value
				more = append(more, gridSetting{Values: values})
			}
		}
		points = more
	}
	for i := range points {
		p := &points[i]
		flags := v.trainFlags
		for name, value := range p.Values {
			if err := gridAxes[name].set(&flags, value); err != nil {
				return nil, nil, usageError{fmt.Errorf("--grid %s: %w", name, inRange(name, err))}
			}
		}
		o, err := flags.build(c, v.Input)
		if err != nil {
			if len(p.Values) > 0 {
				err = usageError{fmt.Errorf("--grid %s: %w", p, err)}
			}
			return nil, nil, err
		}
		p.ignores = o.Kind.Ignores()
		all = append(all, o)
	}
	return points, all, v.checkEffect(points, all)
}

// checkEffect refuses flags that have no effect in any setting.
func (v *cvCmd) checkEffect(points []gridSetting, all []nbsvm.Options) error {
	for _, name := range points[0].ignores {
		everywhere := !slices.ContainsFunc(points, func(p gridSetting) bool { return !slices.Contains(p.ignores, name) })
		if everywhere && (v.gives(name) || points[0].Values[name] != "") {
			return noEffect(name, all[0].Kind)
		}
	}
	return nil
}

// writeGrid writes a line for every setting, and which is best.
func (v *cvCmd) writeGrid(w io.Writer, points []gridSetting) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var head []string
	for _, axis := range v.Grid {
		head = append(head, axis.name)
	}
	metrics := v.columns(points)
	for _, name := range metrics {
		head = append(head, name, "sd")
	}
	fmt.Fprintln(tw, strings.Join(head, "\t"))
	for _, p := range points {
		var line []string
		for _, axis := range v.Grid {
			line = append(line, p.Values[axis.name])
		}
		for _, name := range metrics {
			if mean, ok := p.Mean[name]; ok {
				line = append(line, fmt.Sprintf("%.4f", float64(mean)), fmt.Sprintf("%.4f", float64(p.SD[name])))
			} else {
				line = append(line, "-", "-")
			}
		}
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	tw.Flush()
	best := points[bestSetting(points)]
	var flags []string
	for _, axis := range v.Grid {
		if slices.Contains(best.ignores, axis.name) {
			continue
		}
		flags = append(flags, fmt.Sprintf("--%s=%s", axis.name, best.Values[axis.name]))
	}
	_, err := fmt.Fprintf(w, "\nbest accuracy, %.4f: %s\n", float64(best.Mean[bestBy]), strings.Join(flags, " "))
	return err
}

// bestBy is the metric that tells the best setting.
const bestBy = "accuracy"

// columns are the metrics of a line, those that any setting has.
func (v *cvCmd) columns(points []gridSetting) (names []string) {
	for _, name := range []string{bestBy, "macro_f1", "roc_auc", "log_loss"} {
		if slices.ContainsFunc(points, func(p gridSetting) bool { _, ok := p.Mean[name]; return ok }) {
			names = append(names, name)
		}
	}
	return names
}

// bestSetting is the first of those that have the highest accuracy.
func bestSetting(points []gridSetting) int {
	best := 0
	for i, p := range points {
		if p.Mean[bestBy] > points[best].Mean[bestBy] {
			best = i
		}
	}
	return best
}
