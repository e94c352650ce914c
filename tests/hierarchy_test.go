package tests

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// linearKinds are those that can have an output for each node of a tree.
func linearKinds() (kinds []nbsvm.Kind) {
	for _, kind := range classKinds() {
		o := options(func(o *nbsvm.Options) { o.Kind = kind })
		o.Hierarchy = "/"
		if o.Validate() == nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// pathsOf gives the classes of a made-up corpus these labels, in turn.
func pathsOf(s shape, labels ...string) []record {
	docs := s.with(func(s *shape) { s.classes = len(labels) }).records()
	for i := range docs {
		var class int
		if _, err := fmt.Sscanf(docs[i].label, "class%d", &class); err != nil {
			panic(err)
		}
		docs[i].label = labels[class]
	}
	return docs
}

func hierarchical(kind nbsvm.Kind) func(*nbsvm.Options) {
	return func(o *nbsvm.Options) { o.Kind, o.Hierarchy = kind, "/" }
}

// TestHierarchyIsConsistent: whatever the tree and the kind of model, a node is predicted, probabilities of
// nodes are those of what is below them, any number of threads gives the same model, and its file predicts as it does.
func TestHierarchyIsConsistent(t *testing.T) {
	must.SkipUnderRace(t)
	trees := [][]string{
		{"a/x", "a/y", "b/x", "b/y", "c"},
		{"a", "a/x", "a/x/1", "b/only/child", "b"},
		{"a/b/c/d", "e"},
		{"top/a", "top/b"},
		{"top", "top/a"},
		{"a b", "a/b", "a\x00/b", "a/c", "é/\u202e"},
	}
	for _, kind := range linearKinds() {
		for i, labels := range trees {
			data := tsv(pathsOf(small.with(func(s *shape) { s.docs, s.seed = 120, uint64(i) }), labels...))
			change := hierarchical(kind)
			c, report := mustTrain(t, input(data, corpus.TSV), options(change))
			oneThread := func(o *nbsvm.Options) { o.Threads = 1 }
			again, _ := mustTrain(t, input(data, corpus.TSV), options(change, oneThread))
			if !bytes.Equal(encode(t, c), encode(t, again)) {
				t.Errorf("%s, %q: other threads make another model", kind, labels)
			}
			opened, err := nbsvm.OpenBytes(encode(t, c))
			if err != nil {
				t.Fatalf("%s, %q: %v", kind, labels, err)
			}
			if len(report.Classes) != len(c.Labels()) {
				t.Errorf("%s, %q: the report has %v", kind, labels, report.Classes)
			}
			tree, scorer, other := inner(t, c).Paths(), newScorer(t, c), newScorer(t, opened)
			texts := append(strings.Split(string(data), "\n"), "", "word that nobody knows", "k0w1 k1w1 k2w1 w1")
			ends := map[string]bool{}
			for _, text := range texts {
				p := predict(t, scorer, text)
				if q := predict(t, other, text); !slices.Equal(p.Labels, q.Labels) || !slices.Equal(p.Scores, q.Scores) {
					t.Fatalf("%s, %q: the file predicts %v, not %v", kind, labels, q, p)
				}
				if len(p.Labels) != 1 || !slices.Contains(labels, c.Labels()[p.Labels[0]]) {
					t.Fatalf("%s, %q: %v is predicted", kind, labels, p.Labels)
				}
				ends[c.Labels()[p.Labels[0]]] = true
				sums := make([]float64, len(p.Scores))
				var top float64
				for k, score := range p.Scores {
					if !(score >= 0 && score <= 1+1e-12) {
						t.Fatalf("%s, %q: %q has the probability %v", kind, labels, c.Labels()[k], score)
					}
					if parent := tree.Parents[k]; parent >= 0 {
						sums[parent] += score
					} else {
						top += score
					}
				}
				for k, sum := range sums {
					inner := slices.Contains(labels, c.Labels()[k])
					if sum > p.Scores[k]+1e-12 || sum > 0 && !inner && !near(sum, p.Scores[k], 1e-12) {
						t.Fatalf("%s, %q: %q has %v, and its children %v", kind, labels, c.Labels()[k], p.Scores[k], sum)
					}
				}
				if !near(top, 1, 1e-12) {
					t.Fatalf("%s, %q: the first parts have %v together", kind, labels, top)
				}
			}
			if len(ends) < 2 {
				t.Errorf("%s, %q: %v alone is predicted", kind, labels, ends)
			}
		}
	}
}

// TestMarginIsOfNodes: the margin of a node is that of a label which all documents carry that are there or below.
func TestMarginIsOfNodes(t *testing.T) {
	docs := pathsOf(small, "a/x", "a/y", "b/x", "b/y")
	several := make([]record, len(docs))
	for i, d := range docs {
		several[i] = d
		several[i].label = d.label[:1] + "," + d.label
	}
	for _, kind := range linearKinds() {
		c, _ := mustTrain(t, input(tsv(docs), corpus.TSV), options(hierarchical(kind)))
		labels := input(tsv(several), corpus.TSV)
		labels.LabelSep = ","
		flat, _ := mustTrain(t, labels, options(func(o *nbsvm.Options) { o.Kind = kind }))
		if !slices.Equal(c.Labels(), flat.Labels()) {
			t.Fatalf("%s: labels %q and %q", kind, c.Labels(), flat.Labels())
		}
		a, b := newScorer(t, c), newScorer(t, flat)
		for _, d := range docs[:50] {
			if p, q := predict(t, a, d.text), predict(t, b, d.text); !slices.Equal(p.Margins, q.Margins) {
				t.Fatalf("%s: margins %v, and of labels %v", kind, p.Margins, q.Margins)
			}
		}
	}
}

// TestDeepHierarchy has labels of 1000 parts, which take no classifiers where there is no choice.
func TestDeepHierarchy(t *testing.T) {
	deep := strings.Repeat("part/", 998)
	docs := pathsOf(small, deep+"x/1", deep+"x/2", "part", "other")
	c, report := mustTrain(t, input(tsv(docs), corpus.TSV), options(hierarchical(nbsvm.NBSVM)))
	if n := len(c.Labels()); n != 1002 || report.Solution.Outputs != 1003 {
		t.Errorf("%d nodes, %d outputs", n, report.Solution.Outputs)
	}
	r, err := c.Evaluate(context.Background(), input(tsv(docs), corpus.TSV), nbsvm.ScoreOptions{})
	if err != nil || r.Accuracy < 0.9 || len(r.DepthAccuracy) != 1000 {
		t.Errorf("%v, accuracy %v at %d depths", err, r.Accuracy, len(r.DepthAccuracy))
	}
}

// TestHierarchyWeights: a class weight of an inner label is for the documents of that label alone.
func TestHierarchyWeights(t *testing.T) {
	docs := pathsOf(small.with(func(s *shape) { s.signal = 0.05 }), "a", "a/x", "b")
	predicted := map[float64]map[string]int{}
	for _, weight := range []float64{0.05, 20} {
		o := options(hierarchical(nbsvm.SVM), func(o *nbsvm.Options) { o.ClassWeight.Weights = map[string]float64{"a": weight} })
		c, _ := mustTrain(t, input(tsv(docs), corpus.TSV), o)
		scorer := newScorer(t, c)
		predicted[weight] = map[string]int{}
		for _, d := range pathsOf(small.with(func(s *shape) { s.signal, s.seed = 0.05, 2 }), "a", "a/x", "b") {
			predicted[weight][c.Labels()[predict(t, scorer, d.text).Labels[0]]]++
		}
	}
	if few, many := predicted[0.05], predicted[20]; few["a"] >= many["a"] || few["a/x"] <= many["a/x"] {
		t.Errorf("with a small weight %v are predicted, with a large one %v", few, many)
	}
	if _, _, err := nbsvm.Train(context.Background(), input(tsv(docs), corpus.TSV), options(hierarchical(nbsvm.SVM), func(o *nbsvm.Options) {
		o.ClassWeight.Weights = map[string]float64{"nowhere": 2}
	})); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a weight of no label: %v", err)
	}
}

// TestSeveralPaths: documents with any number of paths are learned as if the nodes above were among their labels. What
// is predicted has them, too, also where only a node below passes its threshold; and evaluation takes either for right.
func TestSeveralPaths(t *testing.T) {
	labels := []string{"a/x", "a/y,b", "b/x/1,a/x", "b", "c/only", "a,c/only"}
	closed := []string{"a,a/x", "a,a/y,b", "a,a/x,b,b/x,b/x/1", "b", "c,c/only", "a,c,c/only"}
	s := small.with(func(s *shape) { s.docs = 240 })
	several := func(labels []string) corpus.Input {
		in := input(tsv(pathsOf(s, labels...)), corpus.TSV)
		in.LabelSep = ","
		return in
	}
	for _, kind := range []nbsvm.Kind{nbsvm.NBSVM, nbsvm.Logistic, nbsvm.Multinomial} {
		c, report := mustTrain(t, several(labels), options(hierarchical(kind)))
		plain, _ := mustTrain(t, several(closed), options(func(o *nbsvm.Options) { o.Kind = kind }))
		if !slices.Equal(c.Labels(), plain.Labels()) || len(report.Classes) != len(c.Labels()) {
			t.Fatalf("%s: labels %q, without paths %q", kind, c.Labels(), plain.Labels())
		}
		opened, err := nbsvm.OpenBytes(encode(t, c))
		must.OK(t, err)
		scorer, other, wider := newScorer(t, opened), newScorer(t, plain), 0
		for _, d := range s.with(func(s *shape) { s.docs, s.seed, s.classes = 200, 9, len(labels) }).records() {
			p, q := predict(t, scorer, d.text), predict(t, other, d.text)
			if !slices.Equal(p.Scores, q.Scores) || !slices.IsSorted(p.Labels) {
				t.Fatalf("%s: %v, without paths %v", kind, p, q)
			}
			want := map[string]bool{}
			for _, k := range q.Labels {
				for node := c.Labels()[k]; ; node = node[:strings.LastIndex(node, "/")] {
					want[node] = true
					if !strings.Contains(node, "/") {
						break
					}
				}
			}
			if len(p.Labels) != len(want) {
				t.Fatalf("%s: %v of %v", kind, p.Labels, want)
			}
			for _, k := range p.Labels {
				if !want[c.Labels()[k]] {
					t.Fatalf("%s: %v of %v", kind, p.Labels, want)
				}
			}
			wider += len(p.Labels) - len(q.Labels)
		}
		a, err := opened.Evaluate(context.Background(), several(labels), nbsvm.ScoreOptions{})
		must.OK(t, err)
		b, err := opened.Evaluate(context.Background(), several(closed), nbsvm.ScoreOptions{})
		if err != nil || a.MicroF1 != b.MicroF1 || a.Accuracy != b.Accuracy || a.Unknown > 0 || a.MicroF1 < 0.5 {
			t.Errorf("%s: %v, and with all labels given %v (%v)", kind, a, b, err)
		}
		t.Logf("%s: %d labels were added, micro F1 %v", kind, wider, a.MicroF1)
	}
}
