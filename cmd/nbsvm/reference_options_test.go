package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/flags"
)

// TestReferenceOptions compares docs/reference/training-options.md with the options of training, as the command, the
// library and the record in a model name them. With -update-reference it writes the page.
func TestReferenceOptions(t *testing.T) {
	compareReference(t, "training-options.md", optionsReference(t))
}

const optionsIntro = `# Options of training

<!-- Generated from the definitions of the options. Change those, then run
     go test ./cmd/nbsvm -run TestReference -update-reference -->

An option has one name everywhere. This page sets the option of the command beside the field of ` + "`nbsvm.Options`" + ` in Go
and the key in the record of a model, which ` + "`nbsvm inspect --json`" + ` prints under ` + "`made.options`" + `. Python takes the option
with ` + "`_` for `-`" + `.

[commands.md](commands.md#shared-model) has the meaning of each option.

The last column names the kinds of model that take the option; the others refuse it.

| option | Go field | key in the model | default | values | kinds |
| --- | --- | --- | --- | --- | --- |
`

func optionsReference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(optionsIntro)
	for _, group := range []string{"model", "text", "run"} {
		for _, option := range flagsIn(own(t, "train"), group) {
			if option.Name != "preset" {
				b.WriteString(trainingOption(t, option))
			}
		}
	}
	b.WriteString("\n`--preset NAME` sets the options to start from ([presets](models.md#presets)).\n")
	return b.String()
}

// trainingOption is the row of an option.
func trainingOption(t *testing.T, option *flags.Field) string {
	t.Helper()
	if option.Tag("option") == "" {
		t.Errorf("--%s has no tag that names its field", option.Name)
	}
	var fields, keys []string
	for path := range strings.SplitSeq(option.Tag("option"), ",") {
		if !hasField(reflect.TypeFor[nbsvm.Options](), path) {
			t.Errorf("nbsvm.Options has no field %s for --%s", path, option.Name)
		}
		fields = append(fields, "`"+path+"`")
		if key := recordKey(reflect.TypeFor[nbsvm.Options](), path); key != "" {
			keys = append(keys, "`"+key+"`")
		}
	}
	byDefault := ""
	if found := defaultOfHelp.FindStringSubmatch(option.Help); found != nil {
		byDefault = found[1]
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s | %s |\n", optionName(option), strings.Join(fields, ", "), strings.Join(keys, ", "),
		cell(byDefault), cell(valuesOf(option)), kindsThatTake(option.Name))
}

func hasField(options reflect.Type, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		field, has := options.FieldByName(name)
		if !has {
			return false
		}
		options = field.Type
	}
	return true
}

// recordKey is the key of a field in the record of a model; empty if it is not recorded.
func recordKey(options reflect.Type, path string) string {
	var keys []string
	for name := range strings.SplitSeq(path, ".") {
		field, has := options.FieldByName(name)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !has || key == "" || key == "-" {
			return ""
		}
		keys = append(keys, key)
		options = field.Type
	}
	return strings.Join(keys, ".")
}

// kindsThatTake are the kinds of model on which an option has an effect.
func kindsThatTake(name string) string {
	var all []string
	kinds := nbsvm.Kinds()
	for _, kind := range kinds {
		if !slices.Contains(kind.Ignores(), name) {
			all = append(all, "`"+string(kind)+"`")
		}
	}
	if len(all) == len(kinds) {
		return "all"
	}
	return strings.Join(all, ", ")
}
