package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// TestRepeatedLabels: a label that a record has twice counts once, in every format.
func TestRepeatedLabels(t *testing.T) {
	ctx := context.Background()
	for _, format := range []struct {
		format corpus.Format
		record func(labels []string, i int) string
	}{
		{corpus.TSV, func(labels []string, i int) string {
			return fmt.Sprintf("%s\tword%s w%d\n", strings.Join(labels, ","), labels[0], i)
		}},
		{corpus.CSV, func(labels []string, i int) string {
			return fmt.Sprintf("\"%s\",word%s w%d\n", strings.Join(labels, ","), labels[0], i)
		}},
		{corpus.JSONL, func(labels []string, i int) string {
			return fmt.Sprintf("{\"label\":[\"%s\"],\"text\":\"word%s w%d\"}\n", strings.Join(labels, "\",\""), labels[0], i)
		}},
		{corpus.FastText, func(labels []string, i int) string {
			return fmt.Sprintf("__label__%s word%s w%d\n", strings.Join(labels, " __label__"), labels[0], i)
		}},
		{corpus.SVMLight, func(labels []string, i int) string {
			return fmt.Sprintf("%s %s:1 %d:1\n", strings.Join(labels, ","), labels[0], 10+i)
		}},
		{corpus.VW, func(labels []string, i int) string {
			return fmt.Sprintf("%s |a word%s w%d\n", strings.Join(labels, ","), labels[0], i)
		}},
	} {
		t.Run(string(format.format), func(t *testing.T) {
			var once, often strings.Builder
			if format.format == corpus.CSV {
				once.WriteString("label,text\n")
				often.WriteString("label,text\n")
			}
			for i := range 60 {
				labels := []string{fmt.Sprint(2 + i%3)}
				if i%4 == 0 {
					labels = append(labels, fmt.Sprint(2+(i+1)%3))
				}
				once.WriteString(format.record(labels, i))
				often.WriteString(format.record(slices.Concat(labels, labels, labels), i))
			}
			of := func(data string) corpus.Input {
				in := input([]byte(data), format.format)
				in.LabelSep = ","
				return in
			}
			var top [2]metrics.TopKs
			var reports [2]*metrics.Report
			for i, data := range []string{once.String(), often.String()} {
				c, _ := mustTrain(t, of(data), options(func(o *nbsvm.Options) { o.MinDF = 1 }))
				top[i] = metrics.TopKs{{K: 1}, {K: 2}}
				r, err := c.Evaluate(ctx, of(data), nbsvm.ScoreOptions{Judge: func(j nbsvm.Judgement) { top[i].AddDocument(j.Want, j.Scores) }})
				must.OK(t, err)
				reports[i] = r
			}
			for k := range top[0] {
				if a, b := top[0][k], top[1][k]; a.Precision != b.Precision || a.Recall != b.Recall || a.NDCG != b.NDCG || b.Precision > 1 {
					t.Errorf("of labels that repeat %+v, of others %+v", b, a)
				}
			}
			if a, b := reports[0], reports[1]; a.MicroF1 != b.MicroF1 || a.Accuracy != b.Accuracy {
				t.Errorf("micro F1 %v of labels that repeat, %v of others", b.MicroF1, a.MicroF1)
			}
		})
	}
}
