// Package completion writes scripts that complete nbsvm's command lines, from its grammar.
package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Write writes the script of a shell, one of bash, zsh and fish, for all commands; see [Words].
func Write(w io.Writer, shell string, root *kong.Node, words func(flag *kong.Flag) []string) error {
	commands := completable(root)
	for i := range commands {
		commands[i].words = words
	}
	switch shell {
	case "fish":
		return fish(w, commands)
	case "zsh":
		// zsh runs bash's completion functions.
		fmt.Fprintln(w, "autoload -U +X bashcompinit && bashcompinit")
	}
	return bash(w, commands)
}

// command is a command with its flags and what its first argument may
// be, where that is known.
type command struct {
	group      string // "bench" of bench solve, else empty
	name, help string
	flags      []*kong.Flag
	arguments  []string
	words      func(flag *kong.Flag) []string
}

// path is the command as it is typed.
func (c *command) path() string { return strings.TrimPrefix(c.group+" "+c.name, " ") }

// completable lists the commands, those of a group in its place.
func completable(root *kong.Node) []command {
	var commands []command
	for _, node := range root.Leaves(false) {
		c := command{name: node.Name, help: firstSentence(node.Help), flags: slices.Concat(node.Flags, root.Flags)}
		if node.Parent != root {
			c.group = node.Parent.Name
		}
		for _, argument := range node.Positional {
			c.arguments = append(c.arguments, enum(argument)...)
		}
		commands = append(commands, c)
	}
	return commands
}

// groupsOf lists the groups and the names of their commands, in order.
func groupsOf(commands []command) (names []string, members map[string][]string) {
	members = map[string][]string{}
	for _, c := range commands {
		if c.group != "" {
			members[c.group] = append(members[c.group], c.name)
			names = append(names, c.group)
		}
	}
	return slices.Compact(names), members
}

// names are the flag's, "--name" and "--no-name".
func names(f *kong.Flag) []string {
	if f.Tag.Negatable != "" {
		return []string{f.Name, "no-" + f.Name}
	}
	return []string{f.Name}
}

// Words are those that a flag takes, where it takes only some: those of the grammar, or of more.
func Words(f *kong.Flag, more func(flag *kong.Flag) []string) []string {
	switch words := enum(f.Value); {
	case len(words) > 0:
		return words
	case f.Tag.Has("choices"):
		return strings.Split(f.Tag.Get("choices"), ",")
	}
	return more(f)
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

func bash(w io.Writer, commands []command) error {
	var all []string
	var flags, values, nested strings.Builder
	for _, c := range commands {
		if c.group == "" {
			all = append(all, c.name)
		}
		var words []string
		for _, f := range c.flags {
			for _, name := range names(f) {
				words = append(words, "--"+name)
			}
			if known := Words(f, c.words); len(known) > 0 {
				fmt.Fprintf(&values, "    '%s --%s') values='%s' ;;\n", c.path(), f.Name, strings.Join(known, " "))
			}
		}
		fmt.Fprintf(&flags, "    '%s') flags='%s' arguments='%s' ;;\n", c.path(), strings.Join(words, " "), strings.Join(c.arguments, " "))
	}
	groups, members := groupsOf(commands)
	for _, group := range groups {
		fmt.Fprintf(&nested, "    %s) members='%s' ;;\n", group, strings.Join(members[group], " "))
	}
	all = append(append(all, groups...), "--help")
	_, err := fmt.Fprintf(w, `_nbsvm() {
  local current="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" previous="" members="" flags="" arguments="" values=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '%s' -- "$current"))
    return
  fi
  case "$command" in
%s  esac
  if [ -n "$members" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$members" -- "$current"))
      return
    fi
    command="$command ${COMP_WORDS[2]}"
  fi
  previous="${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$current" = = ]; then
    current=""
  elif [ "$previous" = = ]; then
    previous="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "$command $previous" in
%s  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case "$command" in
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
`, strings.Join(all, " "), nested.String(), values.String(), flags.String())
	return err
}

func fish(w io.Writer, commands []command) error {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	var b strings.Builder
	groups, members := groupsOf(commands)
	for _, group := range groups {
		fmt.Fprintf(&b, "complete -c nbsvm -n __fish_use_subcommand -f -a %s\n", group)
	}
	for _, c := range commands {
		before, at := "__fish_use_subcommand", "__fish_seen_subcommand_from "+c.name
		switch {
		case c.group != "":
			at = "__fish_seen_subcommand_from " + c.group + "; and " + at
			before = fmt.Sprintf("'__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from %s'", c.group, strings.Join(members[c.group], " "))
		case len(groups) > 0:
			at += "; and not __fish_seen_subcommand_from " + strings.Join(groups, " ")
		}
		fmt.Fprintf(&b, "complete -c nbsvm -n %s -f -a %s -d %s\n", before, c.name, quote(c.help))
		within := fmt.Sprintf("complete -c nbsvm -n '%s'", at)
		if len(c.arguments) > 0 {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", within, strings.Join(c.arguments, " "))
		}
		for _, f := range c.flags {
			for _, name := range names(f) {
				fmt.Fprintf(&b, "%s -l %s", within, name)
				if f.Short != 0 {
					fmt.Fprintf(&b, " -s %c", f.Short)
				}
				switch known := Words(f, c.words); {
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
