package model

import (
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestOnly compares what is left of some features with the original.
func TestOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t)
		if m.Rule != nil {
			t.Skip("nothing to drop")
		}
		clear(m.Base)
		wanted := rapid.SliceOfN(rapid.Bool(), m.Keys.Size(), m.Keys.Size()).Draw(t, "wanted")
		some, err := m.Only(func(row int) bool { return wanted[row] })
		must.OK(t, err)
		before, after := make([]float64, m.Outputs), make([]float64, m.Outputs)
		left := 0
		for row, key := range m.Keys.All() {
			m.RowWeights(row, before)
			want := wanted[row] && slices.ContainsFunc(before, func(w float64) bool { return w != 0 })
			now, ok := some.Keys.Rank(key)
			if ok != want {
				t.Fatalf("feature %d with weights %v is left: %v", key, before, ok)
			}
			if !ok {
				continue
			}
			left++
			if some.RowWeights(now, after); !slices.Equal(before, after) {
				t.Fatalf("feature %d has weights %v, want %v", key, after, before)
			}
			if m.Ratio != nil && m.Ratio.At(row) != some.Ratio.At(now) {
				t.Fatalf("feature %d has the ratio %v, want %v", key, some.Ratio.At(now), m.Ratio.At(row))
			}
			if m.IDF != nil && m.IDF[row] != some.IDF[now] {
				t.Fatalf("feature %d has another scale", key)
			}
		}
		if left != some.Keys.Size() {
			t.Fatalf("%d features are left, want %d", some.Keys.Size(), left)
		}
		var names []Name
		for _, n := range m.Names {
			if row, known := some.Keys.Rank(keyAt(m, n.Row)); known {
				names = append(names, Name{uint32(row), n.Text})
			}
		}
		if !slices.Equal(some.Names, names) {
			t.Fatalf("the names are %v, want %v", some.Names, names)
		}
		if _, err := some.WriteTo(io.Discard); err != nil {
			t.Fatal(err)
		}
	})
}

func keyAt(m *Model, row uint32) (key uint64) {
	for _, key = range m.Keys.Between(int(row), int(row)+1) {
	}
	return key
}

// TestOnlyQuantized: what is left of rounded numbers has as many bits.
func TestOnlyQuantized(t *testing.T) {
	m := quantize(dense())
	clear(m.Base)
	some, err := m.Only(func(row int) bool { return row%2 == 0 })
	must.OK(t, err)
	if got := some.Bits(); got != 8 {
		t.Errorf("8 bits have become %d", got)
	}
}

// TestOnlyRefused: models without weights that could be dropped.
func TestOnlyRefused(t *testing.T) {
	all := func(int) bool { return true }
	for want, m := range map[string]*Model{"as in naive Bayes": sample(), "section TREES has no weights": ruled(Trees)} {
		if _, err := m.Only(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
