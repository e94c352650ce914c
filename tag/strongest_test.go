package tag

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestStrongest compares with the weights of all features that explanations name.
func TestStrongest(t *testing.T) {
	text := testkit.Chunked(60, 5)
	m := trained(t, text, func(o *Options) {})
	x := m.NewStrongest(4)
	names := make([]map[string]bool, len(m.Tags))
	for k := range names {
		names[k] = map[string]bool{}
	}
	r, err := NewReader(Input{Stdin: strings.NewReader(text), Like: m.Input})
	must.OK(t, err)
	defer r.Close()
	report, err := m.Judge(context.Background(), r, 1000, 1, func(e *Explained) error { return x.Add(e.Sentence) })
	must.OK(t, err)
	if plain := evaluated(t, m, text, 2); !reflect.DeepEqual(report, plain) {
		t.Errorf("%+v, want %+v", report, plain)
	}
	for k := range m.Tags { // all features of the model are of these sentences
		best := x.Features(k)
		least := math.Inf(-1)
		if len(best) == 4 {
			least = best[3].Weight
		}
		for row := range m.Features {
			kept := false
			for _, f := range best {
				kept = kept || int(f.Key) == row
			}
			if w := float64(m.weights[row*m.pitch+k]); !kept && w > max(least, 0) {
				t.Errorf("tag %s: feature %d with weight %g is not among %v", m.Tags[k], row, w, best)
			}
		}
	}
}

// TestTransition: the weights of a sequence's transitions are what the chain adds to its score.
func TestTransition(t *testing.T) {
	m := trained(t, testkit.Chunked(60, 5), func(o *Options) { *o = DefaultOptions(CRF) })
	tags := []int{2, 0, 1}
	got, before := 0.0, -1
	for _, tag := range append(tags, -1) {
		got, before = got+m.Transition(before, tag), tag
	}
	if want := m.chain.score(make([]float64, len(tags)*m.pitch), m.pitch, tags); got != want && math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
}
