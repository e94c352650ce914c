package model

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func byRow(a, b entry) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.output, b.output)) }

// anyEntries draws entries of rows, in the order of rows or of outputs.
func anyEntries(t *rapid.T, rows, outputs int) (entries []entry) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
	most := rapid.SampledFrom([]int{1, 3, 40, 400}).Draw(t, "most entries of a row")
	for row := range rows {
		taken := map[int]bool{}
		for range random.IntN(most + 1) {
			taken[random.IntN(outputs)] = true
		}
		for output := range taken {
			entries = append(entries, entry{uint32(row), output, float32(2*random.IntN(3) - 2)})
		}
	}
	byOutput := func(a, b entry) int { return cmp.Or(cmp.Compare(a.output, b.output), cmp.Compare(a.row, b.row)) }
	slices.SortFunc(entries, rapid.SampledFrom([]func(a, b entry) int{byRow, byOutput}).Draw(t, "order"))
	return entries
}

// checkEntries compares rows with lists of entries.
func checkEntries(t *rapid.T, s *Sparse, entries []entry, rows, outputs int) {
	t.Helper()
	if p := s.check(outputsSection, numbersSection, rows, outputs); p != nil {
		t.Fatalf("valid rows have the problem %v", p)
	}
	if s.Rows() != rows || s.Entries() != len(entries) {
		t.Fatalf("%d rows and %d entries, want %d and %d", s.Rows(), s.Entries(), rows, len(entries))
	}
	lists := make([][]entry, rows)
	for _, e := range entries {
		lists[e.row] = append(lists[e.row], e)
	}
	room := make([]float32, outputs)
	for row, list := range lists {
		if n := s.EntriesOf(row); n != len(list) {
			t.Fatalf("row %d has %d entries, want %d", row, n, len(list))
		}
		var read, visited []entry
		of, numbers := s.Row(room, row)
		if len(of) != len(numbers) {
			t.Fatalf("%d outputs and %d numbers", len(of), len(numbers))
		}
		for i, output := range of {
			read = append(read, entry{uint32(row), int(output), numbers[i]})
		}
		for output, number := range s.All(row) {
			visited = append(visited, entry{uint32(row), output, number})
		}
		if !slices.Equal(read, list) || !slices.Equal(visited, list) {
			t.Fatalf("row %d is read as %v and visited as %v, want %v", row, read, visited, list)
		}
		for range s.All(row) {
			break
		}
	}
}

func fieldsOf(s *Sparse, rows, outputs int) []field {
	return s.fields(outputsSection, numbersSection, func() int { return rows }, func() int { return outputs })
}

// TestSparse compares rows with what they are made of: as they are made, read from their sections, and of numbers of
// fewer bits.
func TestSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outputs := rapid.SampledFrom([]int{1, 2, 127, 128, 129, 1000, 16384, 16385, 65536, 200_000}).Draw(t, "outputs")
		rows := rapid.SampledFrom([]int{0, 1, 33, 70}).Draw(t, "rows")
		entries := anyEntries(t, rows, outputs)
		s := sparseOf(entries, rows)
		checkEntries(t, s, entries, rows, outputs)
		read := func(of *Sparse) *Sparse {
			again := &Sparse{}
			fields := fieldsOf(again, rows, outputs)
			for i, f := range fieldsOf(of, rows, outputs) {
				name, data := f.encode()
				if bad := fields[i].decode(name, data); bad != nil {
					t.Fatal(bad)
				}
			}
			return again
		}
		if again := read(s); !reflect.DeepEqual(again, s) {
			t.Fatalf("read again: %+v, want %+v", again, s)
		}
		s.Value = newNumbers8(s.Value.(Float32s), levelFactor) // the numbers are among those that stay as they are
		checkEntries(t, read(s), entries, rows, outputs)
	})
}

// TestDense: weights are the same, dense or sparse.
func TestDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, outputs := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.SampledFrom([]int{1, 2, 30, 300}).Draw(t, "outputs")
		entries := anyEntries(t, rows, outputs)
		want := make(Float32s, rows*outputs)
		for _, e := range entries {
			want[int(e.row)*outputs+e.output] = e.number
		}
		if got := sparseOf(entries, rows).dense(outputs); !slices.Equal(got, want) {
			t.Fatalf("weights are %v, want %v", got, want)
		}
	})
}

// TestManyOutputs: a model may have more outputs than 16 bits number.
func TestManyOutputs(t *testing.T) {
	for name, sparse := range map[string]bool{"dense": false, "sparse": true} {
		const outputs = 1<<16 + 1
		m := dense()
		m.Meta.Labels, m.Meta.Task, m.Outputs = make([]string, outputs), "multilabel", outputs
		for k := range m.Meta.Labels {
			m.Meta.Labels[k] = fmt.Sprint(k)
		}
		m.Bias, m.Base, m.Threshold = make([]float64, outputs), make([]float64, outputs), make([]float64, outputs)
		m.Dense = make(Float32s, 2*outputs)
		if sparse {
			m.Dense, m.Sparse = nil, sparseOf([]entry{{0, 3, 1}, {0, 1 << 16, 2}, {1, 1<<16 - 2, 3}}, 2)
		}
		data := encode(t, m)
		got, err := decode(data)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: it is read as another model: %v", name, err)
		}
	}
}
