package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
)

// mostSettings is how many settings a grid may have.
const mostSettings = 1000

// notInGrids are flags of training that a grid can't have several values of.
var notInGrids = []string{"seed", "memory", "names", "class-weight", "range", "max-epochs", "hierarchy"}

// gridNames returns the options that there can be a grid of.
func gridNames() []string {
	names := []string{"preset"}
	for _, p := range inside.Options() {
		if !slices.Contains(notInGrids, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
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
		return fmt.Errorf("%q must be a flag with values, such as C=0.1,1,10", text)
	}
	if names := gridNames(); !slices.Contains(names, name) {
		return fmt.Errorf("there is no grid of %q; choose among %s", name, strings.Join(names, ", "))
	}
	a.name, a.values = name, strings.Split(values, ",")
	for i, value := range a.values {
		a.values[i] = strings.TrimSpace(value)
	}
	return nil
}

// gridPoint is a setting of a grid.
type gridPoint struct {
	Values  map[string]string `json:"setting"` // of the axes that have an effect on it
	ToBest  standing          `json:"to_best"`
	ignores []string          // flags that have no effect on its model
	foldSummary
}

// String returns the point as flags are written.
func (p *gridPoint) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		parts = append(parts, name+"="+p.Values[name])
	}
	return strings.Join(parts, " ")
}

// settings returns all points of the grid, the last axis changing fastest, and their options. Points that differ only
// in what has no effect on their model are one.
func (v *cvCmd) settings(c *call) (points []gridPoint, all []nbsvm.Options, err error) {
	if kinds := v.values()["model"]; strings.Contains(kinds, ",") {
		return nil, nil, usageError{fmt.Errorf("--model takes one kind; to compare several, give --grid model=%s", kinds)}
	}
	for k, axis := range v.Grid {
		for _, before := range v.Grid[:k] {
			if before.name == axis.name {
				return nil, nil, usageError{fmt.Errorf("--grid %s is given twice: join the values by commas, --grid %[1]s=A,B", axis.name)}
			}
		}
		if c.parsed.given(axis.name) {
			return nil, nil, usageError{fmt.Errorf("--grid %s and --%[1]s contradict each other: leave one out",
				axis.name)}
		}
	}
	asked := []gridPoint{{Values: map[string]string{}}}
	for _, axis := range v.Grid {
		if len(asked)*len(axis.values) > mostSettings {
			return nil, nil, usageError{fmt.Errorf("--grid: more than %d settings; give fewer values", mostSettings)}
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
	return points, all, v.checkEffect(c, points, all)
}

// build makes the options of a point. Families of n-grams are joined by plus signs.
func (v *cvCmd) build(c *call, p *gridPoint) (nbsvm.Options, error) {
	of, values := v.trainFlags, v.values()
	for name, value := range p.Values {
		if name == "preset" {
			if err := of.Preset.UnmarshalText([]byte(value)); err != nil {
				return nbsvm.Options{}, usageError{fmt.Errorf("--grid preset: %w", err)}
			}
			continue
		}
		if name == "ngrams" {
			value = strings.ReplaceAll(value, "+", ",")
		}
		values[name] = value
	}
	o, err := of.build(c, v.Input, values)
	if err != nil && len(p.Values) > 0 {
		err = usageError{fmt.Errorf("--grid %s: %w", display.Label(p.String()), err)}
	}
	return o, err
}

// checkEffect refuses flags that have no effect in any setting.
func (v *cvCmd) checkEffect(c *call, points []gridPoint, all []nbsvm.Options) error {
	for _, name := range points[0].ignores {
		works := slices.ContainsFunc(points, func(p gridPoint) bool { return !slices.Contains(p.ignores, name) })
		compared := slices.ContainsFunc(v.Grid, func(axis gridAxis) bool { return axis.name == name })
		if !works && (compared || c.parsed.given(name)) {
			return usageError{inside.CheckTakes(string(all[0].Kind), name)}
		}
	}
	return nil
}
