package scoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// trained returns a model of three classes, each with words of its own.
func trained(t *testing.T) *nbsvm.Classifier {
	t.Helper()
	var in bytes.Buffer
	for i := range 90 {
		fmt.Fprintf(&in, "class%d\tword%d_%d common%d. Word%d_%d!\n", i%3, i%3, i%7, i%5, i%3, i%4)
	}
	o := nbsvm.DefaultOptions()
	o.Kind = nbsvm.Logistic
	c, _, err := nbsvm.Train(t.Context(), corpus.Input{Stdin: &in, Format: corpus.TSV}, o)
	must.OK(t, err)
	return c
}

// linesOf returns the lines that are made of records with these options.
func linesOf(t *testing.T, o Options, records string, threads int, models ...Model) []string {
	t.Helper()
	attributes := ""
	if o.beside {
		attributes = "a." + o.OutputFormat
	}
	must.OK(t, o.Validate(&Input{Files: Files{Format: corpus.JSONL}}, "", attributes, false))
	s, err := New(models, &o)
	must.OK(t, err)
	in := corpus.Input{Stdin: strings.NewReader(records), Format: corpus.JSONL}
	o.ReadFields(&in)
	var out, rows bytes.Buffer
	to, beside := Output{W: &out}, Beside{}
	if o.beside {
		to.W, beside.Attributes = io.Discard, &Output{W: &rows}
	}
	_, err = s.Write(t.Context(), s.Input(in), nbsvm.ScoreOptions{Threads: threads}, to, beside)
	must.OK(t, err)
	return slices.Collect(strings.Lines(out.String() + rows.String()))
}

// predictions are what rows of JSON have of a document, or a part of one.
type predictions struct {
	Labels        []string
	Probabilities map[string]float64
	Start, End    int
	Parts         []predictions
}

