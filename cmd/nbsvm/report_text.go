package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/progress"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// writeReport writes what is known of a model's making, a name and a tab before
// each fact, for a tabwriter. Ready-made features are not made of n-grams.
func writeReport(w io.Writer, r *nbsvm.Report, ready bool) {
	writeInput(w, int64(r.Documents), r.Bytes, r.Bad, r.Reasons, r.Classes)
	if r.Earlier > 0 {
		fmt.Fprintf(w, "earlier\t%s of earlier trainings\n", display.Some(r.Earlier, "document"))
	}
	f := r.Features
	if ready {
		fmt.Fprintf(w, "features\t%s; %s non-zeros\n", display.Count(int64(f.Selected)), display.Count(f.NonZeros))
	} else {
		fmt.Fprintf(w, "features\t%s, %s of them kept; %s\n",
			display.Some(int64(f.Distinct), "n-gram"), display.Count(int64(f.Selected)),
			display.Some(f.NonZeros, "non-zero"))
	}
	if len(r.Candidates) > 0 {
		fmt.Fprintf(w, "chosen\t%s\n", describeCandidates(r.Candidates))
	}
	if len(r.Epochs) > 0 {
		fmt.Fprintf(w, "mistakes\t%s\n", describeEpochs(r.Epochs))
	}
	if len(r.Rounds) > 0 {
		fmt.Fprintf(w, "rounds\t%s\n", describeRounds(r.Rounds))
	}
	if s := r.Solution; s != nil {
		each := ""
		if s.Outputs > 1 {
			each = fmt.Sprintf(" at most, over %d classifiers", s.Outputs)
		}
		fmt.Fprintf(w, "solution\t%s, C %g: relative duality gap %.2g after %s%s; objective %.6g\n",
			display.Label(r.Options.Loss), r.Options.C, s.Gap, display.Some(s.Epochs, "epoch"), each, s.Primal)
		fmt.Fprintf(w, "\t%s\n", describeStoredGap(s, &r.Options))
	}
	if s := r.Shrinking; s != nil {
		cost := ""
		if s.Documents > 0 {
			cost = fmt.Sprintf("; micro-F1 %.4f, before %.4f, on %s",
				s.After, s.Before, display.Some(s.Documents, "document"))
		}
		fmt.Fprintf(w, "shrunk\t%s of %s kept (--max-model %s)%s\n",
			display.Count(int64(s.Kept)), display.Some(int64(s.Features), "feature"), display.Bytes(r.Options.MaxModel),
			cost)
	}
}

// describeStoredGap tells the gap of the weights in the file, and what moved them from the solver's solution.
func describeStoredGap(s *nbsvm.Solution, o *nbsvm.Options) string {
	switch {
	case s.StoredGap == nil:
		return "gap of the weights as stored: unknown"
	case o.Kind == nbsvm.NBSVM && o.Beta < 1:
		return fmt.Sprintf("gap of the weights as stored: %.2g, as interpolation (--beta %g) moves them from the optimum", *s.StoredGap, o.Beta)
	}
	return fmt.Sprintf("gap of the weights as stored: %.2g", *s.StoredGap)
}

// describeCandidates lists kinds of models, as flags choose them, the best one first.
func describeCandidates(candidates []nbsvm.Candidate) string {
	best := slices.Clone(candidates)
	slices.SortStableFunc(best, func(a, b nbsvm.Candidate) int { return cmp.Compare(b.MicroF1, a.MicroF1) })
	var all []string
	for _, c := range best {
		flags := string(c.Kind)
		if !c.Normalize {
			flags += " --no-normalize"
		}
		all = append(all, fmt.Sprintf("%s (micro-F1 %.4f)", flags, c.MicroF1))
	}
	return "--model " + all[0] + " by cross-validation, before " + strings.Join(all[1:], " and ")
}

// chosenForText lists the flags of what options left to texts, with what was chosen for them.
func chosenForText(asked, o *nbsvm.Options) string {
	var flags []string
	if asked.Text.Families != o.Text.Families {
		var families []string
		for _, f := range o.Text.Families.List() {
			families = append(families, f.String())
		}
		flags = append(flags, "--ngrams "+strings.Join(families, ","))
	}
	ignored := o.Kind.Ignores()
	if asked.MinDF == 0 && !slices.Contains(ignored, "min-df") {
		flags = append(flags, fmt.Sprintf("--min-df %d", o.MinDF))
	}
	if asked.Beta == 0 && !slices.Contains(ignored, "beta") {
		flags = append(flags, fmt.Sprintf("--beta %g", o.Beta))
	}
	return strings.Join(flags, " ")
}

// describeEpochs lists the mistakes of each epoch of an online model and, if epochs were evaluated, the best one.
func describeEpochs(epochs []nbsvm.Epoch) string {
	var mistakes []string
	best := 0
	for i, e := range epochs {
		if mistakes = append(mistakes, display.Count(int64(e.Mistakes))); e.Accuracy > epochs[best].Accuracy {
			best = i
		}
	}
	if n := len(mistakes); n > 12 {
		mistakes = append(append(mistakes[:6:6], "…"), mistakes[n-5:]...)
	}
	text := strings.Join(mistakes, ", ") + " in " + display.Some(len(epochs), "epoch")
	if accuracy := epochs[best].Accuracy; accuracy > 0 {
		text += fmt.Sprintf("; the weights are those after epoch %d, with an accuracy of %.4f", best+1, accuracy)
	}
	return text
}

// describeRounds describes how the loss of a boosted model fell and, if rounds were evaluated, the best one.
func describeRounds(rounds []nbsvm.Round) string {
	best, judged := 0, false
	for i, r := range rounds {
		if r.Held > 0 && (!judged || r.Held < rounds[best].Held) {
			best, judged = i, true
		}
	}
	text := fmt.Sprintf("log loss %.4f after the first of %s, %.4f after the last",
		rounds[0].Loss, display.Some(len(rounds), "round"), rounds[len(rounds)-1].Loss)
	if judged {
		text += fmt.Sprintf("; the model has the trees up to round %d, with a log loss of %.4f on held-out documents",
			best+1, rounds[best].Held)
	}
	return text
}

// warnUnknown warns about labels that the model does not know.
func warnUnknown(c *call, r *metrics.Report) {
	for _, what := range progress.Unknown(r) {
		fmt.Fprintf(c.err, "nbsvm: warning: %s\n", what)
	}
}

// writeInput writes what was read.
func writeInput(w io.Writer, documents, bytes, bad int64, reasons corpus.Reasons, all []corpus.ClassCount) {
	fmt.Fprintf(w, "documents\t%s, %s of text\n", display.Count(documents), display.Bytes(bytes))
	if bad > 0 {
		fmt.Fprintf(w, "bad records\t%s\n", display.LeftOut(bad, reasons))
	}
	fmt.Fprintf(w, "classes\t%s\n", classes(all))
}

// classes lists classes with their counts, the first dozen of them.
func classes(all []corpus.ClassCount) string {
	const most = 12
	var parts []string
	for i, c := range all {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s",
			display.Short(c.Label, display.LabelWidth), display.Count(int64(c.Documents))))
	}
	return fmt.Sprintf("%d: %s", len(all), strings.Join(parts, ", "))
}
