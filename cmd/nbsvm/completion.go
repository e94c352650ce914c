package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/declare"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
)

// offer makes the scripts of nbsvm completion offer the words that flags and arguments take. Other flags with a value
// are completed by names of files, which most of them are. Cobra keeps what is registered for ever, so nothing is
// unless a script asks.
func (g *grammar) offer() {
	offerOf(g.root, g.every)
	for command, p := range g.commands {
		offerOf(command, p.own)
	}
}

func offerOf(command *cobra.Command, fields []*declare.Field) {
	for _, f := range fields {
		words := wordsOf(f)
		switch {
		case words == nil:
		case f.Argument:
			command.ValidArgs = words
		default:
			offered := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
			if err := command.RegisterFlagCompletionFunc(f.Name, offered); err != nil {
				panic(err) // the flag is declared twice
			}
		}
	}
}

// wordsOf returns the words that a flag takes, where it takes only some.
func wordsOf(f *declare.Field) (words []string) {
	switch {
	case f.Choices != nil:
		return f.Choices
	case f.Name == "model" && f.Group != "model" && f.Group != "tune":
		return nil
	case f.Name == "model":
		if f.Group == "model" {
			words = append(words, string(nbsvm.AutoKind))
		}
		for _, kind := range nbsvm.Kinds() {
			words = append(words, string(kind))
		}
		return words
	case f.Name == "preset":
		for _, preset := range nbsvm.Presets() {
			words = append(words, preset.Name)
		}
		return words
	case f.Name == "format":
		return corpus.Formats(true)
	}
	return map[string][]string{
		"output-format": slices.Sorted(maps.Keys(scoring.Rows)),
		"on-bad":        {"fail", "skip", "quarantine="},
		"lengths":       {"uniform", "lognormal"},
		"class-weight":  {"balanced"},
	}[f.Name]
}
