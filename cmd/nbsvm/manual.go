package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
)

// manualCommand is how packages of nbsvm make their manual pages; see writeManual.
const manualCommand = "__man"

// writeManual writes a page of nbsvm and one of each command into a folder, as man reads them.
func writeManual(folder string) error {
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		return err
	}
	commands := parser.Model.Leaves(true)
	for _, node := range append([]*kong.Node{parser.Model.Node}, commands...) {
		page := manualPage(node, parser.Model.Flags, commands)
		if err := os.WriteFile(filepath.Join(folder, manualName(node)+".1"), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manualName is what the page of a command is called: nbsvm, or nbsvm-tag-train.
func manualName(node *kong.Node) string {
	return strings.TrimSuffix("nbsvm-"+strings.ReplaceAll(commandName(node), " ", "-"), "-")
}

// manualPage is the page of a command, or of nbsvm itself, whose flags are those of every command.
func manualPage(node *kong.Node, every []*kong.Flag, commands []*kong.Node) string {
	var b strings.Builder
	summary, about, synopsis := node.Help, node.Detail, "nbsvm "+usage(node)
	if node.Type == kong.ApplicationNode {
		summary, about, synopsis = "train and run text classifiers", node.Help, "nbsvm COMMAND [options]"
	}
	name := manualName(node)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"nbsvm %s\" nbsvm\n.nh\n.ad l\n", roff(strings.ToUpper(name)), roff(nbsvm.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(strings.TrimSuffix(summary, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n", roff(synopsis))
	writeRoff(&b, ".SH DESCRIPTION\n", cmp.Or(about, summary))
	if len(node.Positional) > 0 {
		b.WriteString(".SH ARGUMENTS\n")
	}
	for _, argument := range node.Positional {
		writeTerm(&b, argument.Summary(), argument.Help)
	}
	if node.Type == kong.ApplicationNode {
		b.WriteString(".SH COMMANDS\n")
		title := ""
		for _, command := range commands {
			if group := command.ClosestGroup(); group != nil && group.Title != title {
				title = group.Title
				fmt.Fprintf(&b, ".SS %s\n", roff(strings.TrimSuffix(title, ":")))
			}
			writeTerm(&b, manualName(command)+"(1)", command.Help)
		}
	}
	if len(node.Flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, group := range groups {
		for i, flag := range ofGroup(node.Flags, group.Title) {
			if i == 0 {
				fmt.Fprintf(&b, ".SS %s\n", roff(strings.TrimSuffix(group.Title, ":")))
			}
			writeTerm(&b, optionName(flag), flag.Help)
		}
	}
	if node.Type != kong.ApplicationNode {
		var names []string
		for _, flag := range every {
			names = append(names, "--"+flag.Name)
		}
		slices.Sort(names)
		writeRoff(&b, ".SH SEE ALSO\n", "nbsvm(1), also for the options of every command: "+strings.Join(names, ", "))
	}
	return b.String()
}

// writeTerm writes an argument, an option or a command, and what it means.
func writeTerm(b *strings.Builder, term, meaning string) {
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", roff(term), roff(strings.TrimSpace(meaning)))
}

// writeRoff writes a section from a text of help: paragraphs, and examples, which are indented.
func writeRoff(b *strings.Builder, heading, text string) {
	b.WriteString(heading)
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if example, ok := strings.CutPrefix(paragraph, "    "); ok {
			fmt.Fprintf(b, ".IP\n.EX\n%s\n.EE\n", roff(strings.ReplaceAll(example, "\n    ", "\n")))
			continue
		}
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(roff(paragraph) + "\n")
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// roff is a text as man shows it, letter by letter.
func roff(text string) string { return strings.TrimPrefix(roffEscapes.Replace("\n"+text), "\n") }

func commandName(command *kong.Node) string { return strings.TrimPrefix(command.Path(), "nbsvm ") }

// usage is the command with its arguments and the options that must be given.
func usage(command *kong.Node) string {
	words := []string{commandName(command)}
	for _, option := range command.Flags {
		if option.Required {
			words = append(words, "--"+option.Name+"="+option.FormatPlaceHolder())
		}
	}
	for _, argument := range command.Positional {
		words = append(words, argument.Summary())
	}
	return strings.Join(append(words, "[options]"), " ")
}

func ofGroup(options []*kong.Flag, title string) (found []*kong.Flag) {
	for _, option := range options {
		if option.Group != nil && option.Group.Title == title {
			found = append(found, option)
		}
	}
	return found
}

// optionName is an option as it is typed.
func optionName(option *kong.Flag) string {
	name := "--" + option.Name
	if option.Tag.Negatable != "" {
		name = "--[no-]" + option.Name
	}
	if option.Short != 0 {
		name = fmt.Sprintf("-%c, %s", option.Short, name)
	}
	if !option.IsBool() {
		name += "=" + strings.Replace(option.FormatPlaceHolder(), ",...,...", ",…", 1)
	}
	return name
}
