package main

import (
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/flags"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

const description = `Train and run text classifiers on a CPU: NBSVM, linear SVM, logistic regression, naive Bayes and more, over
hashed n-grams.

    nbsvm train reviews.tsv -o reviews.nbm  # train on lines of label<TAB>text
    nbsvm score reviews.nbm new.txt         # print the label of each line
    nbsvm eval reviews.nbm test.tsv         # measure accuracy, F1, confusions
    nbsvm cv reviews.tsv                    # cross-validate
    nbsvm tune reviews.tsv -o reviews.nbm   # search for the best options
    nbsvm explain reviews.nbm               # list the strongest n-grams
    nbsvm inspect reviews.nbm               # show how the model was made
    nbsvm serve reviews.nbm                 # answer HTTP requests

Exit codes: 0 success; 1 failure, without an output file; 2 wrong usage; 3 success, but bad records or files were
left out; 70 a bug in nbsvm: please report it. Ctrl-C and kill remove unfinished output.`

// groups are the headings of help: of commands first, then of flags.
var groups = []struct{ id, title string }{
	{"use", "Train and use models:"},
	{"look", "Look inside models:"},
	{"corpora", "Prepare large corpora:"},
	{"tagging", "Tag words:"},
	{"measuring", "Measure quality and speed:"},
	{"other", "Other commands:"},

	{"cv", "Cross-validation:"},
	{"tune", "Search:"},
	{"serve", "Serving:"},
	{"bench", "Measuring:"},
	{"output", "Output:"},
	{"input", "Input:"},
	{"audit", "Audit:"},
	{"sentences", "Sentences:"},
	{"text", "Text to features:"},
	{"model", "Model:"},
	{"run", "Running:"},
	{"profile", "Profiling:"},
}

// width is how many columns the help has.
const width = 80

// help prints what a command does, its arguments, and its flags by their headings; of nbsvm itself, the commands.
func (g *grammar) help(command *cobra.Command, _ []string) {
	out := command.OutOrStdout()
	fmt.Fprintf(out, "Usage: %s\n", command.UseLine())
	for _, text := range []string{command.Short, command.Long} {
		for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
			switch {
			case strings.HasPrefix(paragraph, "  "): // as it is
				fmt.Fprintf(out, "\n%s\n", paragraph)
			case paragraph != "":
				fmt.Fprintf(out, "\n%s\n", strings.Join(fold(paragraph, width), "\n"))
			}
		}
	}
	help := &flags.Field{
		Name: "help", Short: "h", Help: "Print the help of a command.", Group: "run",
		Value: reflect.ValueOf(new(bool)).Elem(),
	}
	fields, last := append([]*flags.Field{help}, g.every...), ""
	if p := g.commands[command]; p != nil {
		fields, last = p.own, "The flags of every command, such as --threads and --quiet: nbsvm --help"
		writeArguments(out, p.own)
	}
	for _, group := range groups {
		writeCommands(out, command, group.id, group.title)
	}
	writeCommands(out, command, "", "Commands:")
	if !command.HasParent() || g.commands[command] != nil {
		for _, group := range groups {
			writeFlags(out, fields, group.id, group.title)
		}
	}
	if command.HasAvailableSubCommands() {
		last = fmt.Sprintf("More about a command: %s COMMAND --help", command.CommandPath())
	}
	if last != "" {
		fmt.Fprintf(out, "\n%s\n", last)
	}
}

func writeArguments(out io.Writer, fields []*flags.Field) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	title := "\nArguments:\n"
	for _, f := range fields {
		if !f.Argument {
			continue
		}
		name := f.Summary()
		for _, line := range fold(f.Help, width-20) {
			fmt.Fprintf(tw, "%s  %s\t%s\n", title, name, line)
			title, name = "", ""
		}
	}
	tw.Flush()
}

func writeCommands(out io.Writer, of *cobra.Command, group, title string) {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, command := range of.Commands() {
		if command.GroupID != group || command.Hidden {
			continue
		}
		if title != "" {
			fmt.Fprintf(tw, "\n%s\n", title)
			title = ""
		}
		fmt.Fprintf(tw, "  %s\t%s\n", command.Name(), command.Short)
	}
	tw.Flush()
}

// writeFlags prints the flags of a group. Those that can be turned off are called --[no-]NAME.
func writeFlags(out io.Writer, fields []*flags.Field, group, title string) {
	var shown pflag.FlagSet
	shown.SortFlags = false
	for _, f := range fields {
		if f.Argument || f.Group != group {
			continue
		}
		name := f.Name
		if f.Negatable {
			name = "[no-]" + name
		}
		flag := shown.VarPF(f, name, f.Short, f.Help)
		if f.Switch() {
			flag.NoOptDefVal = "true"
		}
	}
	if shown.HasFlags() {
		fmt.Fprintf(out, "\n%s\n%s", title, shown.FlagUsagesWrapped(width))
	}
}

// fillIn puts the library's defaults into texts of help.
func fillIn(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return helpVars().Replace(text)
}

// helpVars are the library's defaults as help texts name them: ${NAME}.
var helpVars = sync.OnceValue(func() *strings.Replacer {
	vars := map[string]string{}
	vars["preset"] = nbsvm.Presets()[0].Name
	vars["pack_memory"] = "2GiB"
	vars["tune_time"] = strings.TrimSuffix(defaultTuneTime.String(), "0s")
	vars["max_record"] = strconv.Itoa(corpus.DefaultMaxRecord)
	kinds := kindNames()
	last := len(kinds) - 1
	vars["kinds"] = strings.Join(kinds, ",")
	var presets []string
	for _, preset := range nbsvm.Presets() {
		presets = append(presets, preset.Name)
	}
	vars["presets"], vars["rows"] = strings.Join(presets, ","), strings.Join(slices.Sorted(maps.Keys(scoring.Rows)), ",")
	vars["models"] = strings.Join(kinds[:last], ", ") + " or " + kinds[last]
	vars["labelled_formats"] = strings.Join(corpus.Formats(false), ", ")
	vars["formats"], vars["all_formats"] = vars["labelled_formats"], strings.Join(corpus.Formats(true), ",")
	for _, format := range corpus.Formats(true) {
		if !slices.Contains(corpus.Formats(false), format) {
			vars["formats"] += ", " + format + " (without labels)"
		}
	}
	solve := bench.Defaults("solve", false)
	vars["losses"], vars["tols"], vars["runs"] = strings.Join(solve.Losses, ","), joined(solve.Tols),
		strconv.Itoa(solve.Runs)
	gen := bench.Defaults("gen", false).Generated
	for field, value := range reflect.ValueOf(gen).Fields() {
		vars["gen_"+strings.ToLower(field.Name)] = fmt.Sprint(value)
	}
	var pairs []string
	for name, value := range vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
})

// joined writes numbers as a flag takes them.
func joined(numbers []float64) string {
	var texts []string
	for _, x := range numbers {
		texts = append(texts, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return strings.Join(texts, ",")
}

// presetsTable lists the presets as a block of help.
func presetsTable() string {
	var b strings.Builder
	for _, p := range nbsvm.Presets() {
		for i, line := range fold(p.About, 64) {
			name := ""
			if i == 0 {
				name = p.Name
			}
			fmt.Fprintf(&b, "    %-10s %s\n", name, line)
		}
	}
	return b.String()
}

// fold breaks a text into lines of at most width characters, at spaces.
func fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
