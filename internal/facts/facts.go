// Package facts says what a model is and what it was made of, for the summary of a training, nbsvm inspect and the
// pages of nbsvm report. It also has what the command and the Python library share: messages in the words of flags,
// warnings, and the options of training tagging models.
package facts

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Fact is something that is known, with its name.
type Fact struct{ Name, Value string }

// List is what is known, in the order in which it is shown.
type List []Fact

// Add adds a fact, whose value is formatted.
func (l *List) Add(name, format string, values ...any) {
	*l = append(*l, Fact{name, fmt.Sprintf(format, values...)})
}

// WriteText writes the facts in lines, the names in a column of their own.
func (l List) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range l {
		fmt.Fprintf(tw, "%s\t%s\n", f.Name, f.Value)
	}
	return tw.Flush()
}

// OfModel returns what a model is and, from the report in its file, how it was made.
func OfModel(c *score.Classifier, made *nbsvm.Report) (l List) {
	m, o := c.Model(), &made.Options
	if m.Meta.FastText != nil {
		for _, line := range m.Meta.FastText.Lines() {
			l.Add(line[0], "%s", line[1])
		}
		l.Add("labels", "%s", display.Count(int64(len(c.Labels()))))
		return l
	}
	scores := map[string]string{
		"margin": "margins", "number": "numbers", "levels": "numbers", "level": "numbers",
		"platt": "calibrated probabilities", "temperature": "calibrated probabilities",
	}[m.Meta.Link]
	l.Add("model", "%s, %s, scores are %s; made by nbsvm %s", display.Label(string(o.Kind)),
		display.Label(m.Meta.Task), cmp.Or(scores, "probabilities"), display.Label(m.Meta.Version))
	if c.TakesFeatures() {
		l.Add("input", "ready-made features (SVMlight), numbers below %s", display.Count(int64(m.Universe)))
	} else {
		l.Add("text", "%s", Text(&m.Meta.Text))
	}
	if read := reading(m.Meta.Input); read != "" {
		l.Add("read", "%s", read)
	}
	if what, text := c.DescribeTree(); what != "" {
		l.Add(what, "%s", text)
	}
	l.Add("values", "%s; prenormalize %s, normalize %s; min-df %d, max-df %g", display.Label(m.Meta.Values),
		display.OnOff(m.Meta.Prenormalize), display.OnOff(m.Meta.Normalize), o.MinDF, o.MaxDF)
	l.Add("training", "%s", o.Settings())
	if trees := c.Trees(); trees != "" {
		l.Add("trees", "%s", trees)
	}
	if voting := c.Neighbours(); voting != nil {
		l.Add("neighbours", "%s", voting)
	}
	l = append(l, OfReport(made)...)
	if !c.TakesFeatures() {
		l.Add("names", "of %s", display.Some(len(m.Names), "n-gram"))
	}
	if m.Rule == nil {
		l.Add("numbers", "%d bits per weight", m.Bits())
	}
	return l
}

// Text describes how texts become features.
func Text(o *hashing.Options) string {
	var all []string
	for _, f := range o.Families.List() {
		all = append(all, fmt.Sprintf("%s tokens, %d-%d-grams", f.Tokenizer, f.NgramLo, f.NgramHi))
	}
	return fmt.Sprintf("%s, keys of %d bits; lowercase %s, punctuation %s, strip HTML %s", strings.Join(all, "; "), o.Bits,
		display.OnOff(o.Lowercase), display.OnOff(o.Punctuation), display.OnOff(o.StripHTML))
}

// reading returns what was said of how training documents are read.
func reading(in corpus.Reading) string {
	var parts []string
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+" "+display.Label(value))
		}
	}
	add("format", string(in.Format))
	add("text field", in.TextField)
	add("label field", in.LabelField)
	add("weight field", in.WeightField)
	if fields := string(in.FieldsOf); fields != string(in.Format) {
		add("fields of", fields)
	}
	add("header", in.Header)
	add("columns separated by", strings.ReplaceAll(in.Delimiter, "\t", "tab"))
	add("labels joined by", in.LabelSep)
	return strings.Join(parts, ", ")
}

// OfInput returns what was read.
func OfInput(documents, bytes, bad int64, reasons corpus.Reasons, classes []corpus.ClassCount) (l List) {
	l.Add("documents", "%s, %s of text", display.Count(documents), display.Bytes(bytes))
	if bad > 0 {
		l.Add("bad records", "%s", display.LeftOut(bad, reasons))
	}
	if classes != nil {
		l.Add("classes", "%s", classList(classes))
	}
	return l
}

