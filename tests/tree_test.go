package tests

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// treeKinds are those that learn classes in a tree.
var treeKinds = []nbsvm.Kind{nbsvm.NBSVM, nbsvm.SVM, nbsvm.Logistic}

func grown(kind nbsvm.Kind) func(*nbsvm.Options) {
	return func(o *nbsvm.Options) { o.Kind, o.Tree = kind, nbsvm.AlwaysTree }
}

// manyClasses are documents of so many classes, and one of a class of its own.
func manyClasses(classes int) []record {
	docs := small.with(func(s *shape) { s.classes, s.docs = classes, 8*classes }).records()
	return append(docs, record{label: "alone", text: "a word w1 of a class with one document w2"})
}

// TestTreeIsHierarchy: a tree that was grown learns what the same tree learns that is given by the names of labels. The
// lengths of rows are not the same, which matters where there are ratios. Most words say nothing
// of the class, so that documents are negatives of no other node.
func TestTreeIsHierarchy(t *testing.T) {
	exactWeights(t)
	docs := manyClasses(22)
	for i := range docs {
		docs[i].text += strings.Repeat(" the", 1+i%3)
		for n := range 60 {
			if (i+n)%3 > 0 {
				docs[i].text += fmt.Sprintf(" noise%d", n)
			}
		}
	}
	for _, kind := range treeKinds {
		plain := func(o *nbsvm.Options) {
			o.Normalize, o.Tol, o.MaxEpochs = o.Normalize && kind != nbsvm.NBSVM, 1e-6, 10_000
		}
		c, report := mustTrain(t, input(tsv(docs), corpus.TSV), options(grown(kind), plain))
		labels, tree := c.Labels(), inner(t, c).Tree()
		if report.Options.Tree != nbsvm.AlwaysTree || len(report.Classes) != len(labels) || inner(t, c).Paths() != nil {
			t.Fatalf("%s: tree %q, %d classes of %d", kind, report.Options.Tree, len(report.Classes), len(labels))
		}
		if n := len(tree.Parents); n < len(labels)+2 || slices.Max(tree.Depths) != 2 {
			t.Fatalf("%s: %d nodes of %d classes, of depths %v", kind, n, len(labels), tree.Depths)
		}
		path := func(k int) (path string) {
			for ; k >= 0; k = int(tree.Parents[k]) {
				path = fmt.Sprintf("/%03d", k) + path
			}
			return path[1:]
		}
		renamed := slices.Clone(docs)
		for i := range renamed {
			renamed[i].label = path(slices.Index(labels, renamed[i].label))
		}
		given, _ := mustTrain(t, input(tsv(renamed), corpus.TSV), options(hierarchical(kind, "top-down"), plain))
		output := make([]int, len(tree.Parents)) // of the other model
		for k := range output {
			output[k], _ = slices.BinarySearch(given.Labels(), path(k))
		}
		sameWeights(t, modelOf(t, c), modelOf(t, given), output)
		a, b := newScorer(t, c), newScorer(t, given)
		same := 0
		for _, d := range docs {
			p, q := predict(t, a, d.text), predict(t, b, d.text)
			if path(p.Labels[0]) == given.Labels()[q.Labels[0]] {
				same++
			}
		}
		if same < len(docs)*95/100 {
			t.Errorf("%s: %d of %d predictions are those where the tree is given", kind, same, len(docs))
		}
	}
}

// sameWeights finds out whether a model has nearly the weights of another one, whose outputs are numbered otherwise.
func sameWeights(t *testing.T, m, other *model.Model, output []int) {
	t.Helper()
	w, v := make([]float64, m.Outputs), make([]float64, other.Outputs)
	squares, stored := make([]float64, m.Outputs), make([]float64, m.Outputs)
	off := make([]float64, m.Outputs)
	for row := range m.IDs.Size {
		m.RowWeights(row, w)
		other.RowWeights(row, v)
		for k, o := range output {
			if m.RatioAt(row, k) != other.RatioAt(row, o) {
				t.Fatalf("the ratio of row %d for output %d is %v, want %v", row, k, m.RatioAt(row, k), other.RatioAt(row, o))
			}
			off[k] = max(off[k], math.Abs(w[k]-v[o]))
			if v[o] != 0 {
				squares[k], stored[k] = squares[k]+v[o]*v[o], stored[k]+1
			}
		}
	}
	for k, o := range output {
		rms := math.Sqrt(squares[k] / stored[k])
		if math.Abs(m.Bias[k]-other.Bias[o]) > 0.01*rms || off[k] > 0.01*rms {
			t.Errorf("output %d has the bias %v, want %v, and weights that are off by up to %v, with a root mean square of %v",
				k, m.Bias[k], other.Bias[o], off[k], rms)
		}
	}
}

// TestTreeIsConsistent: whatever the kind of model and the number of labels of a document, any number of threads gives
// the same model, its file predicts as it does, and so does a quantized one nearly; best classes come first.
func TestTreeIsConsistent(t *testing.T) {
	exactWeights(t)
	for _, kind := range treeKinds {
		for _, several := range []bool{false, true} {
			docs := manyClasses(13)
			if several {
				for i := range docs {
					if i%3 == 0 {
						docs[i].label += "," + docs[(i+1)%len(docs)].label
					}
				}
			}
			in := input(tsv(docs), corpus.TSV)
			if several {
				in.LabelSep = ","
			}
			c, _ := mustTrain(t, in, options(grown(kind)))
			in = input(tsv(docs), corpus.TSV)
			if several {
				in.LabelSep = ","
			}
			again, _ := mustTrain(t, in, options(grown(kind), func(o *nbsvm.Options) { o.Threads = 3 }))
			if !bytes.Equal(encode(t, c), encode(t, again)) {
				t.Errorf("%s: other threads make another model", kind)
			}
			opened, err := nbsvm.OpenBytes(encode(t, c))
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if c.MultiLabel() != several || len(c.Labels()) != 14 || !c.Probabilities() {
				t.Fatalf("%s: %d labels, several: %v", kind, len(c.Labels()), c.MultiLabel())
			}
			small, _, err := c.Quantize()
			must.OK(t, err)
			scorer, other, rounded := newScorer(t, c), newScorer(t, opened), newScorer(t, small)
			right, sure := 0, 0.0
			for _, d := range docs {
				p := predict(t, scorer, d.text)
				if q := predict(t, other, d.text); !slices.Equal(p.Labels, q.Labels) || !slices.Equal(p.Scores, q.Scores) {
					t.Fatalf("%s: the file predicts %v, not %v", kind, q, p)
				}
				best := c.Best(&p, 3)
				for k, score := range p.Scores {
					if sure += score; !(score >= 0 && score <= 1) || score > p.Scores[best[0]] {
						t.Fatalf("%s: %q has the probability %v, the best %v", kind, c.Labels()[k], score, p.Scores[best[0]])
					}
				}
				if !several && p.Labels[0] != best[0] {
					t.Fatalf("%s: %v is predicted, and %v is the best", kind, p.Labels, best)
				}
				if strings.Contains(d.label, c.Labels()[best[0]]) {
					right++
				}
				for k, score := range predict(t, rounded, d.text).Scores {
					if !near(score, p.Scores[k], 0.01) {
						t.Fatalf("%s: quantized, %q has %v instead of %v", kind, c.Labels()[k], score, p.Scores[k])
					}
				}
			}
			if right < len(docs)*7/10 {
				t.Errorf("%s: the best class is right for %d of %d documents", kind, right, len(docs))
			}
			if !several && !near(sure, float64(len(docs)), 1e-9) {
				t.Errorf("%s: probabilities of %d documents add up to %v", kind, len(docs), sure)
			}
		}
	}
}
