package scoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// TestMostWrong keeps the documents of the highest loss, by probability, and writes them.
func TestMostWrong(t *testing.T) {
	o := nbsvm.DefaultOptions()
	o.MinDF, o.Loss = 1, "logistic"
	in := corpus.Input{Stdin: strings.NewReader("a<b\tlovely film\na<b\tlovely\nc\tdull film\nc\tdull\n"), Format: corpus.TSV}
	c, _, err := nbsvm.Train(t.Context(), in, o)
	must.OK(t, err)
	j, err := NewJudge(c, JudgeOptions{AtK: []int{1}, Wrong: "wrong.jsonl"})
	must.OK(t, err)
	for _, d := range []struct {
		want, got int
		wanted    float64 // its probability
		text      string
	}{
		{0, 0, 0.9, "right"},
		{1, 0, 0.25, "wrong"},
		{metrics.Unknown, 0, 0.1, "of a label that is not known"},
		{0, 1, 0.125, "more\twrong"},
		{1, 0, 0.5, "hardly wrong"},
		{1, 0, 0, "impossible"},
	} {
		scores := []float64{d.wanted, 1 - d.wanted}
		if d.want == 1 {
			scores = []float64{1 - d.wanted, d.wanted}
		}
		j.Add(nbsvm.Judgement{Document: &corpus.Document{Text: []byte(d.text)}, Want: []int{d.want}, Prediction: nbsvm.Prediction{Labels: []int{d.got}, Scores: scores}})
	}
	found := j.Found(&metrics.Report{})
	if len(found.AtK) != 1 || found.AtPrecision != nil {
		t.Errorf("found %+v", found)
	}
	var lines bytes.Buffer
	must.OK(t, j.WriteWrong(&lines))
	all := strings.SplitAfter(lines.String(), "\n")
	if len(all) != 5 || !strings.Contains(all[0], `"text":"impossible"`) || !strings.Contains(all[0], fmt.Sprintf(`"loss":%v`, 52*math.Ln2)) {
		t.Errorf("most wrong are %s", &lines)
	}
	if want := `{"label":"a<b","predicted":"c","probability":0.875,"loss":2.0794415416798357,"text":"more\twrong"}` + "\n"; all[1] != want {
		t.Errorf("as JSON %s, want %s", all[1], want)
	}
}

// TestOutOfFold plants wrong labels and wants nearly all of them at the top of the file, where models had not seen
// them: of one label a document, and of several.
func TestOutOfFold(t *testing.T) {
	const documents, planted = 1200, 40
	for _, several := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		in := corpus.Input{Format: corpus.TSV}
		if several {
			in.LabelSep = ","
		}
		wrong, lines := map[string]bool{}, strings.Builder{}
		for i := range documents {
			k := r.IntN(4)
			var text strings.Builder
			fmt.Fprintf(&text, "document%d", i)
			for range 12 {
				of := k
				if r.IntN(3) == 0 {
					of = r.IntN(4)
				}
				fmt.Fprintf(&text, " w%d.%d", of, r.IntN(40))
			}
			if i%(documents/planted) == 0 {
				wrong[text.String()] = true
				k = (k + 1 + r.IntN(3)) % 4
			}
			label := fmt.Sprintf("c%d", k)
			if several {
				label += fmt.Sprintf(",even%d", k%2)
			}
			fmt.Fprintf(&lines, "%s\t%s\n", label, &text)
		}
		found := func(written bytes.Buffer) (n int) {
			lines := strings.Split(written.String(), "\n")
			for _, line := range lines[:min(planted, len(lines)-1)] {
				var d struct{ Text string }
				if must.OK(t, json.Unmarshal([]byte(line), &d)); wrong[d.Text] {
					n++
				}
			}
			return n
		}
		o := nbsvm.DefaultOptions()
		in.Stdin = strings.NewReader(lines.String())
		j := NewWrong()
		var out, seen bytes.Buffer
		cv, err := nbsvm.CrossValidateAll(t.Context(), in, []nbsvm.Options{o}, 5, j.AddOf)
		if err != nil || cv[0].Documents != documents {
			t.Fatal(err)
		}
		must.OK(t, j.WriteWrong(&out))
		in.Stdin = strings.NewReader(lines.String())
		c, _, err := nbsvm.Train(t.Context(), in, o)
		must.OK(t, err)
		own, err := NewJudge(c, JudgeOptions{Wrong: "wrong.jsonl"})
		must.OK(t, err)
		in.Stdin = strings.NewReader(lines.String())
		if _, err := c.Evaluate(t.Context(), in, nbsvm.ScoreOptions{Judge: own.Add}); err != nil {
			t.Fatal(err)
		}
		must.OK(t, own.WriteWrong(&seen))
		if got, before := found(out), found(seen); got < planted*8/10 || !several && got <= before {
			t.Errorf("several labels %v: %d of %d planted ones, and %d of a model that has seen them (%s)", several, got, planted, before, j.Written())
		}
	}
}

// TestTextless: what has no texts is refused, not written without.
func TestTextless(t *testing.T) {
	in := corpus.Input{Stdin: strings.NewReader("a 1:1\nb 2:1\na 1:2\nb 2:2\n"), Format: corpus.SVMLight}
	if _, err := nbsvm.CrossValidateAll(t.Context(), in, []nbsvm.Options{nbsvm.DefaultOptions()}, 2, NewWrong().AddOf); err == nil || !strings.Contains(err.Error(), "no texts") {
		t.Errorf("ready-made features: %v", err)
	}
}
