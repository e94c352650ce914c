package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

var updateReference = flag.Bool("update-reference", false, "write the generated pages of docs/reference again")

// TestReference compares docs/reference/commands.md with the definitions of the commands. With -update-reference it
// writes the page.
func TestReference(t *testing.T) {
	compareReference(t, "commands.md", commandReference(t))
}

// compareReference compares a page of docs/reference with what it should be, or writes it.
func compareReference(t *testing.T, name, wanted string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", "reference", name)
	if *updateReference {
		must.OK(t, os.WriteFile(page, []byte(wanted), 0o644))
		return
	}
	data, err := os.ReadFile(page)
	must.OK(t, err)
	found, want := strings.Split(string(data), "\n"), strings.Split(wanted, "\n")
	for i := range max(len(found), len(want)) {
		here, there := lineOf(found, i), lineOf(want, i)
		if here != there {
			t.Fatalf("%s:%d differs from the definitions; this writes the page again:\n"+
				"go test ./cmd/nbsvm -run TestReference -update-reference\npage:        %s\ndefinitions: %s", page, i+1, here, there)
		}
	}
}

// lineOf is a line, or a mark for the end of the page.
func lineOf(lines []string, i int) string {
	if i >= len(lines) {
		return "(end of the page)"
	}
	return lines[i]
}

const referenceIntro = `# Commands

<!-- Generated from the definitions of the commands. Change those, then run
     go test ./cmd/nbsvm -run TestReference -update-reference -->

This page lists every command with its arguments and options. ` + "`nbsvm COMMAND --help`" + ` prints the same for one
command, with examples. [Exit codes](exit-codes.md) and [environment variables](environment.md) have pages of their own,
and [training-options.md](training-options.md) sets the options of training beside the fields of the Go library.

An option takes its value as ` + "`--name VALUE` or `--name=VALUE`" + `. A switch written ` + "`--[no-]name`" + ` is turned on by
` + "`--name` and off by `--no-name`. A value that begins with a minus must be written `--name=VALUE`" + `.

`

// sharedBy is the number of commands from which an option that they have in common is described once.
const sharedBy = 4

// commandReference writes the page.
func commandReference(t *testing.T) string {
	t.Helper()
	g := newGrammar(io.Discard, io.Discard, nil)
	var commands []*cobra.Command
	uses := map[string]int{}
	var visit func(of *cobra.Command)
	visit = func(of *cobra.Command) {
		if p := g.commands[of]; p != nil {
			commands = append(commands, of)
			for _, option := range flagsIn(p.own, "") {
				uses[optionRow(option)]++
			}
		}
		for _, command := range of.Commands() {
			visit(command)
		}
	}
	visit(g.root)
	isShared := func(option *flags.Field) bool { return uses[optionRow(option)] >= sharedBy }
	nameOf := func(command *cobra.Command) string { return strings.TrimPrefix(command.CommandPath(), "nbsvm ") }

	var b strings.Builder
	b.WriteString(referenceIntro)
	for i, group := range groups {
		title := false
		for _, command := range commands {
			of := command
			for of.Parent() != g.root {
				of = of.Parent()
			}
			if of.GroupID != group.id {
				continue
			}
			if !title {
				if title = true; i > 0 {
					b.WriteString("\n")
				}
				fmt.Fprintf(&b, "%s\n\n| command | what it does |\n| --- | --- |\n", group.title)
			}
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", nameOf(command), anchor(nameOf(command)), cell(command.Short))
		}
	}
	b.WriteString("\n## Options of every command\n\n")
	writeOptions(&b, g.every)

	b.WriteString("\n## Options of several commands\n\nThe commands below name those of these options that they take.\n")
	var shared []*flags.Field
	seen := map[string]bool{}
	for _, command := range commands {
		for _, option := range flagsIn(g.commands[command].own, "") {
			if row := optionRow(option); isShared(option) && !seen[row] {
				seen[row] = true
				shared = append(shared, option)
			}
		}
	}
	for _, group := range groups {
		if options := flagsIn(shared, group.id); len(options) > 0 {
			fmt.Fprintf(&b, "\n### Shared: %s\n\n", strings.ToLower(strings.TrimSuffix(group.title, ":")))
			writeOptions(&b, options)
		}
	}

	for _, command := range commands {
		fields := g.commands[command].own
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```text\n%s\n```\n", nameOf(command), command.Short, command.UseLine())
		if fields != nil && fields[0].Argument {
			b.WriteString("\n| argument | meaning |\n| --- | --- |\n")
		}
		var own []*flags.Field
		for _, option := range fields {
			if option.Argument {
				fmt.Fprintf(&b, "| `%s` | %s |\n", option.Summary(), cell(option.Help))
			} else if !isShared(option) {
				own = append(own, option)
			}
		}
		if len(own) > 0 {
			b.WriteString("\n")
			writeOptions(&b, own)
		}
		also := false
		for _, group := range groups {
			var names []string
			for _, option := range flagsIn(fields, group.id) {
				if isShared(option) {
					names = append(names, "`"+optionName(option)+"`")
				}
			}
			switch len(names) {
			case 0:
				continue
			case len(flagsIn(shared, group.id)):
				names = []string{"all"}
			}
			if !also {
				b.WriteString("\nOptions that other commands have too:\n\n")
				also = true
			}
			title := strings.ToLower(strings.TrimSuffix(group.title, ":"))
			fmt.Fprintf(&b, "- [%s](#%s): %s\n", title, anchor("shared: "+title), strings.Join(names, ", "))
		}
	}
	return b.String()
}

// flagsIn are the flags of a group, or all.
func flagsIn(fields []*flags.Field, group string) (found []*flags.Field) {
	for _, f := range fields {
		if !f.Argument && (group == "" || f.Group == group) {
			found = append(found, f)
		}
	}
	return found
}

// optionName is a flag as it is typed.
func optionName(option *flags.Field) string {
	name := "--" + option.Name
	if option.Negatable {
		name = "--[no-]" + option.Name
	}
	if option.Short != "" {
		name = "-" + option.Short + ", " + name
	}
	if !option.Switch() {
		name += " " + option.Placeholder
	}
	return name
}

func writeOptions(b *strings.Builder, options []*flags.Field) {
	b.WriteString("| option | meaning | default | values |\n| --- | --- | --- | --- |\n")
	for _, option := range options {
		b.WriteString(optionRow(option))
	}
}

var defaultOfHelp = regexp.MustCompile(` \(default: ([^()]*)\)`)

// optionRow is the row of an option in a table: name, help, default and range.
func optionRow(option *flags.Field) string {
	help, byDefault := option.Help, ""
	if found := defaultOfHelp.FindStringSubmatch(help); found != nil {
		help, byDefault = strings.Replace(help, found[0], "", 1), found[1]
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", optionName(option), cell(help), cell(byDefault), cell(valuesOf(option)))
}

// valuesOf are the values that an option takes, if they are few or in a range.
func valuesOf(option *flags.Field) string {
	if option.Choices != nil {
		return "`" + strings.Join(option.Choices, "`, `") + "`"
	}
	return option.Range()
}

// cell is a text as a cell of a table has it.
func cell(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "|", `\|`) }

// anchor is that of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.NewReplacer(":", "", ",", "").Replace(strings.ToLower(heading)), " ", "-")
}
