package scoring

import (
	"cmp"
	"errors"
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
var takenNames = []string{"p", "margin", "label", "unknown", "and", "or", "not", "id", "fields", "error"}

// NameModels returns the names of models, of which a single one has none, and their files: that of MODEL, or those of
// --model NAME=FILE. It refuses names that conditions or rows can't have.
func NameModels(alone string, named, files []string) (names, paths []string, err error) {
	switch {
	case len(named) == 0 && alone == "":
		err = errors.New("missing MODEL: name a model file, or several with --model NAME=FILE")
	case len(named) == 0:
		return []string{""}, []string{alone}, nil
	case alone != "":
		err = fmt.Errorf("MODEL and --model name models: leave one out, or give %s a name, too", display.Text(alone))
	case len(files) != len(named):
		err = fmt.Errorf("--model: patterns match %d models for %d names: name one file for each", len(files), len(named))
	default:
		err = checkNames(named)
	}
	return named, files, err
}

func checkNames(names []string) error {
	for i, name := range names {
		switch {
		case !modelName.MatchString(name):
			return fmt.Errorf("--model %s: a name has letters, digits, _ and -, and begins with a letter", display.Label(name))
		case slices.Contains(takenNames, name):
			return fmt.Errorf("--model %s: this has a meaning of its own in conditions and rows: choose another name", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("--model %s: two models have this name", name)
		}
	}
	return nil
}

// Restrict has a model choose among labels, as --labels gives them: of several models, with the name of one and = in
// front.
func Restrict(models []Model, given []string) error {
	labels := map[string][]string{}
	for _, text := range given {
		name, ok := "", true
		if len(models) > 1 {
			if name, text, ok = strings.Cut(text, "="); !ok {
				return fmt.Errorf("--labels %s: there are several models: put the name of one and = in front, such as %s=%[1]s",
					display.Label(name), models[0].Name)
			}
		}
		m := slices.IndexFunc(models, func(m Model) bool { return m.Name == name || len(models) == 1 })
		if m < 0 {
			return fmt.Errorf("--labels %s=…: no model has this name", display.Label(name))
		}
		name = models[m].Name
		if slices.Contains(models[m].Labels(), text) {
			labels[name] = append(labels[name], text)
		} else {
			labels[name] = append(labels[name], strings.Split(text, ",")...)
		}
	}
	for _, m := range models {
		if among := labels[m.Name]; among != nil {
			if err := m.Classifier.Restrict(among...); err != nil {
				return fmt.Errorf("--labels: %w", err)
			}
		}
	}
	return nil
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
