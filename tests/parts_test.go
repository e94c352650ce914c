package tests

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// textLines yields the lines of a text that are not empty.
func textLines(text []byte) iter.Seq2[hashing.Span, []byte] {
	return func(yield func(hashing.Span, []byte) bool) {
		at := 0
		for line := range bytes.SplitSeq(text, []byte{'\n'}) {
			span := hashing.Span{Begin: at, End: at + len(line)}
			if at += len(line) + 1; len(line) > 0 && !yield(span, line) {
				return
			}
		}
	}
}

// renderPart writes all that is told of a part.
func renderPart(dst []byte, model int, at hashing.Span, p *nbsvm.Prediction) []byte {
	return fmt.Appendf(dst, "[%d %v %v %v %v]", model, at, p.Labels, p.Scores, p.Margins)
}

// TestParts: parts are predicted as they are alone; the scores and margins of a document are combinations of theirs;
// and its labels are what such scores speak for.
func TestParts(t *testing.T) {
	five := small.with(func(s *shape) { s.classes = 5 })
	several := small.with(func(s *shape) { s.classes, s.multi = 4, true })
	many := small.with(func(s *shape) { s.classes = 13 })
	paths := pathsOf(small, "a", "a/x", "a/x/1", "b/y", "b")
	var models []*nbsvm.Classifier
	for _, of := range []struct {
		in     corpus.Input
		change func(*nbsvm.Options)
	}{
		{small.input(), func(*nbsvm.Options) {}},
		{small.input(), func(o *nbsvm.Options) { o.Calibrate = true }},
		{five.input(), func(*nbsvm.Options) {}},
		{five.input(), func(o *nbsvm.Options) { o.Calibrate = true }},
		{five.input(), func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.Count }},
		{several.input(), func(*nbsvm.Options) {}},
		{several.input(), func(o *nbsvm.Options) { o.Calibrate = true }},
		{many.input(), func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }},
		{several.input(), func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }},
		{input(tsv(paths), corpus.TSV), hierarchical(nbsvm.Logistic)},
	} {
		c, _ := mustTrain(t, of.in, options(of.change))
		models = append(models, c)
	}
	restricted, _ := mustTrain(t, five.input(), options())
	must.OK(t, restricted.Restrict("class01", "class03"))
	models = append(models, restricted)

	var texts [][]byte
	records := small.with(func(s *shape) { s.docs, s.seed = 900, 2 }).records()
	for n := 0; len(records) > 0; n = (n + 1) % 7 {
		var text strings.Builder
		for _, r := range records[:min(n, len(records))] {
			text.WriteString("é\xff " + r.text + strings.Repeat("\n", 1+n%2))
		}
		texts, records = append(texts, []byte(text.String())), records[min(n, len(records)):]
	}
	for _, over := range []string{"mean", "min", "max"} {
		want := make([]string, len(texts))
		for i, text := range texts {
			for m, c := range models {
				want[i] += wantParts(t, c, m, string(text), over)
			}
		}
		for _, threads := range []int{1, 4} {
			o := nbsvm.ScoreOptions{
				Threads: threads, With: models[1:],
				Parts: &nbsvm.Parts{Split: textLines, Over: over, Render: renderPart},
			}
			var out bytes.Buffer
			_, err := models[0].Score(t.Context(), documentsOf(texts), o,
				func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
					for _, of := range p {
						dst = fmt.Appendf(dst, "%v %v %v %s|", of.Labels, of.Scores, of.Margins, of.Parts)
					}
					return append(dst, '\n')
				}, &out)
			must.OK(t, err)
			got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if len(got) != len(want) {
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			for i := range want {
				by, wanted := strings.Split(got[i], "|"), strings.Split(want[i], "|")
				for m := range by {
					if by[m] != wanted[m] {
						t.Fatalf("%s, %d threads, document %d, model %d:\n%s\nwant\n%s", over, threads, i, m, by[m], wanted[m])
					}
				}
			}
		}
	}
}

