package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
)

// fieldsOfOptions are the fields of nbsvm.Options that options of training set; several where one option sets them
// together.
var fieldsOfOptions = map[string]string{
	"tokenizer": "Text.Tokenizer", "lowercase": "Text.Lowercase", "punctuation": "Text.Punctuation",
	"strip-html": "Text.StripHTML", "bits": "Text.Bits", "ngrams": "Text.NgramLo, Text.NgramHi, AutoNgrams",
	"features": "Text.More", "min-df": "MinDF", "max-df": "MaxDF", "values": "Values", "sublinear-tf": "SublinearTF",
	"prenormalize": "Prenormalize", "normalize": "Normalize", "model": "Kind", "loss": "Loss", "C": "C", "alpha": "Alpha",
	"beta": "Beta, AutoBeta", "bias": "Bias", "class-weight": "ClassWeight", "calibrate": "Calibrate", "tol": "Tol",
	"max-epochs": "MaxEpochs", "gamma": "Gamma", "normalize-weights": "NormalizeWeights", "neighbours": "Neighbours",
	"similarity": "Similarity", "votes": "Votes", "hold-out": "HoldOut", "seed": "Seed", "keep-ratio": "KeepRatio",
	"names": "NamesLimit", "rounds": "Trees.Rounds", "depth": "Trees.Depth", "rate": "Trees.Rate",
	"lambda": "Trees.Lambda", "min-gain": "Trees.MinGain", "min-child-weight": "Trees.MinChildWeight",
	"subsample": "Trees.Subsample", "colsample": "Trees.ColSample", "bins": "Trees.Bins", "patience": "Trees.Patience",
	"hierarchy": "Hierarchy.Separator", "hierarchy-method": "Hierarchy.Method", "hierarchy-beam": "Hierarchy.Beam",
	"hierarchy-stop": "Hierarchy.Stop", "memory": "Memory",
}

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
with ` + "`_` for `-`" + `; ` + "`--lambda`" + ` is ` + "`reg_lambda`" + ` there.

[commands.md](commands.md#shared-model) has the meaning of each option.

The last column names the kinds of model that take the option; the others refuse it.

| option | Go field | key in the model | default | values | kinds |
| --- | --- | --- | --- | --- | --- |
`

func optionsReference(t *testing.T) string {
	t.Helper()
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(optionsIntro)
	described := map[string]bool{}
	for _, command := range parser.Model.Leaves(true) {
		if commandName(command) != "train" {
			continue
		}
		for _, title := range []string{"Model:", "Text to features:", "Running:"} {
			for _, option := range ofGroup(command.Flags, title) {
				if option.Name == "preset" {
					continue
				}
				described[option.Name] = true
				b.WriteString(trainingOption(t, option))
			}
		}
	}
	for name := range fieldsOfOptions {
		if !described[name] {
			t.Errorf("fieldsOfOptions names --%s, which train does not have", name)
		}
	}
	b.WriteString("\n`--preset NAME` sets the options to start from ([presets](models.md#presets)).\n")
	return b.String()
}

// trainingOption is the row of an option.
func trainingOption(t *testing.T, option *kong.Flag) string {
	t.Helper()
	if fieldsOfOptions[option.Name] == "" {
		t.Errorf("--%s has no field in fieldsOfOptions", option.Name)
	}
	var fields, keys []string
	for path := range strings.SplitSeq(fieldsOfOptions[option.Name], ", ") {
		if !hasField(reflect.TypeFor[nbsvm.Options](), path) {
			t.Errorf("nbsvm.Options has no field %s for --%s", path, option.Name)
		}
		fields = append(fields, "`"+path+"`")
		if key := recordKey(reflect.TypeFor[train.Options](), path); key != "" {
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
