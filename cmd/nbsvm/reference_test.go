package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
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
		if err := os.WriteFile(page, []byte(wanted), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
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
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	commands := parser.Model.Leaves(true)
	uses := map[string]int{}
	for _, command := range commands {
		for _, option := range command.Flags {
			uses[optionRow(option)]++
		}
	}
	isShared := func(option *kong.Flag) bool { return uses[optionRow(option)] >= sharedBy }

	var b strings.Builder
	b.WriteString(referenceIntro)
	title := ""
	for _, command := range commands {
		if group := command.ClosestGroup(); group != nil && group.Title != title {
			if title != "" {
				b.WriteString("\n")
			}
			title = group.Title
			fmt.Fprintf(&b, "%s\n\n| command | what it does |\n| --- | --- |\n", title)
		}
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", commandName(command), anchor(commandName(command)), cell(command.Help))
	}
	b.WriteString("\n## Options of every command\n\n")
	writeOptions(&b, parser.Model.Flags)

	b.WriteString("\n## Options of several commands\n\nThe commands below name those of these options that they take.\n")
	var shared []*kong.Flag
	seen := map[string]bool{}
	for _, command := range commands {
		for _, option := range command.Flags {
			if row := optionRow(option); isShared(option) && !seen[row] {
				seen[row] = true
				shared = append(shared, option)
			}
		}
	}
	for _, group := range groups {
		if options := ofGroup(shared, group.Title); len(options) > 0 {
			fmt.Fprintf(&b, "\n### Shared: %s\n\n", strings.ToLower(strings.TrimSuffix(group.Title, ":")))
			writeOptions(&b, options)
		}
	}

	for _, command := range commands {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```text\n%s\n```\n", commandName(command), command.Help, "nbsvm "+usage(command))
		if len(command.Positional) > 0 {
			b.WriteString("\n| argument | meaning |\n| --- | --- |\n")
			for _, argument := range command.Positional {
				fmt.Fprintf(&b, "| `%s` | %s |\n", argument.Summary(), cell(argument.Help))
			}
		}
		var own []*kong.Flag
		for _, option := range command.Flags {
			if !isShared(option) {
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
			for _, option := range ofGroup(command.Flags, group.Title) {
				if isShared(option) {
					names = append(names, "`"+optionName(option)+"`")
				}
			}
			switch len(names) {
			case 0:
				continue
			case len(ofGroup(shared, group.Title)):
				names = []string{"all"}
			}
			if !also {
				b.WriteString("\nOptions that other commands have too:\n\n")
				also = true
			}
			title := strings.ToLower(strings.TrimSuffix(group.Title, ":"))
			fmt.Fprintf(&b, "- [%s](#%s): %s\n", title, anchor("shared: "+title), strings.Join(names, ", "))
		}
	}
	return b.String()
}

func writeOptions(b *strings.Builder, options []*kong.Flag) {
	b.WriteString("| option | meaning | default | values |\n| --- | --- | --- | --- |\n")
	for _, option := range options {
		b.WriteString(optionRow(option))
	}
}

var defaultOfHelp = regexp.MustCompile(` \(default: ([^()]*)\)`)

// optionRow is the row of an option in a table: name, help, default and range.
func optionRow(option *kong.Flag) string {
	help, byDefault := option.Help, ""
	if found := defaultOfHelp.FindStringSubmatch(help); found != nil {
		help, byDefault = strings.Replace(help, found[0], "", 1), found[1]
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |\n", optionName(option), cell(help), cell(byDefault), cell(valuesOf(option)))
}

// valuesOf are the values that an option takes, if they are few or in a range.
func valuesOf(option *kong.Flag) string {
	if choices := cmp.Or(option.Enum, option.Tag.Get("choices")); choices != "" {
		return "`" + strings.Join(slices.Collect(strings.SplitSeq(choices, ",")), "`, `") + "`"
	}
	if option.IsBool() {
		return ""
	}
	return rangeOf(option.Tag)
}

// cell is a text as a cell of a table has it.
func cell(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "|", `\|`) }

// anchor is that of a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.NewReplacer(":", "", ",", "").Replace(strings.ToLower(heading)), " ", "-")
}
