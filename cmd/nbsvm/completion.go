package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (x *completionCmd) Help() string {
	return `bash: source <(nbsvm completion bash), in ~/.bashrc
zsh:  source <(nbsvm completion zsh), in ~/.zshrc after compinit
fish: nbsvm completion fish > ~/.config/fish/completions/nbsvm.fish`
}

func (x *completionCmd) Run(c *call) error {
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

// completableCommand is a command with its flags, "--name" each.
type completableCommand struct {
	name, help string
	flags      []*kong.Flag
}

func completable(root *kong.Node) []completableCommand {
	var commands []completableCommand
	for _, node := range root.Children {
		commands = append(commands, completableCommand{node.Name, firstSentence(node.Help), append(root.Flags[:len(root.Flags):len(root.Flags)], node.Flags...)})
	}
	return commands
}

func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

func bashCompletion(w io.Writer, commands []completableCommand) error {
	var names, cases strings.Builder
	for _, c := range commands {
		names.WriteString(" " + c.name)
		fmt.Fprintf(&cases, "    %s) words=\"", c.name)
		for i, f := range c.flags {
			if i > 0 {
				cases.WriteByte(' ')
			}
			cases.WriteString("--" + f.Name)
			if f.Tag.Negatable != "" {
				cases.WriteString(" --no-" + f.Name)
			}
		}
		cases.WriteString("\" ;;\n")
	}
	_, err := fmt.Fprintf(w, `_nbsvm() {
  local current="${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "%s --help" -- "$current"))
    return
  fi
  case "${COMP_WORDS[1]}" in
%s  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _nbsvm nbsvm
`, strings.TrimSpace(names.String()), cases.String())
	return err
}

func fishCompletion(w io.Writer, commands []completableCommand) error {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c nbsvm -n __fish_use_subcommand -f -a %s -d %s\n", c.name, quote(c.help))
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c nbsvm -n '__fish_seen_subcommand_from %s' -l %s", c.name, f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %c", f.Short)
			}
			if !f.IsBool() {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(firstSentence(f.Help)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
