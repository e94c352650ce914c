package scoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"pgregory.net/rapid"
)

// model has classes and probabilities.
type model []string

func (m model) Labels() []string    { return m }
func (m model) MultiLabel() bool    { return false }
func (m model) Probabilities() bool { return true }
func (m model) Numbers() bool       { return false }
func (m model) HasMargins() bool    { return true }

func (m model) Best(p *score.Prediction, _ int, _ float64) []int {
	return []int{slices.Index(p.Scores, slices.Max(p.Scores))}
}

var two, four = model{"cooking", "sailing"}, model{"cooking", "music", "sailing", "weather"}

func TestParse(t *testing.T) {
	p2 := &nbsvm.Prediction{Labels: []int{1}, Scores: []float64{0.25, 0.75}, Margins: []float64{1.5}, Unknown: 0.125}
	p4 := &nbsvm.Prediction{Labels: []int{2}, Scores: []float64{0.125, 0.25, 0.5, 0.125}, Margins: []float64{-3, -1, 2, -3}}
	for _, test := range []struct {
		m     model
		p     *nbsvm.Prediction
		label int
		text  string
		want  bool
	}{
		{two, p2, -1, "p == 0.75", true},
		{two, p2, -1, "p != 0.75", false},
		{two, p2, -1, "p >= .75", true},
		{two, p2, -1, "p>7.5e-1", false},
		{two, p2, -1, "p <= 7.5E-1", true},
		{two, p2, -1, "p<0.75", false},
		{two, p2, -1, "margin == 1.5", true},
		{two, p2, 0, "p == 0.25", true},
		{two, p2, 0, "margin == -1.5", true},
		{two, p2, 1, "margin>=+1.5", true},
		{two, p2, -1, "p('cooking') == 0.25 and p(\"sailing\") == 0.75", true},
		{two, p2, 0, "p('sailing') == 0.75 and p == 0.25", true}, // p alone keeps its class
		{two, p2, 1, "margin ( 'cooking' ) == -1.5", true},
		{two, p2, -1, "margin('sailing')>0 and p('cooking')<0.2", false},
		{two, p2, -1, "label == 'sailing'", true},
		{two, p2, -1, `label != "sailing"`, false},
		{two, p2, -1, "not label == 'sailing'", false},
		{two, p2, -1, "not not p > 0", true},
		{two, p2, -1, "not p > 0 or p > 0", true}, // not binds most
		{two, p2, -1, "not (p > 0 or p > 0)", false},
		{two, p2, -1, "p > 0 or p > 0 and p > 1", true}, // and before or
		{two, p2, -1, "(p > 0 or p > 0) and p > 1", false},
		{two, p2, -1, "p > 1 and p > 0 or p > 0", true},
		{two, p2, -1, "p > 1 and p > 0", false},
		{two, p2, -1, "\tp>0\nand(p<1)\r\n", true},
		{two, p2, 0, "unknown == .125 and unknown <= 1 and p == 0.25", true},
		{two, p2, -1, "not unknown<0.125 and unknown<0.13", true},
		{four, p4, -1, "p == 0.5 and margin == 2", true},
		{four, p4, 1, "p == 0.25 and margin == -1", true},
		{four, p4, 1, "p('sailing') == 0.5 and margin('sailing') == 2 and p == 0.25", true},
		{four, p4, -1, "p('music') < 0.2 or p('music') >= 0.25", true},
		{four, p4, -1, "not p('" + four[3] + "') >= 0.2 and p >= 0.5", true},
		{four, p4, 0, "label == 'sailing'", true}, // the predicted one all the same
		{four, &nbsvm.Prediction{Scores: []float64{0, 0, 0, 0}, Margins: make([]float64, 4)}, -1, "label == 'music'", false},
		{two, p2, -1, strings.Repeat("(", 10000) + "p > 0" + strings.Repeat(")", 10000), true},
	} {
		is, _, err := parseWhere(test.text, []asked{{test.m, "", test.label}})
		if err != nil {
			t.Errorf("%.60s: %v", test.text, err)
		} else if got := is([]nbsvm.Prediction{*test.p}); got != verdictOf(test.want) {
			t.Errorf("%.60s: %v, want %v", test.text, got, test.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "column 1: found the end, expected p, margin, label, unknown, not or (",
		"  ":                   "column 3: found the end",
		"q > 1":                "column 1: found q, expected p, margin, label, unknown, not or (",
		"p":                    "column 2: found the end, expected >=, >, <=, <, == or !=",
		"p = 1":                "column 3: found =, expected >=",
		"p => 1":               "column 3: found =>, expected >=",
		"p >":                  "column 4: found the end, expected a number",
		"p > x":                "column 5: found x, expected a number",
		"p > NaN":              "column 5: found NaN, expected a number",
		"p > Inf":              "column 5: found Inf, expected a number",
		"p > 0x1p-2":           "column 5: found 0x1p-2, expected a number",
		"p > 1_0":              "column 5: found 1_0, expected a number",
		"p > 1e999":            "column 5: found 1e999, expected a number",
		"p > 90":               "column 5: a probability must be from 0 to 1, got 90: write 90 % as 0.9; margin compares margins",
		"p > 1.0001":           "column 5: a probability must be from 0 to 1, got 1.0001",
		"p('sailing') <= -0.1": "column 17: a probability must be from 0 to 1, got -0.1: write 90 % as 0.9; margin compares",
		"p > 0 or p < 1e3":     "column 14: a probability must be from 0 to 1, got 1e3",
		"unknown > 30":         "column 11: a share must be from 0 to 1, got 30: write 90 % as 0.9",
		"unknown('a') > 0":     "column 8: found (, expected >=, >, <=, <, == or !=",
		"unknown == 'a'":       "column 12: found 'a', expected a number",
		"p > 1 && p < 2":       "column 7: found &&, expected and, or, or the end",
		"p > 1 p":              "column 7: found p, expected and, or, or the end",
		"p > 1 or":             "column 9: found the end, expected p, margin",
		"(p > 1":               "column 7: found the end, expected and, or, or )",
		"p > 1)":               "column 6: found ), expected and, or, or the end",
		"! p > 1":              "column 1: found !, expected p, margin, label, unknown, not or (",
		"label > 'sailing'":    "column 7: found >, expected == or !=",
		"label == sailing":     "column 10: found sailing, expected a label in quotes",
		"label == 'sailing":    "column 10: the closing quote is missing",
		"label == 'sailing''":  "column 10: the closing quote is missing",
		"label == 'saling'":    "column 10: the model has no label saling; did you mean sailing?",
		"label == 'é' or q":    "column 10: the model has no label é; it has cooking, sailing",
		"label != \"é\" or é":  "column 10: the model has no label é",
		"p > 0 or é > 1":       "column 10: found é, expected p",
		"0.5 < p":              "column 1: found 0.5, expected p, margin, label, unknown, not or (",
		"p > 0 AND p < 1":      "column 7: found AND, expected and, or, or the end",
		"p('saling') > 0":      "column 3: the model has no label saling; did you mean sailing?",
		"margin(\"é\") > 0":    "column 8: the model has no label é; it has cooking, sailing",
		"p() > 0":              "column 3: found ), expected a label in quotes",
		"p(sailing) > 0":       "column 3: found sailing, expected a label in quotes",
		"p('sailing' > 0":      "column 13: found >, expected )",
		"p('sailing) > 0":      "column 3: the closing quote is missing",
		"p('sailing')":         "column 13: found the end, expected >=, >, <=, <, == or !=",
		"p('sailing')('a')":    "column 13: found (, expected >=, >, <=, <, == or !=",
		"p['sailing'] > 0":     "column 2: found [, expected >=, >, <=, <, == or !=",
		"label('sailing') > 0": "column 6: found (, expected == or !=",
		"p > 0 and \x00p":      "column 11: found \"\\x00\", expected p",
		"margin > 0; rm -rf /": "column 11: found ;, expected and, or, or the end",
	} {
		_, _, err := parseWhere(text, []asked{{two, "", -1}})
		if err == nil || !strings.HasPrefix(err.Error(), "--where, "+want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// TestQuotes: labels of any bytes but NUL can be named.
func TestQuotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.String().Draw(t, "label")
		quote := rapid.SampledFrom([]string{"'", `"`}).Draw(t, "quote")
		quoted := quote + strings.ReplaceAll(label, quote, quote+quote) + quote
		w := &parser{text: quoted + rapid.SampledFrom([]string{"", " ", ")", "x"}).Draw(t, "behind")}
		if w.next(); w.token != quoted {
			t.Fatalf("the name is %s, want %s", w.token, quoted)
		}
	})
}

// FuzzParse: whatever the expression, an error or a condition that can be asked.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"p > 0.5", "not (margin <= 1 or label == 'sailing')", "label != \"x", "p >= 1e-3 and", "(((", "p('sailing') >= 0.8 and margin(\"cooking\") < 0.1", "p('"} {
		f.Add(text)
	}
	p := []nbsvm.Prediction{{Labels: []int{1}, Scores: []float64{0.25, 0.75}, Margins: []float64{1.5}}}
	f.Fuzz(func(t *testing.T, text string) {
		is, _, err := parseWhere(text, []asked{{two, "", -1}})
		if err == nil {
			negated, _, err := parseWhere("not ("+text+")", []asked{{two, "", -1}})
			if err != nil || negated(p) != -is(p) || is(p) == open {
				t.Fatalf("%q and its negation: %v", text, err)
			}
		} else if lines := strings.Split(fmt.Sprint(err), "\n"); len(lines) != 3 {
			t.Fatalf("%q: %d lines of error", text, len(lines))
		}
	})
}

