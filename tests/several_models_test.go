package tests

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestSeveralModels: what models predict in one pass is what each predicts alone, whatever stands beside it, however
// many threads there are, and for whatever documents further ones are not asked.
func TestSeveralModels(t *testing.T) {
	several := small.with(func(s *shape) { s.classes, s.multi = 4, true })
	many := small.with(func(s *shape) { s.classes = 13 })
	var models []*nbsvm.Classifier
	for _, of := range []struct {
		s      shape
		change func(*nbsvm.Options)
	}{
		{small, func(*nbsvm.Options) {}},
		{several, func(o *nbsvm.Options) { o.Kind = nbsvm.Logistic }},
		{many, func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }},
		{small, func(o *nbsvm.Options) { o.Kind, o.Values = nbsvm.KNN, nbsvm.Count }},
	} {
		c, _ := mustTrain(t, of.s.input(), options(of.change))
		models = append(models, c)
	}
	var text bytes.Buffer
	for i, r := range small.with(func(s *shape) { s.docs, s.seed = 700, 2 }).records() {
		if fmt.Fprintf(&text, "class00\t%s\n", r.text); i%100 == 50 {
			text.WriteString("no label\n")
		}
	}
	settled := func(predictions, label int) bool { return (predictions+label)%3 == 0 }
	var o nbsvm.ScoreOptions
	predictions := func(threads int, first *nbsvm.Classifier, with ...*nbsvm.Classifier) [][]string {
		o.Threads, o.With = threads, with
		var out bytes.Buffer
		in := input(text.Bytes(), corpus.TSV)
		bad, err := corpus.NewBadRecords("skip", io.Discard)
		must.OK(t, err)
		in.Bad = bad
		stats, err := first.Score(t.Context(), in, o,
			func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
				for _, of := range p {
					dst = fmt.Appendf(dst, "%v %v %v\t", of.Labels, of.Scores, of.Margins)
				}
				return append(dst, '\n')
			}, &out)
		must.OK(t, err)
		if len(stats.With) != len(with) || slices.Max(stats.Labels) == 0 {
			t.Errorf("counts %+v", stats)
		}
		var rows [][]string
		for line := range bytes.Lines(out.Bytes()) {
			var row []string
			for field := range bytes.SplitSeq(bytes.TrimRight(line, "\t\n"), []byte{'\t'}) {
				row = append(row, string(field))
			}
			rows = append(rows, row)
		}
		return rows
	}
	want := predictions(1, models[0])
	for _, c := range models[1:] {
		for i, row := range predictions(1, c) {
			if row[0] != "" {
				want[i] = append(want[i], row...)
			}
		}
	}
	for _, threads := range []int{1, 4, 3} {
		if threads == 3 {
			o.Settled = func(p []nbsvm.Prediction) bool { return settled(len(p), p[0].Labels[0]) }
			for i, row := range want {
				for n := range row {
					if n > 0 && settled(n, int(row[0][1]-'0')) {
						want[i] = row[:n]
						break
					}
				}
			}
		}
		if got := predictions(threads, models[0], models[1:]...); !reflect.DeepEqual(got, want) {
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("%d threads, document %d:\n%q\nwant\n%q", threads, i, got[i], want[i])
				}
			}
		}
	}
}
