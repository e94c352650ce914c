package boost

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// forests are some that were trained, with the number of their columns.
func forests(t testing.TB) map[string]*Result {
	results := map[string]*Result{}
	for name, classes := range map[string]int{"two": 2, "four": 4} {
		for _, valued := range []bool{false, true} {
			_, p := sampled(11, 300, 20, classes, valued)
			r, err := Train(t.Context(), &p.Problem, options(6, 5), nil)
			must.OK(t, err)
			if valued {
				name += ", values"
			}
			results[name] = r
		}
	}
	return results
}

// TestForm: a forest comes back from its bytes as it was.
func TestForm(t *testing.T) {
	for name, r := range forests(t) {
		data := r.Forest.AppendBinary([]byte("before"), nil)
		f, err := Decode(data[len("before"):], r.Forest.Outputs, 20)
		if err != nil || !reflect.DeepEqual(f, &r.Forest) {
			t.Errorf("%s: the forest that comes back is another (%v)", name, err)
		}
	}
}

// TestDamaged: bytes that are not the form of a forest are refused.
func TestDamaged(t *testing.T) {
	good := forests(t)["two"].Forest.AppendBinary(nil, nil)
	nodes := formHeader
	for name, change := range map[string]func(b []byte) []byte{
		"nothing":           func([]byte) []byte { return nil },
		"half":              func(b []byte) []byte { return b[:len(b)/2] },
		"more":              func(b []byte) []byte { return append(b, 0) },
		"version":           func(b []byte) []byte { b[0] = 2; return b },
		"outputs":           func(b []byte) []byte { b[4] = 2; return b },
		"trees":             func(b []byte) []byte { b[8]++; return b },
		"fewer trees":       func(b []byte) []byte { b[8]--; return b },
		"a node more":       func(b []byte) []byte { return append(b, b[len(b)-formNode:]...) },
		"column":            func(b []byte) []byte { b[nodes] = 20; return b },
		"root is a leaf":    func(b []byte) []byte { copy(b[nodes:], "\xff\xff\xff\xff"); return b },
		"threshold":         func(b []byte) []byte { copy(b[nodes+4:], "\xff\xff\xff\xff"); return b },
		"gain":              func(b []byte) []byte { copy(b[nodes+8:], "\x00\x00\x80\x7f"); return b },
		"cover":             func(b []byte) []byte { b[nodes+15] |= 0x80; return b },
		"a leaf is no leaf": func(b []byte) []byte { copy(b[len(b)-formNode:], "\x00\x00\x00\x00"); return b },
		"lengths that wrap": func(b []byte) []byte { copy(b[8:], bytes.Repeat([]byte{255}, 4)); return b },
	} {
		if f, err := Decode(change(slices.Clone(good)), 1, 20); err == nil {
			t.Errorf("%s: taken, with %d trees", name, len(f.Trees))
		}
	}
	if _, err := Decode(good, 1, 20); err != nil {
		t.Error(err)
	}
	deep := Tree{}
	for i := range MostDepth + 2 { // every left child is a leaf
		deep.Nodes = append(deep.Nodes, Node{Left: uint32(2*i + 1)}, Node{})
	}
	deep.Nodes = append([]Node{{Left: 1}}, deep.Nodes...)
	for i := range deep.Nodes {
		deep.Nodes[i] = Node{}
		if i%2 == 0 && i+2 < len(deep.Nodes) {
			deep.Nodes[i].Left = uint32(i + 1)
		}
	}
	f := Forest{Outputs: 1, Trees: []Tree{deep}}
	data := f.AppendBinary(nil, nil)
	if _, err := Decode(data, 1, 20); err == nil {
		t.Error("a tree that is too deep is taken")
	}
}

// FuzzDecode: whatever is taken can be scored with, and its margins are sums of its trees' values.
func FuzzDecode(f *testing.F) {
	for _, r := range forests(f) {
		f.Add(r.Forest.AppendBinary(nil, nil), uint64(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		for _, outputs := range []int{1, 4} {
			forest, err := Decode(data, outputs, 20)
			if err != nil {
				continue
			}
			if again := forest.AppendBinary(nil, nil); len(again) != len(data) {
				t.Fatalf("%d bytes of %d come back", len(again), len(data))
			}
			checkScorer(t, forest, 20, xmath.SplitMix(seed))
		}
	})
}

// checkScorer compares the margins and contributions of a row with the values of trees.
func checkScorer(t *testing.T, f *Forest, columns int, random xmath.SplitMix) {
	t.Helper()
	s := NewPredictor(f, columns).NewScorer()
	for range 3 {
		row := make([]float32, columns)
		var ids []uint32
		var values []float64
		for j := range row {
			if random.IntN(3) == 0 {
				row[j] = float32(random.IntN(9)-4) / 4
				ids, values = append(ids, uint32(j)), append(values, float64(row[j]))
			}
		}
		xmath.Shuffle(&random, ids)
		for k, j := range ids {
			values[k] = float64(row[j])
		}
		want, size := make([]float64, f.Outputs), 1.0
		for k := range f.Trees {
			want[k%f.Outputs] += float64(f.Trees[k].Value(row))
			for _, n := range f.Trees[k].Nodes {
				size = max(size, math.Abs(float64(n.Number)))
			}
		}
		got := make([]float64, f.Outputs)
		s.Margins(got, ids, values)
		shares := make([]float64, columns)
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-10*size*float64(1+len(f.Trees)) {
				t.Errorf("the margin is %v, want %v", got[k], want[k])
			}
			sum := s.Contributions(shares, k, ids, values)
			for _, v := range shares {
				sum += v
			}
			if math.IsNaN(sum) {
				t.Errorf("contributions are %v", shares)
			}
		}
	}
}

// TestScorer: margins are sums of trees' values, whatever rows were scored before.
func TestScorer(t *testing.T) {
	for name, r := range forests(t) {
		t.Run(name, func(t *testing.T) {
			for seed := range xmath.SplitMix(20) {
				checkScorer(t, &r.Forest, 20, seed)
			}
		})
	}
}
