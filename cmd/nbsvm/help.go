package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/choices"
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

// groups are the titles in help: of commands first, then of flags.
var groups = []kong.Group{
	{Key: "use", Title: "Train and use models:"},
	{Key: "look", Title: "Look inside models:"},
	{Key: "corpora", Title: "Prepare large corpora:"},
	{Key: "fasttext", Title: "fastText:"},
	{Key: "tagging", Title: "Tag words:"},
	{Key: "measuring", Title: "Measure quality and speed:"},
	{Key: "other", Title: "Other commands:"},

	{Key: "cv", Title: "Cross-validation:"},
	{Key: "tune", Title: "Search:"},
	{Key: "serve", Title: "Serving:"},
	{Key: "bench", Title: "Measuring:"},
	{Key: "output", Title: "Output:"},
	{Key: "input", Title: "Input:"},
	{Key: "sentences", Title: "Sentences:"},
	{Key: "text", Title: "Text to features:"},
	{Key: "model", Title: "Model:"},
	{Key: "run", Title: "Running:"},
	{Key: "profile", Title: "Profiling:"},
}

// printHelp prints the commands with the flags that all have, or one command with its own flags.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "help" {
			flag.Help, flag.Group = "Print the help of a command.", &groups[slices.IndexFunc(groups, func(g kong.Group) bool { return g.Key == "run" })]
		}
	}
	if ctx.Selected() == nil {
		return kong.DefaultHelpPrinter(o, ctx)
	}
	ctx.Model.Flags = nil
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprint(ctx.Stdout, "\nThe flags of every command, such as --threads and --quiet: nbsvm --help\n")
	return err
}

// fillIn puts the library's defaults into the model's texts. The parser could do it, but
// looks through all of its variables for every flag: 10 ms, before a model is opened.
func fillIn(k *kong.Kong) error {
	vars := helpVars()
	fill := func(text *string) {
		if strings.Contains(*text, "${") {
			*text = vars.Replace(*text)
		}
	}
	return kong.Visit(k.Model.Node, func(node kong.Visitable, next kong.Next) error {
		if value, ok := node.(*kong.Value); ok {
			fill(&value.Default)
			fill(&value.Help)
		}
		return next(nil)
	})
}

// helpVars are the library's defaults as help texts name them: ${NAME}.
func helpVars() *strings.Replacer {
	logistic := nbsvm.Options{Kind: nbsvm.Logistic}
	perceptron := nbsvm.Options{Kind: nbsvm.Perceptron}
	rocchio := nbsvm.Options{Kind: nbsvm.Rocchio}
	rocchioValues, rocchioSublinear := rocchio.DefaultValues()
	vars := choices.Defaults()
	vars["logistic_C"] = strconv.FormatFloat(logistic.DefaultC(), 'g', -1, 64)
	vars["rocchio_values"], vars["rocchio_sublinear_tf"] = string(rocchioValues), wording.OnOff(rocchioSublinear)
	vars["online_epochs"] = strconv.Itoa(perceptron.DefaultMaxEpochs())
	vars["preset"] = nbsvm.Presets()[0].Name
	vars["pack_memory"] = "2GiB"
	vars["tune_time"] = strings.TrimSuffix(defaultTuneTime.String(), "0s")
	vars["max_record"] = strconv.Itoa(corpus.DefaultMaxRecord)
	var kinds []string
	for _, kind := range nbsvm.Kinds() {
		kinds = append(kinds, string(kind))
	}
	last := len(kinds) - 1
	vars["models"] = strings.Join(kinds[:last], ", ") + " or " + kinds[last]
	vars["labelled_formats"] = strings.Join(corpus.Formats(false), ", ")
	vars["formats"] = vars["labelled_formats"]
	for _, format := range corpus.Formats(true) {
		if !slices.Contains(corpus.Formats(false), format) {
			vars["formats"] += ", " + format + " (score and explain only)"
		}
	}
	solve := bench.Defaults("solve", false)
	vars["losses"], vars["tols"], vars["runs"] = strings.Join(solve.Losses, ","), joined(solve.Tols), strconv.Itoa(solve.Runs)
	gen := bench.Defaults("gen", false).Generated
	vars["gen_lengths"] = string(gen.Lengths)
	for name, value := range map[string]float64{
		"gen_documents": float64(gen.Documents), "gen_words": float64(gen.Words), "gen_vocabulary": float64(gen.Vocabulary),
		"gen_classes": float64(gen.Classes), "gen_zipf": gen.Zipf, "gen_signal": gen.Signal, "gen_seed": float64(gen.Seed),
	} {
		vars[name] = strconv.FormatFloat(value, 'g', -1, 64)
	}
	var pairs []string
	for name, value := range vars {
		pairs = append(pairs, "${"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

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