// TestRowsOfParts: rows have every part with the scores that its text has alone, and documents the mean, by whatever
// format; conditions are about that.
func TestRowsOfParts(t *testing.T) {
	c := trained(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	var records strings.Builder
	for i := range 400 {
		var text strings.Builder
		for range rng.IntN(12) {
			text.WriteString([]string{
				fmt.Sprintf("word%d_%d ", rng.IntN(3), rng.IntN(7)), "日本。", "é. ", "Common! ", "\n", "\r\n\n", "\x00? ", "😀 ",
			}[rng.IntN(8)])
		}
		texts = append(texts, text.String())
		quoted, err := json.Marshal(text.String())
		must.OK(t, err)
		fmt.Fprintf(&records, "{\"id\":%d,\"text\":%s}\n", i, quoted)
	}
	one := Model{Classifier: c}
	for _, per := range []string{"paragraph", "sentence", "20"} {
		o := Options{Per: per, AllScores: true, OutputFormat: "jsonl", IDField: "id"}
		rows := linesOf(t, o, records.String(), 1, one)
		var least []string // records with a probability of 0.5
		for i, row := range rows {
			var got predictions
			must.OK(t, json.Unmarshal([]byte(row), &got))
			want, chars := map[string]float64{}, 0
			for _, part := range got.Parts {
				predicted, err := c.Predict([]byte(string([]rune(texts[i])[part.Start:part.End])))
				must.OK(t, err)
				for k, label := range c.Labels() {
					if part.Probabilities[label] != predicted.Scores[k] {
						t.Fatalf("by %s, %q has the part %+v, want %+v", per, texts[i], part, predicted)
					}
					want[label] += predicted.Scores[k] * float64(part.End-part.Start)
				}
				if chars += part.End - part.Start; part.Labels[0] != c.Labels()[predicted.Labels[0]] {
					t.Fatalf("by %s, %q has the part %+v, want %+v", per, texts[i], part, predicted)
				}
			}
			if chars == 0 {
				predicted, err := c.Predict([]byte(texts[i]))
				must.OK(t, err)
				for k, label := range c.Labels() {
					want[label] = predicted.Scores[k]
				}
				chars = 1
			}
			for label, sum := range want {
				if mean := sum / float64(chars); math.Abs(got.Probabilities[label]-mean) > 1e-12 {
					t.Fatalf("by %s, %q has %s %v, want %v", per, texts[i], label, got.Probabilities[label], mean)
				}
				if got.Probabilities[label] > got.Probabilities[got.Labels[0]] {
					t.Fatalf("by %s, %q has the label %s of %v", per, texts[i], got.Labels, got.Probabilities)
				}
			}
			if got.Probabilities["class1"] >= 0.5 {
				least = append(least, strings.Split(records.String(), "\n")[i]+"\n")
			}
		}
		if kept := linesOf(t, Options{Per: per, Where: `p("class1") >= 0.5`}, records.String(), 3, one); !slices.Equal(kept, least) {
			t.Errorf("by %s, %d records are kept, want %d", per, len(kept), len(least))
		}
		if other := linesOf(t, o, records.String(), 3, one); !slices.Equal(other, rows) {
			t.Errorf("by %s, several threads make other rows", per)
		}
		o.beside, o.Where = true, "p > 0.9"
		if other := linesOf(t, o, records.String(), 3, one); !slices.Equal(other, rows) {
			t.Errorf("by %s, rows beside records are others", per)
		}
		checkDolma(t, o, records.String(), rows, one)
	}
}

// checkDolma compares spans with those of rows of JSON, one model among two.
func checkDolma(t *testing.T, o Options, records string, rows []string, one Model) {
	t.Helper()
	o.OutputFormat = "dolma"
	two := []Model{{"a", one.Classifier}, {"b", one.Classifier}}
	label := "class1"
	for _, of := range []*string{nil, &label} { // for rows alone, scores of documents are not made
		beside, alone := o, o
		beside.Label, beside.AllScores, beside.Where = of, false, "p > 0.9"
		alone.Label, alone.AllScores, alone.Where, alone.beside = of, false, "", false
		if !slices.Equal(linesOf(t, alone, records, 1, one), linesOf(t, beside, records, 2, one)) {
			t.Error("rows of dolma are others beside records")
		}
	}
	o.Where = "a.p > 0.9"
	for i, row := range linesOf(t, o, records, 2, two...) {
		var got struct{ Attributes map[string][][3]float64 }
		must.OK(t, json.Unmarshal([]byte(row), &got))
		var of predictions
		must.OK(t, json.Unmarshal([]byte(rows[i]), &of))
		if len(of.Parts) == 0 {
			continue
		}
		want := map[string][][3]float64{}
		for _, part := range of.Parts {
			for label, score := range part.Probabilities {
				for _, name := range []string{"a__", "b__"} {
					want[name+label] = append(want[name+label], [3]float64{float64(part.Start), float64(part.End), score})
				}
			}
		}
		if !reflect.DeepEqual(got.Attributes, want) {
			t.Fatalf("row %d has %v, want %v", i, slices.Sorted(maps.Keys(got.Attributes)), want)
		}
	}
}

// TestRowsOfWindow: what a window shows is scored as if it were the text.
func TestRowsOfWindow(t *testing.T) {
	one := Model{Classifier: trained(t)}
	long := strings.Repeat("word0_1 ", 30) + strings.Repeat("word1_1 ", 500) + strings.Repeat("word2_1 ", 40)
	for window, seen := range map[string]string{
		"begin:240":         strings.Repeat("word0_1 ", 30),
		"end:320":           strings.Repeat("word2_1 ", 40),
		"begin:240,end:320": strings.Repeat("word0_1 ", 30) + "\\n" + strings.Repeat("word2_1 ", 40),
		"begin:100000":      long,
	} {
		for _, o := range []Options{{}, {AllScores: true, OutputFormat: "jsonl"}, {IDField: "id", OutputFormat: "dolma"}} {
			want := linesOf(t, o, `{"id":1,"text":"`+seen+`"}`, 1, one)
			o.Window = window
			got := linesOf(t, o, `{"id":1,"text":"`+long+`"}`, 1, one)
			if o.OutputFormat == "dolma" { // spans are of the text
				want[0] = strings.Replace(want[0], fmt.Sprint(",", len(strings.ReplaceAll(seen, "\\n", "\n"))), fmt.Sprint(",", len(long)), 1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("window %s: %q, want %q", window, got, want)
			}
		}
	}
}
