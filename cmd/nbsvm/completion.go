package main

import (
	"errors"
	"io"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/cli/completion"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

func (x *completionCmd) Help() string {
	return `Install the script:

    bash  source <(nbsvm completion bash), in ~/.bashrc
    zsh   source <(nbsvm completion zsh), in ~/.zshrc after compinit
    fish  nbsvm completion fish > ~/.config/fish/completions/nbsvm.fish`
}

func (x *completionCmd) Run(c *call) error {
	if c.JSON {
		return usageError{errors.New("--json: completion scripts have no JSON form: leave it out")}
	}
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	return completion.Write(c.out, x.Shell, parser.Model.Node, flagWords)
}

// flagWords are the words that a flag takes, where it takes only some and has no tag that says which.
func flagWords(f *kong.Flag) (words []string) {
	switch {
	case f.Name == "model":
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
		"output-format": {"tsv", "jsonl", "fasttext", "fasttext-labels"},
		"on-bad":        {"fail", "skip", "quarantine="},
		"lengths":       {"fixed", "uniform", "geometric", "lognormal"},
		"class-weight":  {"balanced"},
	}[f.Name]
}
