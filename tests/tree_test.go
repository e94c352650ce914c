package tests

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
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

// TestTreeIsAlone: what is below a node of a grown tree is learned as if there were no other documents. Most words say
// nothing of the class, so that documents are negatives of no other node.
func TestTreeIsAlone(t *testing.T) {
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
		if kind == nbsvm.NBSVM {
			continue // its ratio is that of all classes
		}
		plain := func(o *nbsvm.Options) {
			o.Kind, o.MinDF, o.Beta = kind, 1, 1
			o.Tol, o.MaxEpochs = 1e-6, 10_000
		}
		c, report := mustTrain(t, input(tsv(docs), corpus.TSV), options(grown(kind), plain))
		labels, tree := c.Labels(), inner(t, c).Tree()
		if report.Options.Tree != nbsvm.AlwaysTree || len(report.Classes) != len(labels) || inner(t, c).Paths() != nil {
			t.Fatalf("%s: tree %q, %d classes of %d", kind, report.Options.Tree, len(report.Classes), len(labels))
		}
		if n := len(tree.Parents); n < len(labels)+2 || slices.Max(tree.Depths) != 2 {
			t.Fatalf("%s: %d nodes of %d classes, of depths %v", kind, n, len(labels), tree.Depths)
		}
		whole, groups := newScorer(t, c), 0
		for outputs := range tree.Groups {
			var below []record // with the child's number as label
			for _, d := range docs {
				for _, o := range outputs {
					if tree.Within(slices.Index(labels, d.label), int(o)) {
						below = append(below, record{label: fmt.Sprintf("%03d", o), text: d.text})
					}
				}
			}
			in := input(tsv(below), corpus.TSV)
			in.ManyClasses = true
			alone, _ := mustTrain(t, in, options(plain, func(o *nbsvm.Options) { o.Tree = nbsvm.NeverTree }))
			scorer := newScorer(t, alone)
			groups++
			for _, d := range below[:min(20, len(below))] {
				got, want := predict(t, whole, d.text).Margins, predict(t, scorer, d.text).Margins
				if len(want) == 1 {
					want = []float64{-want[0], want[0]}
				}
				for k, label := range alone.Labels() {
					var o int
					fmt.Sscanf(label, "%d", &o)
					if !near(got[o], want[k], 2e-3*(1+math.Abs(want[k]))) {
						t.Fatalf("%s: node %d of %q has the margin %v, and alone %v", kind, o, d.text, got[o], want[k])
					}
				}
			}
		}
		if groups < 2 {
			t.Errorf("%s: %d nodes have alternatives below them", kind, groups)
		}
	}
}
