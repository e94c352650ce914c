package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// random adds documents of two labels, of which the second one's scores are higher where it is wanted.
func (a *Accumulator) random(t *testing.T, documents int) *Report {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for range documents {
		want := rng.Int32N(2)
		score := rng.NormFloat64() + float64(want)
		got := int32(0)
		if score > 0.5 {
			got = 1
		}
		must.OK(t, a.Add([]int32{want}, []int32{got}, []float64{-score, score}, nil))
	}
	r, err := a.Report()
	must.OK(t, err)
	return r
}

// TestSample takes areas under curves of a sample of too many documents, and none of too few.
func TestSample(t *testing.T) {
	const documents = 50_000
	labels := []string{"no", "yes"}
	all := NewAccumulator(labels, false).random(t, documents)
	if all.Sampled != 0 || all.ROCAUC == nil {
		t.Fatalf("all documents: sampled %d", all.Sampled)
	}
	some := NewAccumulator(labels, false)
	some.ranks.limit = 20_000 * (2 + labelsCost)
	r := some.random(t, documents)
	if r.Sampled != 20_000 || math.Abs(*r.ROCAUC-*all.ROCAUC) > 0.01 || math.Abs(*r.PRAUC-*all.PRAUC) > 0.01 {
		t.Errorf("of a sample of %d: %v and %v, of all %v and %v", r.Sampled, *r.ROCAUC, *r.PRAUC, *all.ROCAUC, *all.PRAUC)
	}
	if *r.ROCAUC == *all.ROCAUC || r.Accuracy != all.Accuracy || r.MacroF1 != all.MacroF1 {
		t.Errorf("of a sample %+v, of all %+v", r, all)
	}
	few := NewAccumulator(labels, false)
	few.ranks.limit = (fewestSampled - 1) * (2 + labelsCost)
	if r := few.random(t, documents); r.ROCAUC != nil || r.PerClass[0].ROCAUC != nil || r.Accuracy != all.Accuracy || few.ranks.scores != nil {
		t.Errorf("of a sample that is too small: %+v", r)
	}
}

// TestAccumulatorRefusesMatrices checks that a document's values are those of all labels.
func TestAccumulatorRefusesMatrices(t *testing.T) {
	a := NewAccumulator([]string{"a", "b"}, false)
	for _, test := range []struct {
		want, got     []int32
		scores, probs []float64
	}{
		{[]int32{0, 1}, []int32{0}, nil, nil},
		{[]int32{0}, nil, nil, nil},
		{[]int32{0}, []int32{0}, []float64{1}, nil},
		{[]int32{0}, []int32{0}, nil, []float64{1, 0, 0}},
	} {
		if err := a.Add(test.want, test.got, test.scores, test.probs); err == nil {
			t.Errorf("%+v was taken", test)
		}
	}
	if _, err := a.Report(); err == nil {
		t.Error("a report of nothing")
	}
}
