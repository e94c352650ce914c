package nbsvmbeam

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(string), error](&matchFn{})
}

// Match returns the collection of the paths (string) of files: those that are named, and those that match patterns.
// Names that begin with a dot match only patterns that do, too. What is not there, or matches nothing, is an error.
func Match(s beam.Scope, patterns ...string) beam.PCollection {
	s = s.Scope("nbsvm.Match")
	return beam.ParDo(s, &matchFn{patterns}, beam.Impulse(s))
}

// matchFn lists files.
type matchFn struct{ Patterns []string }

// ProcessElement is called once, with nothing.
func (f *matchFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	var all []string
	for _, pattern := range f.Patterns {
		found, err := list(ctx, pattern)
		if err != nil {
			return err
		}
		if !strings.Contains(pattern, "/.") && !isLocal(pattern) {
			found = slices.DeleteFunc(found, func(file string) bool { return strings.Contains(file, "/.") })
		}
		if len(found) == 0 {
			return fmt.Errorf("%s: no such file", pattern)
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	for _, file := range slices.Compact(all) {
		emit(file)
	}
	return nil
}
