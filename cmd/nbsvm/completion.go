package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
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
	_, err := io.WriteString(c.out, completionScripts[x.Shell])
	return err
}

// completeCommand is how the scripts ask for the words that can come next; see complete.
const completeCommand = "__complete"

// completionScripts pass the words before the cursor to nbsvm. If it offers none, the shell completes names of files.
var completionScripts = map[string]string{
	"bash": bashCompletion,
	"zsh": `#compdef nbsvm
_nbsvm() {
  local -a offered=("${(@f)$(nbsvm __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z $offered ]]; then
    _files
    return
  fi
  offered=("${(@)offered//:/\\:}")
  offered=("${(@)offered/$'\t'/:}")
  _describe nbsvm offered
}
if [[ $funcstack[1] == _nbsvm ]]; then _nbsvm "$@"; else compdef _nbsvm nbsvm; fi
`,
	"fish": `function __nbsvm_words
  nbsvm __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c nbsvm -n 'test (count (__nbsvm_words)) -gt 0' -f -a '(__nbsvm_words)'
`,
}

const bashCompletion = `_nbsvm() {
  COMPREPLY=($(nbsvm __complete "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _nbsvm nbsvm
`

// complete prints what the last word of a command line, which is being typed, can become: one word per line, with a tab
// and its help.
func complete(w io.Writer, line []string) error {
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	current := ""
	if last := len(line) - 1; last >= 0 {
		current, line = line[last], line[:last]
	}
	node, flag := parser.Model.Node, (*kong.Flag)(nil)
	for _, word := range line {
		if word == "=" { // bash takes --flag=value apart
			continue
		}
		flag = flagOf(node, word)
		if k := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == word }); k >= 0 {
			node = node.Children[k]
		}
	}
	before := ""
	if name, value, joined := strings.Cut(current, "="); name == "" {
		current = value
	} else if joined {
		before, current, flag = name+"=", value, flagOf(node, name)
	}
	offer := func(word, help string) {
		if strings.HasPrefix(word, current) {
			help, _, _ = strings.Cut(help, ". ")
			fmt.Fprintf(w, "%s%s\t%s\n", before, word, strings.TrimSuffix(help, "."))
		}
	}
	switch {
	case flag != nil && !flag.IsBool():
		for _, word := range flagWords(flag) {
			offer(word, "")
		}
	case strings.HasPrefix(current, "-"):
		for _, flag := range flagsOf(node) {
			offer("--"+flag.Name, flag.Help)
			if flag.Tag.Negatable != "" {
				offer("--no-"+flag.Name, flag.Help)
			}
		}
	default:
		for _, child := range node.Children {
			offer(child.Name, child.Help)
		}
		for _, argument := range node.Positional {
			for _, word := range enumOf(argument) {
				offer(word, "")
			}
		}
	}
	return nil
}

// flagsOf are the flags of a command, those of every command last.
func flagsOf(node *kong.Node) (flags []*kong.Flag) {
	for ; node != nil; node = node.Parent {
		flags = append(flags, node.Flags...)
	}
	return flags
}

// flagOf is the flag of a command that a word names, or nil.
func flagOf(node *kong.Node, word string) *kong.Flag {
	for _, flag := range flagsOf(node) {
		if word == "--"+flag.Name || word == typed(flag) {
			return flag
		}
	}
	return nil
}

// flagWords are the words that a flag takes, where it takes only some.
func flagWords(flag *kong.Flag) (words []string) {
	switch {
	case flag.Enum != "":
		return enumOf(flag.Value)
	case flag.Tag.Has("choices"):
		return strings.Split(flag.Tag.Get("choices"), ",")
	case flag.Name == "model":
		for _, kind := range nbsvm.Kinds() {
			words = append(words, string(kind))
		}
		return words
	case flag.Name == "preset":
		for _, preset := range nbsvm.Presets() {
			words = append(words, preset.Name)
		}
		return words
	case flag.Name == "format":
		return corpus.Formats(true)
	}
	return map[string][]string{
		"output-format": {"tsv", "jsonl", "fasttext", "fasttext-labels"},
		"on-bad":        {"fail", "skip", "quarantine="},
		"lengths":       {"fixed", "uniform", "geometric", "lognormal"},
		"class-weight":  {"balanced"},
	}[flag.Name]
}

// enumOf are the words of a tag "enum".
func enumOf(value *kong.Value) []string {
	if value.Enum == "" {
		return nil
	}
	return strings.Split(value.Enum, ",")
}
