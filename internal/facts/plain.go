package facts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/inside"
)

// Plain turns a message of the library into one for users of the command: without the names of packages with which
// errors begin, and with flags in the place of the fields that they set. Options.MinDF becomes --min-df, and
// Input.Header false becomes --no-header. What is quoted between colons is data and keeps its colons.
func Plain(text string) string {
	text = field.ReplaceAllStringFunc(text, func(found string) string {
		path, off := strings.CutSuffix(found, " false")
		name, known := flagOf[path]
		switch {
		case !known:
			return found
		case off:
			return "--no-" + name
		}
		return "--" + name
	})
	return unquoted.ReplaceAllStringFunc(text, func(part string) string {
		name, cut := strings.CutSuffix(part, ": ")
		if cut && slices.Contains(packages, name) {
			return ""
		}
		return part
	})
}

// unquoted matches what stands between colons, with any quoted texts in it.
var unquoted = regexp.MustCompile(`(?s)(?:"(?:[^"\\]|\\.)*(?:"|$)|[^":]|:[^ "]|:$)*(?:: )?`)

// packages are those whose errors reach users.
var packages = []string{
	"nbsvm", "bayes", "bench", "corpus", "hashing", "kernels", "metrics", "model", "ngrams",
	"packed", "scratch", "solver", "sparse", "tag",
}

// field is how messages of the library name an option: the type that has the field, and the field.
var field = regexp.MustCompile(`\b(?:Options|TuneOptions|Input)(?:\.[A-Z]\w*)+(?: false\b)?`)

// flagOf has the names of the flags by field, those of the table of options among them.
var flagOf = map[string]string{
	"Input.Classes": "class", "Input.Format": "format", "Input.TextField": "text-field", "Input.LabelField": "label-field",
	"Input.WeightField": "weight-field", "Input.ID": "id-field", "Input.Keep": "keep-fields", "Input.Header": "header",
	"Input.Delimiter": "delimiter", "Input.LabelSep": "label-sep", "Input.Numbers": "target", "Input.Bad": "on-bad",
	"Input.MaxRecord":   "max-record",
	"Input.ManyClasses": "allow-many-classes", "Input.Column": "column", "Input.WordColumn": "word-column",

	"Options.Text": "ngrams", "Options.Bits": "bits", "Options.Threads": "threads",

	"TuneOptions.Time": "time", "TuneOptions.Trials": "trials", "TuneOptions.Metric": "metric",
	"TuneOptions.MinSpeed": "min-speed",

	"Options.Templates": "templates", "Options.Scheme": "scheme", "Options.Epochs": "epochs",
	"Options.MinCount": "min-count", "Options.L2": "l2",
}

func init() {
	for _, option := range inside.Options() {
		first, _, _ := strings.Cut(option.Fields, ",")
		flagOf["Options."+first] = option.Name
	}
}
