package scoring

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Model is a classifier with its name in conditions and outputs. It has none if it is the only one.
type Model struct {
	Name string
	*nbsvm.Classifier
}

// modelName is what can stand in a condition, and names columns and members.
var modelName = regexp.MustCompile(`^[\pL_][\pL\p{Nd}_-]*$`)

// takenNames are words of conditions, and members of rows of JSON.
var takenNames = []string{"p", "margin", "label", "and", "or", "not", "id", "fields", "error"}

// ParseModels reads NAME=FILE, one for each model. Names must differ.
func ParseModels(given []string) (names, paths []string, err error) {
	for _, text := range given {
		name, path, ok := strings.Cut(text, "=")
		switch {
		case !ok || path == "":
			return nil, nil, fmt.Errorf("--model %s: give a name and a file, such as lang=lid.176.ftz", display.Label(text))
		case !modelName.MatchString(name):
			return nil, nil, fmt.Errorf("--model %s: a name has letters, digits, _ and -, and begins with a letter", display.Label(text))
		case slices.Contains(takenNames, name):
			return nil, nil, fmt.Errorf("--model %s: %s has a meaning of its own in conditions and rows: choose another name", display.Label(text), name)
		case slices.Contains(names, name):
			return nil, nil, fmt.Errorf("--model %s: two models have the name %s", display.Label(text), name)
		}
		names, paths = append(names, name), append(paths, path)
	}
	return names, paths, nil
}

// prefix stands before the names of a model's columns.
func (m *Model) prefix() string {
	if m.Name == "" {
		return ""
	}
	return m.Name + "_"
}

// reading returns how the files were read on which the models were trained. If they were read in different ways, only what
// is said of the input holds.
func reading(models []Model) (like corpus.Reading) {
	for _, m := range models {
		of := m.Reading()
		of.Format = cmp.Or(of.Format, m.Format())
		switch none := (corpus.Reading{}); {
		case of == none || of == like:
		case like == none:
			like = of
		default:
			return none
		}
	}
	return like
}
