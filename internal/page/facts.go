package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// factsOf tell what a model is and what it was made of.
func factsOf(c *score.Classifier, made *nbsvm.Report) ([]fact, error) {
	m, o := c.Model(), &made.Options
	if m.Meta.FastText != nil {
		return fastTextFacts(m.Meta.FastText), nil
	}
	scores := map[string]string{
		"margin": "margins", "platt": "calibrated probabilities",
		"temperature": "calibrated probabilities",
	}[m.Meta.Link]
	if scores == "" {
		scores = "probabilities"
	}
	facts := []fact{
		{"task", legible(m.Meta.Task, longestName)},
		{"scores", scores},
	}
	if c.TakesFeatures() {
		facts = append(facts, fact{"input", "ready-made features"})
	} else {
		t := m.Meta.Text
		var families []string
		for _, f := range t.Families.List() {
			families = append(families, f.String())
		}
		facts = append(facts, fact{"n-grams", legible(strings.Join(families, ", "), longestName)},
			fact{"text", fmt.Sprintf("lowercase %s, punctuation %s, strip HTML %s, keys of %d bits",
				display.OnOff(t.Lowercase), display.OnOff(t.Punctuation), display.OnOff(t.StripHTML), t.Bits)})
	}
	if what, text := c.DescribeTree(); what != "" {
		facts = append(facts, fact{what, text})
	}
	facts = append(facts,
		fact{"values", fmt.Sprintf("%s; prenormalize %s, normalize %s",
			legible(m.Meta.Values, longestName), display.OnOff(m.Meta.Prenormalize), display.OnOff(m.Meta.Normalize))},
		fact{"n-grams kept", fmt.Sprintf("of %d documents or more (min-df), max-df %g", o.MinDF, o.MaxDF)},
		fact{"training", o.Settings()})
	if trees := c.Trees(); trees != "" {
		facts = append(facts, fact{"trees", trees})
	}
	if voting := c.Neighbours(); voting != nil {
		facts = append(facts, fact{"neighbours", voting.String()})
	}
	facts = append(facts,
		fact{"documents", fmt.Sprintf("%s, %s of text",
			display.Count(int64(made.Documents)), display.Bytes(made.Bytes))})
	if made.Bad > 0 {
		facts = append(facts, fact{"bad records", display.LeftOut(made.Bad, made.Reasons)})
	}
	f := made.Features
	facts = append(facts,
		fact{"features", fmt.Sprintf("%s distinct, %s kept",
			display.Count(int64(f.Distinct)), display.Count(int64(f.Selected)))},
		fact{"non-zeros", display.Count(f.NonZeros)})
	if m.Rule == nil {
		facts = append(facts, fact{"numbers", fmt.Sprintf("%d bits per weight", m.Bits())})
	}
	return facts, nil
}

// fastTextFacts tell what a model is that fastText has trained.
func fastTextFacts(f *fasttext.Facts) (facts []fact) {
	for _, line := range f.Lines() {
		facts = append(facts, fact{line[0], line[1]})
	}
	return facts
}

// solverFacts tell how well the training problem was solved; none where no solver was at work.
func solverFacts(made *nbsvm.Report, gap *float64) []fact {
	s := made.Solution
	if s == nil {
		return nil
	}
	stored := "unknown"
	if gap != nil {
		stored = fmt.Sprintf("%.2g", *gap)
	}
	return []fact{
		{"loss", legible(made.Options.Loss, longestName)},
		{"classifiers", display.Count(int64(s.Outputs))},
		{"classifiers that did not converge", display.Count(int64(s.Unconverged))},
		{"epochs, at most", display.Count(int64(s.Epochs))},
		{"steps", display.Count(s.Steps)},
		{"relative duality gap, at most", fmt.Sprintf("%.2g (tolerance %g)", s.Gap, made.Options.Tol)},
		{"gap of the weights as stored", stored},
		{"primal objective", strconv.FormatFloat(s.Primal, 'g', 7, 64)},
		{"dual objective", strconv.FormatFloat(s.Dual, 'g', 7, 64)},
	}
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }
