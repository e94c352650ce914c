package tests

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// readyRows are documents of ready-made features with values that float32 holds, of which each label prefers some. Some
// numbers are in no document.
func readyRows(labels []string, documents int) string {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for range documents {
		k := rng.IntN(len(labels))
		b.WriteString(labels[k])
		for j := 3; j < 200; j += 2 {
			often := 0.03
			if j/2%len(labels) == k {
				often = 0.09
			}
			if rng.Float64() < often {
				fmt.Fprintf(&b, " %d:%v", j, float64(1+rng.IntN(12))/4)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestLiblinearOwnRows: of ready-made features that are not scaled to unit length, the exported model is for documents
// as they are: its ratios are in its weights.
func TestLiblinearOwnRows(t *testing.T) {
	for name, labels := range map[string][]string{
		"two": {"-1", "1"}, "two others": {"2", "1"}, "three": {"-1", "0", "7"}, "words": {"ham", "spam"},
	} {
		for _, kind := range []nbsvm.Kind{nbsvm.NBSVM, nbsvm.SVM} {
			t.Run(fmt.Sprint(name, " ", kind), func(t *testing.T) {
				rows := readyRows(labels, 300)
				c, _ := mustTrain(t, as(corpus.SVMLight, rows), options(func(o *nbsvm.Options) {
					o.Kind, o.AutoKind, o.Normalize = kind, false, false
				}))
				if !inside.Classifier(c).LinearInFeatures() {
					t.Fatal("the model is not linear in its features")
				}
				compareOwnRows(t, c, rows, name != "words")
			})
		}
	}
}

// compareOwnRows compares margins with those of a plain loop, and labels with LIBLINEAR's.
func compareOwnRows(t *testing.T, c *nbsvm.Classifier, rows string, numbers bool) {
	t.Helper()
	x, w := parseMatrix(t, ownRows(c, rows)), exportWeights(t, c, "")
	var want []string
	for i := range x.ends {
		p, err := c.Predict([]byte(features(strings.Split(rows, "\n")[i])))
		must.OK(t, err)
		want = append(want, c.Labels()[p.Labels[0]])
		ids, _ := x.row(i)
		for output, margin := range p.Margins {
			// Indices beyond those of the model are unknown to it, as to LIBLINEAR.
			if got := x.dot(i, w, output); math.Abs(got-margin) > 1e-9*float64(1+len(ids)) {
				t.Fatalf("document %d, output %d: %v, want %v", i, output, got, margin)
			}
		}
	}
	var exported bytes.Buffer
	must.OK(t, inside.ExportMatrix(context.Background(), c, as(corpus.SVMLight, rows), 0, nil, "", &exported))
	if got := exported.String(); numbers && got != rows {
		t.Errorf("documents are exported as\n%.200s\nnot as they are\n%.200s", got, rows)
	}
	if _, err := exec.LookPath("liblinear-predict"); err != nil {
		t.Skip("liblinear-predict is not on the path (Debian: liblinear-tools)")
	}
	dir := t.TempDir()
	model, test, out := filepath.Join(dir, "model"), filepath.Join(dir, "test"), filepath.Join(dir, "out")
	create(t, model, func(to *os.File) error { return inside.Classifier(c).ExportLiblinear("", to) })
	create(t, test, func(to *os.File) error { _, err := to.Write(ownRows(c, rows)); return err })
	liblinear(t, "liblinear-predict", "-q", test, model, out)
	predicted, err := os.ReadFile(out)
	must.OK(t, err)
	labels, err := inside.Classifier(c).LiblinearLabels("")
	must.OK(t, err)
	var got []string
	for _, field := range strings.Fields(string(predicted)) {
		got = append(got, *labels[int(number(t, field))])
	}
	if !slices.Equal(got, want) {
		t.Errorf("LIBLINEAR predicts\n%q, want\n%q", got, want)
	}
}

// features is a row without its label.
func features(row string) string {
	_, features, _ := strings.Cut(row, " ")
	return features
}

// ownRows are rows as LIBLINEAR reads them: it takes no words for labels.
func ownRows(c *nbsvm.Classifier, rows string) []byte {
	for k, label := range c.Labels() {
		if strings.ContainsAny(label, "abcdefghijklmnopqrstuvwxyz") {
			rows = strings.ReplaceAll(rows, label+" ", fmt.Sprint(k, " "))
		}
	}
	return []byte(rows)
}