// TestPartsAlone: parts have the labels and the scores asked for also where they are not combined, and texts have none.
func TestPartsAlone(t *testing.T) {
	many := small.with(func(s *shape) { s.classes = 13 })
	c, _ := mustTrain(t, many.input(), options(func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }))
	var texts [][]byte
	var want bytes.Buffer
	records := many.with(func(s *shape) { s.seed = 2 }).records()
	for i, r := range records {
		text := r.text
		if i%3 > 0 {
			text = "\n" + text + "\n" + records[i/2].text
		}
		texts = append(texts, []byte(text))
		for span, part := range textLines([]byte(text)) {
			p, err := c.Predict(part)
			must.OK(t, err)
			fmt.Fprint(&want, span, p.Labels, p.Scores[p.Labels[0]], p.Scores[7])
		}
		want.WriteByte('\n')
	}
	o := nbsvm.ScoreOptions{
		Only: [][]int{{7}},
		Parts: &nbsvm.Parts{
			Split: textLines, Over: "none",
			Render: func(dst []byte, _ int, at hashing.Span, p *nbsvm.Prediction) []byte {
				return fmt.Append(dst, at, p.Labels, p.Scores[p.Labels[0]], p.Scores[7])
			},
		},
	}
	var got bytes.Buffer
	stats, err := c.Score(t.Context(), documentsOf(texts), o,
		func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
			if len(p[0].Labels)+len(p[0].Scores)+len(p[0].Margins) > 0 {
				t.Errorf("a text has %+v", p[0])
			}
			return append(append(dst, p[0].Parts...), '\n')
		}, &got)
	must.OK(t, err)
	if slices.Max(stats.Labels) > 0 || !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("labels %v, %.300s…, want %.300s…", stats.Labels, &got, &want)
	}
}

// TestPartsAnyOrder: parts may lie in any order and over each other; their places in characters are right.
func TestPartsAnyOrder(t *testing.T) {
	const text = "é\xff日本 w1 ü"
	c, _ := mustTrain(t, small.input(), options())
	for _, spans := range [][][2]int{{{6, 9}, {0, 2}, {3, 9}, {3, 6}}, {{0, 14}, {0, 14}}, {{10, 14}, {2, 3}}} {
		var want []byte
		for _, s := range spans {
			at := hashing.Span{Begin: utf8.RuneCountInString(text[:s[0]]), End: utf8.RuneCountInString(text[:s[1]])}
			want = fmt.Append(want, at)
		}
		parts := &nbsvm.Parts{
			Split: func(text []byte) iter.Seq2[hashing.Span, []byte] {
				return func(yield func(hashing.Span, []byte) bool) {
					for _, s := range spans {
						if !yield(hashing.Span{Begin: s[0], End: s[1]}, text[s[0]:s[1]]) {
							return
						}
					}
				}
			},
			Render: func(dst []byte, _ int, at hashing.Span, _ *nbsvm.Prediction) []byte { return fmt.Append(dst, at) },
		}
		var got bytes.Buffer
		_, err := c.Score(t.Context(), documentsOf([][]byte{[]byte(text)}), nbsvm.ScoreOptions{Parts: parts},
			func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte { return append(dst, p[0].Parts...) }, &got)
		must.OK(t, err)
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%v: %s, want %s", spans, &got, want)
		}
	}
}

// wantParts returns what is to be written of a text, by predicting its lines one by one.
func wantParts(t *testing.T, c *nbsvm.Classifier, m int, text, over string) string {
	t.Helper()
	var rendered []byte
	var parts []nbsvm.Prediction
	var weights []float64
	for span, line := range textLines([]byte(text)) {
		p, err := c.Predict(line)
		must.OK(t, err)
		at := hashing.Span{Begin: utf8.RuneCountInString(text[:span.Begin]), End: utf8.RuneCountInString(text[:span.End])}
		parts, weights = append(parts, p), append(weights, float64(at.End-at.Begin))
		rendered = renderPart(rendered, m, at, &p)
	}
	if len(parts) < 2 {
		whole := text
		if len(parts) == 1 {
			whole = strings.Trim(text, "\n")
		}
		p, err := c.Predict([]byte(whole))
		must.OK(t, err)
		return fmt.Sprintf("%v %v %v %s|", p.Labels, p.Scores, p.Margins, rendered)
	}
	combine := func(of func(*nbsvm.Prediction) []float64) []float64 {
		all := make([]float64, len(of(&parts[0])))
		for k := range all {
			var values []float64
			var sum, weight float64
			for i := range parts {
				values = append(values, of(&parts[i])[k])
				sum += float64(values[i] * weights[i])
				weight += weights[i]
			}
			all[k] = map[string]float64{"mean": sum / weight, "min": slices.Min(values), "max": slices.Max(values)}[over]
		}
		return all
	}
	scores := combine(func(p *nbsvm.Prediction) []float64 { return p.Scores })
	margins := combine(func(p *nbsvm.Prediction) []float64 { return p.Margins })
	return fmt.Sprintf("%v %v %v %s|", wantLabels(t, c, scores), scores, margins, rendered)
}

