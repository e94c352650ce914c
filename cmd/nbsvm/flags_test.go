package main

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/flags"
)

// own are the flags of a command.
func own(t *testing.T, name string) []*flags.Field {
	t.Helper()
	g := newGrammar(io.Discard, io.Discard, nil)
	command, _, err := g.root.Find(strings.Fields(name))
	if err != nil || g.commands[command] == nil {
		t.Fatalf("there is no command %s: %v", name, err)
	}
	return g.commands[command].own
}

// trained are the options of a train command.
func trained(t *testing.T, flags ...string) (nbsvm.Options, error) {
	t.Helper()
	p, err := parse(append([]string{"train", "in.tsv", "-o", "x.nbm"}, flags...), io.Discard, io.Discard)
	if err != nil {
		return nbsvm.Options{}, err
	}
	return p.runner.(*trainCmd).options(&call{common: p.common, parsed: p}, nil)
}

// TestPresetFlags checks that presets are what the library says, and that every
// flag can take back what a preset gives.
func TestPresetFlags(t *testing.T) {
	for _, preset := range nbsvm.Presets() {
		if got, err := trained(t, "--preset", preset.Name); err != nil || !reflect.DeepEqual(got, preset.Options()) {
			t.Errorf("preset %s: %v\n got %+v\nwant %+v", preset.Name, err, got, preset.Options())
		}
		got, err := trained(t, "--preset", preset.Name, "--ngrams", "word", "--beta", "auto", "--min-df", "auto", "--values", "binary")
		if err != nil || got.Text.Families != (hashing.Families{}) || got.Beta != 0 || got.MinDF != 0 || got.Values != nbsvm.Binary {
			t.Errorf("preset %s taken back: %v, %+v", preset.Name, err, got)
		}
		// Another model has the loss that suits it, not that of the preset.
		if got, err := trained(t, "--preset", preset.Name, "--model", "logistic"); err != nil || got.Loss != "" {
			t.Errorf("preset %s with model logistic: %v, loss %q", preset.Name, err, got.Loss)
		}
	}
}

// TestRanges wants values out of range refused in the words of the reference.
func TestRanges(t *testing.T) {
	tested := 0
	for _, flag := range own(t, "train") {
		want := flag.Tag("values")
		if want == "" || flag.Name == "seed" || flag.Placeholder == "SIZE" || flag.Name == "max-record" || flag.Name == "threads" {
			continue
		}
		tested++
		value := "-77"
		flags := []string{"--" + flag.Name + "=" + value}
		for _, kind := range nbsvm.Kinds() {
			if !slices.Contains(kind.Ignores(), flag.Name) {
				flags = append(flags, "--model", string(kind))
				break
			}
		}
		if o, err := trained(t, flags...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v, %v, want %s", flags, o, err, want)
		}
		if _, err := trained(t, "--"+flag.Name, "x"); err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("--%s x gives %v, want %s", flag.Name, err, want)
		}
	}
	if tested < 15 {
		t.Errorf("only %d flags have a range", tested)
	}
}

// TestChoices offers words for completion that the command takes, every one.
func TestChoices(t *testing.T) {
	offered := 0
	for command, p := range newGrammar(io.Discard, io.Discard, nil).commands {
		for _, flag := range p.own {
			for _, word := range flag.Choices {
				offered++
				if command.CommandPath() != "nbsvm train" || word == "quarantine=" || word == "lines" {
					continue
				}
				flags := []string{"--" + flag.Name, word}
				switch {
				case flag.Name != "loss":
				case strings.HasSuffix(word, "epsilon-insensitive"):
					flags = append(flags, "--model", "svr")
				case word != "logistic":
					flags = append(flags, "--model", "svm")
				}
				if _, err := trained(t, flags...); err != nil {
					t.Errorf("train %v: %v", flags, err)
				}
			}
		}
	}
	if offered < 40 {
		t.Errorf("only %d words are offered", offered)
	}
}

// TestFlagNames keeps the flags in which commands agree with each other alike:
// everything that cv has but what is about folds and grids, train has too, and what grids are of.
func TestFlagNames(t *testing.T) {
	flags := map[string]map[string]string{}
	for command, p := range newGrammar(io.Discard, io.Discard, nil).commands {
		name := strings.TrimPrefix(command.CommandPath(), "nbsvm ")
		flags[name] = map[string]string{}
		for _, flag := range p.own {
			flags[name][flag.Name] = flag.Help
			if flag.Group == "" && !flag.Argument || !strings.HasSuffix(flag.Help, ".") || flag.Placeholder == "" && !flag.Argument && !flag.Switch() {
				t.Errorf("%s --%s: group %q, help %q, placeholder %q", name, flag.Name, flag.Group, flag.Help, flag.Placeholder)
			}
		}
	}
	own := []string{"folds", "grid", "no-group", "wrong"}
	for name, help := range flags["cv"] {
		if !slices.Contains(own, name) && flags["train"][name] != help {
			t.Errorf("cv has --%s %q, train %q", name, help, flags["train"][name])
		}
	}
	if help := flags["tune"]["no-group"]; help != flags["cv"]["no-group"] {
		t.Errorf("cv has --no-group %q, tune %q", flags["cv"]["no-group"], help)
	}
	if names := gridNames(); len(names) < 25 {
		t.Errorf("there can be a grid of %v alone", names)
	}
}
