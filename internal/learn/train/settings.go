package train

import (
	"fmt"
	"slices"
	"strings"
)

// Settings tells people the numbers that a model was trained with, by the names of their flags: those that have an
// effect on its kind.
func (o *Options) Settings() string {
	t, ignored := &o.Trees, o.Kind.Ignores()
	var all []string
	for _, setting := range []struct {
		name  string
		value any
	}{
		{"alpha", o.Alpha},
		{"beta", o.Beta},
		{"C", o.C},
		{"gamma", o.Gamma},
		{"bias", o.Bias},
		{"tol", o.Tol},
		{"rounds", t.Rounds},
		{"depth", t.Depth},
		{"rate", t.Rate},
		{"lambda", t.Lambda},
		{"min-gain", t.MinGain},
		{"min-child-weight", t.MinChildWeight},
		{"subsample", t.Subsample},
		{"colsample", t.ColSample},
		{"bins", t.Bins},
		{"seed", o.Seed},
	} {
		if !slices.Contains(ignored, setting.name) {
			all = append(all, fmt.Sprintf("%s %v", setting.name, setting.value))
		}
	}
	return strings.Join(all, ", ")
}