// OfFeatures counts features.
func OfFeatures(distinct, kept uint64, nonZeros int64) (l List) {
	l.Add("features", "%s distinct, %s of them kept; %s non-zeros", display.Count(int64(distinct)),
		display.Count(int64(kept)), display.Count(nonZeros))
	return l
}

// classList lists classes with their counts, the first dozen of them.
func classList(all []corpus.ClassCount) string {
	const most = 12
	var parts []string
	for _, c := range all[:min(most, len(all))] {
		parts = append(parts, display.Short(c.Label, display.LabelWidth)+" "+display.Count(int64(c.Documents)))
	}
	if more := len(all) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d: %s", len(all), strings.Join(parts, ", "))
}

// OfReport returns what is known of a training.
func OfReport(r *nbsvm.Report) List {
	l := OfInput(int64(r.Documents), r.Bytes, r.Bad, r.Reasons, r.Classes)
	if r.Numbers != nil {
		of := ""
		if limits := r.Options.Range; limits != [2]float64{} {
			of = fmt.Sprintf("; the range is %g to %g", limits[0], limits[1])
		}
		l.Add("numbers", "from %g to %g, mean %.4g%s", r.Numbers.Min, r.Numbers.Max, r.Numbers.Mean, of)
	}
	if r.Earlier > 0 {
		l.Add("earlier", "%s of earlier trainings", display.Some(r.Earlier, "document"))
	}
	l = append(l, OfFeatures(r.Features.Distinct, r.Features.Selected, r.Features.NonZeros)...)
	if len(r.Candidates) > 0 {
		l.Add("chosen", "%s", candidates(r.Candidates))
	}
	if len(r.Epochs) > 0 {
		l.Add("mistakes", "%s", epochs(r.Epochs))
	}
	if len(r.Rounds) > 0 {
		l.Add("rounds", "%s", rounds(r.Rounds))
	}
	if s := r.Solution; s != nil {
		each := ""
		if s.Outputs > 1 {
			each = fmt.Sprintf(" at most, over %d classifiers", s.Outputs)
		}
		l.Add("solution", "%s, C %g: relative duality gap %.2g after %s%s; objective %.6g",
			display.Label(r.Options.Loss), r.Options.C, s.Gap, display.Some(s.Epochs, "epoch"), each, s.Primal)
		if s.Unconverged > 0 {
			l.Add("", "not converged: %s of %s", display.Count(int64(s.Unconverged)), display.Some(s.Outputs, "classifier"))
		}
	}
	if s := r.Shrinking; s != nil {
		l.Add("shrunk", "%s of %s kept (--max-model %s)", display.Count(int64(s.Kept)),
			display.Some(int64(s.Features), "feature"), display.Bytes(r.Options.MaxModel))
	}
	return l
}

// candidates lists kinds of models, as flags choose them, the best one first.
func candidates(all []nbsvm.Candidate) string {
	best := slices.Clone(all)
	slices.SortStableFunc(best, func(a, b nbsvm.Candidate) int { return cmp.Compare(b.MicroF1, a.MicroF1) })
	var texts []string
	for _, c := range best {
		flags := string(c.Kind)
		if !c.Normalize {
			flags += " --no-normalize"
		}
		texts = append(texts, fmt.Sprintf("%s (micro-F1 %.4f)", flags, c.MicroF1))
	}
	return "--model " + texts[0] + " by cross-validation, before " + strings.Join(texts[1:], " and ")
}

// epochs tells the mistakes of an online model's first and last pass and, if passes were evaluated, the best one.
func epochs(all []nbsvm.Epoch) string {
	first, last, best := all[0], all[len(all)-1], 0
	for i, e := range all {
		if e.Accuracy > all[best].Accuracy {
			best = i
		}
	}
	text := fmt.Sprintf("%s in the first of %s, %s in the last", display.Count(int64(first.Mistakes)),
		display.Some(len(all), "epoch"), display.Count(int64(last.Mistakes)))
	if accuracy := all[best].Accuracy; accuracy > 0 {
		text += fmt.Sprintf("; the weights are those after epoch %d, with an accuracy of %.4f", best+1, accuracy)
	}
	return text
}

// rounds tells how the loss of a boosted model fell and, if rounds were evaluated, the best one.
func rounds(all []nbsvm.Round) string {
	best := -1
	for i, r := range all {
		if r.Held > 0 && (best < 0 || r.Held < all[best].Held) {
			best = i
		}
	}
	text := fmt.Sprintf("log loss %.4f after the first of %s, %.4f after the last",
		all[0].Loss, display.Some(len(all), "round"), all[len(all)-1].Loss)
	if best >= 0 {
		text += fmt.Sprintf("; the model has the trees up to round %d, with a log loss of %.4f on held-out documents",
			best+1, all[best].Held)
	}
	return text
}
