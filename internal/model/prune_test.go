package model

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPrune compares a pruned model with what sorting all weights says, and what is left of it with the original.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t)
		if m.Rule != nil {
			t.Skip("nothing to prune")
		}
		clear(m.Base)
		keep := rapid.Float64Range(1e-3, 1).Draw(t, "keep")
		pruned, p, err := m.Prune(keep)
		if err != nil {
			t.Fatal(err)
		}
		before, after := make([]float64, m.Outputs), make([]float64, m.Outputs)
		var magnitudes []float64
		for row := range m.IDs.Size {
			m.RowWeights(row, before)
			for _, w := range before {
				if w != 0 {
					magnitudes = append(magnitudes, math.Abs(w))
				}
			}
		}
		slices.Sort(magnitudes)
		threshold := 0.0
		if n := len(magnitudes); n > 0 {
			threshold = magnitudes[n-int(math.Ceil(keep*float64(n)))]
		}
		if p.Weights != len(magnitudes) || p.Features != m.IDs.Size || p.Threshold != threshold {
			t.Fatalf("%+v, want a threshold of %v", p, threshold)
		}
		kept, left := 0, 0
		for row, id := range m.IDs.All() {
			m.RowWeights(row, before)
			any := false
			for k, w := range before {
				if w == 0 || math.Abs(w) < threshold {
					before[k] = 0
					continue
				}
				any = true
				kept++
			}
			now, ok := pruned.IDs.Rank(id)
			if ok != any {
				t.Fatalf("feature %d with weights %v is left: %v", id, before, ok)
			}
			if !ok {
				continue
			}
			left++
			if pruned.RowWeights(now, after); !slices.Equal(before, after) {
				t.Fatalf("feature %d has weights %v, want %v", id, after, before)
			}
			for k := range before {
				if a, b := m.RatioAt(row, k), pruned.RatioAt(now, k); a != b {
					t.Fatalf("feature %d has the ratio %v, want %v", id, b, a)
				}
			}
			if m.IDF != nil && m.IDF[row] != pruned.IDF[now] || m.Tags != nil && m.Tags[row] != pruned.Tags[now] {
				t.Fatalf("feature %d has another scale or tag", id)
			}
		}
		if kept != p.Kept || left != p.Left || left != pruned.IDs.Size {
			t.Fatalf("%+v, want %d weights of %d features", p, kept, left)
		}
		for _, n := range m.Names {
			if _, known := pruned.IDs.Rank(n.ID); known != slices.Contains(pruned.Names, n) {
				t.Fatalf("feature %d has a name: %v", n.ID, !known)
			}
		}
		if _, err := pruned.WriteTo(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPruneQuantized: what is left of rounded numbers has as many bits.
func TestPruneQuantized(t *testing.T) {
	for _, bits := range []int{16, 8} {
		m := quantize(dense(), bits)
		clear(m.Base)
		pruned, _, err := m.Prune(0.5)
		if err != nil {
			t.Fatal(err)
		}
		if got := pruned.Bits(); got != bits {
			t.Errorf("%d bits have become %d", bits, got)
		}
	}
}

// TestPruneRefused: models without weights that could be dropped, and shares that are none.
func TestPruneRefused(t *testing.T) {
	for want, prune := range map[string]func() error{
		"above 0 and at most 1, got 0":   func() error { _, _, err := dense().Prune(0); return err },
		"above 0 and at most 1, got 1.5": func() error { _, _, err := dense().Prune(1.5); return err },
		"above 0 and at most 1, got NaN": func() error { _, _, err := dense().Prune(math.NaN()); return err },
		"as in naive Bayes":              func() error { _, _, err := sample().Prune(0.5); return err },
		"section TREES has no weights":   func() error { _, _, err := ruled(Trees).Prune(0.5); return err },
	} {
		if err := prune(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
