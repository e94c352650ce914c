package tests

import (
	"bufio"
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// exported is what ExportMatrix writes, read again.
type exported struct {
	labels []float64
	ends   []int
	ids    []int32 // from 0
	values []float64
}

func (x *exported) row(i int) ([]int32, []float64) {
	lo := 0
	if i > 0 {
		lo = x.ends[i-1]
	}
	return x.ids[lo:x.ends[i]], x.values[lo:x.ends[i]]
}

// dot is row i times a column of weights, the bias feature included.
func (x *exported) dot(i int, w *linear, column int) float64 {
	sum := 0.0
	if w.bias > 0 {
		sum = w.bias * w.rows[len(w.rows)-1][column]
	}
	ids, values := x.row(i)
	for n, j := range ids {
		sum += values[n] * w.rows[j][column]
	}
	return sum
}

func exportMatrix(t testing.TB, c *nbsvm.Classifier, in corpus.Input, class string) *exported {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, inside.ExportMatrix(context.Background(), c, in, 2, nil, class, &b))
	return parseMatrix(t, b.Bytes())
}

func parseMatrix(t testing.TB, data []byte) *exported {
	t.Helper()
	x := &exported{}
	for line := range bytes.Lines(data) {
		for n, field := range strings.Fields(string(line)) {
			if n == 0 {
				x.labels = append(x.labels, number(t, field))
				continue
			}
			index, value, _ := strings.Cut(field, ":")
			j, err := strconv.Atoi(index)
			if err != nil || j < 1 {
				t.Fatalf("index %q", index)
			}
			x.ids, x.values = append(x.ids, int32(j-1)), append(x.values, number(t, value))
		}
		x.ends = append(x.ends, len(x.ids))
	}
	return x
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	must.OK(t, err)
	return v
}

// linear is a model of LIBLINEAR: rows of weights by feature, the bias last.
type linear struct {
	header map[string]string
	bias   float64 // value of the bias feature, below 0 for none
	rows   [][]float64
}

func exportWeights(t testing.TB, c *nbsvm.Classifier, class string) *linear {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, inside.Classifier(c).ExportLiblinear(class, &b))
	return parseLinear(t, b.Bytes())
}

func parseLinear(t testing.TB, data []byte) *linear {
	t.Helper()
	l := &linear{header: map[string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() && lines.Text() != "w" {
		key, value, _ := strings.Cut(lines.Text(), " ")
		l.header[key] = value
	}
	l.bias = number(t, l.header["bias"])
	for lines.Scan() {
		var row []float64
		for _, field := range strings.Fields(lines.Text()) {
			row = append(row, number(t, field))
		}
		l.rows = append(l.rows, row)
	}
	want := int(number(t, l.header["nr_feature"]))
	if l.bias >= 0 {
		want++
	}
	if len(l.rows) != want {
		t.Fatalf("%d rows of weights, want %d", len(l.rows), want)
	}
	return l
}
