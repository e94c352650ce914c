package judge

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// TestMostWrong keeps the documents of the highest loss, by probability, and writes them in both formats.
func TestMostWrong(t *testing.T) {
	o := nbsvm.DefaultOptions()
	o.MinDF, o.Loss = 1, "logistic"
	in := corpus.Input{Stdin: strings.NewReader("a<b\tlovely film\na<b\tlovely\nc\tdull film\nc\tdull\n"), Format: corpus.TSV}
	c, _, err := nbsvm.Train(t.Context(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	two := 2
	j, err := New(c, Options{AtK: []int{1}, MostWrong: &two})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct {
		want, got int32
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
		j.Add(nbsvm.Judgement{Document: &corpus.Document{Text: []byte(d.text)}, Want: []int32{d.want}, Got: []int32{d.got}, Scores: scores})
	}
	found := j.Found(&metrics.Report{})
	if len(found.MostWrong) != 2 || found.MostWrong[0].Text != "impossible" || found.MostWrong[0].Loss != 52*math.Ln2 || found.MostWrong[1].Loss != 3*math.Ln2 {
		t.Errorf("most wrong are %+v", found.MostWrong)
	}
	if len(found.AtK) != 1 || found.RiskArea != nil || found.AtPrecision != nil {
		t.Errorf("found %+v", found)
	}
	var lines, table bytes.Buffer
	if err := writeJSON(&lines, found.MostWrong[1:]); err != nil {
		t.Fatal(err)
	}
	if want := `{"label":"a<b","predicted":"c","probability":0.875,"loss":2.0794415416798357,"text":"more\twrong"}` + "\n"; lines.String() != want {
		t.Errorf("as JSON %s, want %s", &lines, want)
	}
	if err := writeTSV(&table, found.MostWrong[1:], "probability"); err != nil {
		t.Fatal(err)
	}
	if want := "label\tpredicted\tprobability\tloss\ttext\na<b\tc\t0.875\t2.07944\tmore wrong\n"; table.String() != want {
		t.Errorf("as a table %q, want %q", &table, want)
	}
}
