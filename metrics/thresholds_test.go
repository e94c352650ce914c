package metrics

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawnDocument has decisions with many ties among the scores.
type drawnDocument struct {
	scores []float64
	right  []bool
	wanted int
}

func drawnDocuments(t *rapid.T) []drawnDocument {
	score := rapid.SampledFrom([]float64{-1, 0, 0.25, 0.5, 0.75, 0.75, 1, math.Inf(1)})
	docs := make([]drawnDocument, rapid.IntRange(0, 20).Draw(t, "documents"))
	k := rapid.IntRange(1, 4).Draw(t, "labels")
	for i := range docs {
		d := &docs[i]
		d.scores, d.right = rapid.SliceOfN(score, k, k).Draw(t, "scores"), rapid.SliceOfN(rapid.Bool(), k, k).Draw(t, "right")
		for _, right := range d.right {
			if right {
				d.wanted++
			}
		}
		d.wanted += rapid.IntRange(0, 1).Draw(t, "unknown")
	}
	return docs
}

// keeping counts what a threshold keeps, by going through everything.
func keeping(docs []drawnDocument, threshold float64) (kept, right, covered, wanted int) {
	for _, d := range docs {
		any := false
		for k, s := range d.scores {
			if s >= threshold {
				kept++
				any = true
				if d.right[k] {
					right++
				}
			}
		}
		if any {
			covered++
		}
		wanted += d.wanted
	}
	return kept, right, covered, wanted
}

func curveOf(docs []drawnDocument) *Curve {
	c := new(Curve)
	for _, d := range docs {
		c.Add(d.wanted, d.scores, func(k int) bool { return d.right[k] })
	}
	return c
}

func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func TestCurveByCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := drawnDocuments(t)
		c := curveOf(docs)
		for _, threshold := range []float64{math.Inf(-1), -1, -0.5, 0, 0.5, 0.6, 0.75, 1, 2, math.Inf(1)} {
			kept, right, covered, wanted := keeping(docs, threshold)
			p := c.At(threshold)
			if p.Kept != int64(kept) || p.Share != share(covered, len(docs)) || p.Threshold != threshold {
				t.Fatalf("at %v: %+v, want %d kept of %d documents", threshold, p, kept, covered)
			}
			if (p.Precision == nil) != (kept == 0) || p.Precision != nil && *p.Precision != share(right, kept) {
				t.Fatalf("at %v: precision %v, want %v", threshold, p.Precision, share(right, kept))
			}
			if (p.Recall == nil) != (wanted == 0) || p.Recall != nil && *p.Recall != share(right, wanted) {
				t.Fatalf("at %v: recall %v, want %v", threshold, p.Recall, share(right, wanted))
			}
		}
		var scores []float64
		for _, d := range docs {
			scores = append(scores, d.scores...)
		}
		slices.Sort(scores)
		wanted := rapid.SampledFrom([]float64{0, 0.3, 0.5, 0.8, 1}).Draw(t, "precision")
		lowest := slices.IndexFunc(scores, func(s float64) bool {
			kept, right, _, _ := keeping(docs, s)
			return share(right, kept) >= wanted
		})
		switch p, ok := c.AtPrecision(wanted); {
		case ok != (lowest >= 0):
			t.Fatalf("precision %v: %v, want %v", wanted, ok, lowest)
		case ok && p.Threshold != scores[lowest]:
			t.Fatalf("precision %v from %v on, want %v", wanted, p.Threshold, scores[lowest])
		case ok && *p.Precision < wanted:
			t.Fatalf("precision %v, want %v", *p.Precision, wanted)
		}
		slices.Reverse(scores)
		highest := slices.IndexFunc(scores, func(s float64) bool {
			_, _, covered, _ := keeping(docs, s)
			return share(covered, len(docs)) >= wanted
		})
		if p := c.AtShare(wanted); len(scores) > 0 && p.Threshold != scores[highest] {
			t.Fatalf("share %v from %v on, want %v", wanted, p.Threshold, scores[highest])
		}
	})
}

// TestCurveOracle: of binaryProbs, scikit-learn's precision_recall_curve(binaryWant, p1) has these, where p1 is the
// probability of class 1.
func TestCurveOracle(t *testing.T) {
	one := new(Curve)
	for i, w := range binaryWant {
		p := binaryProbs[2*i+1]
		one.Add(int(w), []float64{p}, func(int) bool { return w == 1 })
	}
	for _, want := range curveOracle {
		p := one.At(want.threshold)
		if !near(*p.Precision, want.precision) || !near(*p.Recall, want.recall) {
			t.Errorf("at %v: precision %v and recall %v, want %v and %v", want.threshold, *p.Precision, *p.Recall, want.precision, want.recall)
		}
	}
}

// Of scikit-learn 1.2.1, see TestCurveOracle.
var curveOracle = []struct{ threshold, precision, recall float64 }{
	{0.047, 0.5, 1.0},
	{0.083, 0.5217391304347826, 1.0},
	{0.168, 0.5454545454545454, 1.0},
	{0.198, 0.5714285714285714, 1.0},
	{0.269, 0.6, 1.0},
	{0.45, 0.6666666666666666, 1.0},
	{0.55, 0.6875, 0.9166666666666666},
	{0.646, 0.7857142857142857, 0.9166666666666666},
	{0.69, 0.7692307692307693, 0.8333333333333334},
	{0.802, 0.75, 0.75},
	{0.881, 0.8888888888888888, 0.6666666666666666},
	{0.931, 0.8571428571428571, 0.5},
	{0.953, 0.8, 0.3333333333333333},
	{0.973, 0.75, 0.25},
	{0.978, 0.6666666666666666, 0.16666666666666666},
	{0.982, 0.5, 0.08333333333333333},
	{0.985, 1.0, 0.08333333333333333},
}

// TestPrecisionInterval has the intervals of Newcombe, "Two-sided confidence intervals for the single proportion",
// Statistics in Medicine 1998, table I, method 3.
func TestPrecisionInterval(t *testing.T) {
	for _, want := range []struct {
		right, kept int
		from, to    float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1}} {
		var c Curve
		for i := range want.kept {
			c.Add(1, []float64{1}, func(int) bool { return i < want.right })
		}
		p := c.At(0).PrecisionInterval
		if p == nil || math.Abs(p[0]-want.from) > 5e-5 || math.Abs(p[1]-want.to) > 5e-5 {
			t.Errorf("%d of %d: %v, want %v to %v", want.right, want.kept, p, want.from, want.to)
		}
		if p := c.At(2).PrecisionInterval; p != nil {
			t.Errorf("of none: %v", p)
		}
	}
}
