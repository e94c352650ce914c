package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (x *completionCmd) Help() string {
	return `Where to put it:

    bash  source <(nbsvm completion bash), in ~/.bashrc
    zsh   source <(nbsvm completion zsh), in ~/.zshrc after compinit
    fish  nbsvm completion fish > ~/.config/fish/completions/nbsvm.fish`
}

func (x *completionCmd) Run(c *call) error {
	if c.JSON {
		return usageError{errors.New("--json: a completion script has no form in JSON")}
	}
	commands := completable(c.parser.Model.Node)
	switch x.Shell {
	case "fish":
		return fishCompletion(c.out, commands)
	case "zsh":
		// zsh runs bash's completion functions.
		fmt.Fprintln(c.out, "autoload -U +X bashcompinit && bashcompinit")
	}
	return bashCompletion(c.out, commands)
}

// completableCommand is a command with its flags and what its first argument may
// be, where that is known.
type completableCommand struct {
	name, help string
	flags      []*kong.Flag
	arguments  []string
}

func completable(root *kong.Node) []completableCommand {
	var commands []completableCommand
	for _, node := range root.Children {
		c := completableCommand{name: node.Name, help: firstSentence(node.Help)}
		c.flags = append(append(c.flags, node.Flags...), root.Flags...)
		for _, argument := range node.Positional {
			c.arguments = append(c.arguments, enum(argument)...)
		}
		commands = append(commands, c)
	}
	return commands
}

// names are the flag's, "--name" and "--no-name".
func names(f *kong.Flag) []string {
	if f.Tag.Negatable != "" {
		return []string{f.Name, "no-" + f.Name}
	}
	return []string{f.Name}
}

// choices are the words that a flag takes, where it takes only some.
func choices(f *kong.Flag) []string {
	switch words := enum(f.Value); {
	case len(words) > 0:
		return words
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
	}
	return map[string][]string{
		"format":        {"auto", "tsv", "csv", "jsonl", "fasttext", "lines", "svmlight"},
		"input-format":  {"auto", "tsv", "csv", "jsonl", "fasttext", "svmlight"},
		"output-format": {"tsv", "jsonl", "fasttext"},
		"tokenizer":     {"word", "char", "space"},
		"values":        {"binary", "count", "tfidf"},
		"loss":          {"hinge", "squared-hinge", "logistic"},
		"on-bad":        {"fail", "skip", "quarantine="},
		"class-weight":  {"balanced"},
	}[f.Name]
}

func enum(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}

func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

func bashCompletion(w io.Writer, commands []completableCommand) error {
	var all, flags, values strings.Builder
	for _, c := range commands {
		all.WriteString(c.name + " ")
		var words []string
		for _, f := range c.flags {
			for _, name := range names(f) {
				words = append(words, "--"+name)
			}
			if known := choices(f); len(known) > 0 {
				fmt.Fprintf(&values, "    '%s --%s') values='%s' ;;\n", c.name, f.Name, strings.Join(known, " "))
			}
		}
		fmt.Fprintf(&flags, "    %s) flags='%s' arguments='%s' ;;\n", c.name, strings.Join(words, " "), strings.Join(c.arguments, " "))
	}
	_, err := fmt.Fprintf(w, `_nbsvm() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="" flags="" arguments="" values=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '%s--help' -- "$current"))
    return
  fi
  previous="${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$current" = = ]; then
    current=""
  elif [ "$previous" = = ]; then
    previous="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "${COMP_WORDS[1]} $previous" in
%s  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]}" in
%s  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ -n "$arguments" ]; then
        COMPREPLY=($(compgen -W "$arguments" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi ;;
  esac
}
complete -o filenames -F _nbsvm nbsvm
`, all.String(), values.String(), flags.String())
	return err
}

func fishCompletion(w io.Writer, commands []completableCommand) error {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c nbsvm -n __fish_use_subcommand -f -a %s -d %s\n", c.name, quote(c.help))
		within := fmt.Sprintf("complete -c nbsvm -n '__fish_seen_subcommand_from %s'", c.name)
		if len(c.arguments) > 0 {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", within, strings.Join(c.arguments, " "))
		}
		for _, f := range c.flags {
			for _, name := range names(f) {
				fmt.Fprintf(&b, "%s -l %s", within, name)
				if f.Short != 0 {
					fmt.Fprintf(&b, " -s %c", f.Short)
				}
				switch known := choices(f); {
				case len(known) > 0:
					fmt.Fprintf(&b, " -x -a '%s'", strings.Join(known, " "))
				case !f.IsBool():
					b.WriteString(" -r")
				}
				fmt.Fprintf(&b, " -d %s\n", quote(firstSentence(f.Help)))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