// TestSeveral has the models of an expression named.
func TestSeveral(t *testing.T) {
	models := []asked{{two, "quality", -1}, {four, "to-pic2", 1}}
	p := []nbsvm.Prediction{
		{Labels: []int{1}, Scores: []float64{0.25, 0.75}, Margins: []float64{1.5}},
		{Labels: []int{2}, Scores: []float64{0.125, 0.25, 0.5, 0.125}, Margins: []float64{-3, -1, 2, -3}},
	}
	for text, want := range map[string]bool{
		"quality.p == 0.75": true, "quality.margin('cooking') == -1.5": true, "quality.label == 'sailing'": true,
		"to-pic2.p == 0.25": true, "to-pic2.p('sailing') >= .5 and quality.p < 0.5": false,
		"to-pic2.label == 'sailing' and (quality.p >= 0.9 or not quality.p >= 0.9)": true,
	} {
		is, _, err := parseWhere(text, models)
		if err != nil || is(p) != verdictOf(want) {
			t.Errorf("%s: not %t, %v", text, want, err)
		}
	}
	for text, want := range map[string]string{
		"p > 0":                          "column 1: found p, expected quality.p, quality.margin, quality.label, quality.unknown, to-pic2.p, to-pic2.margin, to-pic2.label, to-pic2.unknown, not or (",
		"qualty.p > 0":                   "found qualty.p, expected quality.p",
		"quality.p('music') > 0":         "music",
		"quality.p > 0 and quality":      "found quality, expected quality.p",
		"quality.p.p > 0":                "found quality.p.p, expected",
		"to-pic2.label == quality.label": "expected a label in quotes",
	} {
		if _, _, err := parseWhere(text, models); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestFirstModels: a condition that the predictions of the first models decide is decided whatever the others are.
func TestFirstModels(t *testing.T) {
	models := []asked{{two, "a", -1}, {two, "b", -1}, {four, "c", 1}}
	part := rapid.Custom(func(t *rapid.T) string {
		of := rapid.SampledFrom([]string{"a.p", "b.p", "b.unknown", "c.p", "c.p('sailing')"}).Draw(t, "of")
		return fmt.Sprintf("%s >= 0.%d", of, rapid.IntRange(0, 9).Draw(t, "tenths"))
	})
	var all func(depth int) *rapid.Generator[string]
	all = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return part
		}
		return rapid.Custom(func(t *rapid.T) string {
			a, b := all(depth-1).Draw(t, "a"), all(depth-1).Draw(t, "b")
			forms := []string{"(" + a + ") and (" + b + ")", "(" + a + ") or (" + b + ")", "not (" + a + ")"}
			return rapid.SampledFrom(forms).Draw(t, "form")
		})
	}
	scores := func(t *rapid.T, n int) (p nbsvm.Prediction) {
		p.Labels, p.Unknown = []int{0}, float64(rapid.IntRange(0, 10).Draw(t, "unknown"))/10
		for range n {
			p.Scores = append(p.Scores, float64(rapid.IntRange(0, 10).Draw(t, "score"))/10)
		}
		return p
	}
	rapid.Check(t, func(t *rapid.T) {
		text := all(3).Draw(t, "expression")
		is, compared, err := parseWhere(text, models)
		if err != nil {
			t.Fatal(err)
		}
		p := []nbsvm.Prediction{scores(t, 2), scores(t, 2), scores(t, 4)}
		decided := is(p)
		if decided == open {
			t.Fatalf("%s: open with all predictions", text)
		}
		for n := range p {
			if first := is(p[:n]); first != open && first != decided {
				t.Fatalf("%s: %d after %d predictions, %d after all", text, first, n, decided)
			}
		}
		for i, of := range compared.classes { // scores of others mean nothing
			if !compared.unknown[i] {
				p[i].Unknown = 0
			}
			for k := range p[i].Scores {
				if !slices.Contains(of, k) {
					p[i].Scores[k] = 0
				}
			}
		}
		if is(p) != decided {
			t.Fatalf("%s: depends on other classes than %v", text, compared.classes)
		}
	})
}