// wantLabels returns the labels for which scores speak.
func wantLabels(t *testing.T, c *nbsvm.Classifier, scores []float64) (labels []int) {
	t.Helper()
	inner := inner(t, c)
	switch {
	case c.MultiLabel():
		for k, score := range scores {
			if score > thresholdOf(t, c, k) {
				labels = append(labels, k)
			}
		}
		return labels
	case len(scores) == 2:
		high := thresholdOf(t, c, 1)
		low := -high
		if c.Probabilities() {
			low = 1 - high
		}
		if scores[1]-high > scores[0]-low {
			return []int{1}
		}
		return []int{0}
	case inner.Paths() != nil: // the best of the labels at which paths end
		exact := inner.Exact(scores)
		return []int{slices.Index(exact, slices.Max(exact))}
	}
	return []int{slices.Index(scores, slices.Max(scores))}
}

// thresholdOf returns the score of a class from which on a text gets it: not less than scores of texts that do not get
// it, and not more than scores of those that do.
func thresholdOf(t *testing.T, c *nbsvm.Classifier, class int) float64 {
	t.Helper()
	key := fmt.Sprintf("%p %d", c, class)
	if least, known := thresholds[key]; known {
		return least
	}
	m, output := inner(t, c).Model(), class
	if m.Meta.Task == "binary" {
		output = 0
	}
	least := m.Threshold[output]
	if m.Platt != nil {
		p := m.Platt[output]
		least = -(p.A*least + p.B)
	}
	if c.Probabilities() {
		least = 1 / (1 + math.Exp(-least))
	}
	for _, r := range small.with(func(s *shape) { s.docs, s.seed, s.classes = 2000, 3, 4 }).records() {
		p, err := c.Predict([]byte(r.text))
		must.OK(t, err)
		if score := p.Scores[class]; slices.Contains(p.Labels, class) != (score > least) {
			t.Fatalf("class %d is given from %v, but a text has %v and labels %v", class, least, score, p.Labels)
		}
	}
	thresholds[key] = least
	return least
}

var thresholds = map[string]float64{}

// TestPartsRefused: what can't be meant is an error.
func TestPartsRefused(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	features, _ := mustTrain(t, as(corpus.SVMLight, strings.Repeat("a 1:1\nb 2:1\n", 20)), options())
	split := func(s *nbsvm.ScoreOptions) { s.Parts = &nbsvm.Parts{Split: textLines} }
	for want, test := range map[string]struct {
		c      *nbsvm.Classifier
		text   string
		change func(*nbsvm.ScoreOptions)
	}{
		"nbsvm: Parts.Split is nil": {c, "class00\tw1\n", func(o *nbsvm.ScoreOptions) { o.Parts = &nbsvm.Parts{} }},
		"nbsvm: Parts.Over must be mean, min, max or none, got \"sum\"": {c, "class00\tw1\n", func(o *nbsvm.ScoreOptions) {
			o.Parts = &nbsvm.Parts{Split: textLines, Over: "sum"}
		}},
		"nbsvm: the model takes ready-made features": {features, "a 1:1\n", split},
		"nbsvm: a text has several parts": {c, `{"text":"w1\nw2"}` + "\n", func(o *nbsvm.ScoreOptions) {
			split(o)
			o.Only = [][]int{{}}
		}},
	} {
		var o nbsvm.ScoreOptions
		test.change(&o)
		_, err := test.c.Score(t.Context(), as(corpus.Auto, test.text), o, render, io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s…", err, want)
		}
	}
	if _, err := c.Evaluate(t.Context(), small.input(), nbsvm.ScoreOptions{Parts: &nbsvm.Parts{Split: textLines}}); err == nil {
		t.Error("Evaluate takes parts")
	}
}
