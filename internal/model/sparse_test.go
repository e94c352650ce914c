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
			entries = append(entries, entry{uint32(row), output, float32(random.IntN(5) - 2)})
		}
	}
	byOutput := func(a, b entry) int { return cmp.Or(cmp.Compare(a.output, b.output), cmp.Compare(a.row, b.row)) }
	slices.SortFunc(entries, rapid.SampledFrom([]func(a, b entry) int{byRow, byOutput}).Draw(t, "order"))
	return entries
}

// checkEntries compares rows with lists of entries.
func checkEntries(t *rapid.T, s *Sparse, entries []entry, rows, outputs int) {
	t.Helper()
	if p := s.check(rows, outputs); p != nil {
		t.Fatalf("valid rows have the problem %v", p)
	}
	if s.Rows() != rows || s.entries() != len(entries) {
		t.Fatalf("%d rows and %d entries, want %d and %d", s.Rows(), s.entries(), rows, len(entries))
	}
	lists := make([][]entry, rows)
	for _, e := range entries {
		lists[e.row] = append(lists[e.row], e)
	}
	var room Room
	for row, list := range lists {
		if n := s.CodesOf(row); n < len(list) || n > outputs {
			t.Fatalf("row %d has %d codes for %d entries of %d outputs", row, n, len(list), outputs)
		}
		var read, visited []entry
		of, numbers := s.Row(&room, uint32(row))
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

// TestSparse compares rows with what they are made of: as they are made, read from their sections, of numbers of fewer
// bits, and read from the sections of older files.
func TestSparse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outputs := rapid.SampledFrom([]int{1, 2, 255, 256, 257, 511, 512, 1000, 65535, 65536, 65537, 200_000}).Draw(t, "outputs")
		rows := rapid.SampledFrom([]int{0, 1, 31, 32, 33, 64, 70}).Draw(t, "rows")
		entries := anyEntries(t, rows, outputs)
		s := sparseOf(entries, rows)
		checkEntries(t, s, entries, rows, outputs)

		// The form takes as few bytes as it can.
		n8, n16 := 0, 0
		next := map[uint32]int{}
		for _, e := range entries {
			gap := e.output - next[e.row]
			n8, n16, next[e.row] = n8+1+gap/255, n16+1+gap/65535, e.output+1
		}
		checkSize := func(s *Sparse, bytes int) {
			have, least := bytes*s.Codes()+len(s.codes8)+2*len(s.codes16), min((bytes+1)*n8, (bytes+2)*n16)
			if have != least {
				t.Fatalf("codes and numbers of %d bytes have %d bytes, possible are %d", bytes, have, least)
			}
		}
		checkSize(s, 4)

		read := func(of *Sparse) *Sparse {
			again := &Sparse{}
			fields := again.fields(rows)
			for i, f := range of.fields(rows) {
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
		fewer := newSparse(rows, 8, func(visit func(row uint32, output int, number float32)) { // the numbers are among those that stay as they are
			for _, e := range entries {
				visit(e.row, e.output, e.number)
			}
		})
		checkSize(fewer, 1)
		fewer.Value = newNumbers8(fewer.Value.(Float32s))
		checkEntries(t, read(fewer), entries, rows, outputs)
	})
}

// TestLongRows have more codes than 16 bits say, one row alone or a block of them.
func TestLongRows(t *testing.T) {
	for _, c := range []struct {
		rows, each int
		long       bool
	}{
		{1, 65535, false},
		{1, 65536, true},
		{33, 2047, false},
		{32, 2114, false},
		{32, 2115, true}, // the end of a block is no place in it
	} {
		s := NewSparse(c.rows, func(visit func(row uint32, output int, number float32)) {
			for row := range c.rows {
				for output := range c.each {
					visit(uint32(row), output, float32(output))
				}
			}
		})
		if p := s.check(c.rows, c.each); p != nil {
			t.Error(p)
		}
		if long := s.within32 != nil; long != c.long || long == (s.within16 != nil) {
			t.Errorf("%d rows of %d: places of 32 bits: %v", c.rows, c.each, long)
		}
		var room Room
		outputs, numbers := s.Row(&room, uint32(c.rows-1))
		if len(outputs) != c.each || outputs[c.each-1] != uint32(c.each-1) || numbers[c.each-1] != float32(c.each-1) {
			t.Errorf("%d rows of %d: the last row has %d outputs", c.rows, c.each, len(outputs))
		}
	}
}

// TestSetWeights: weights are the same, dense or sparse, and take the less space of both.
func TestSetWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, outputs := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.SampledFrom([]int{1, 2, 30, 300}).Draw(t, "outputs")
		bits := rapid.SampledFrom(widths[:]).Draw(t, "bits")
		entries := anyEntries(t, rows, outputs)
		m := &Model{Outputs: outputs, Base: make([]float64, outputs)}
		m.Keys = few(1<<10, rows, 1).Keys
		s := sparseOf(entries, rows)
		all := make([]uint32, rows)
		for i := range all {
			all[i] = uint32(i)
		}
		m.setWeights(bits, len(entries), s.visit(all))
		want := make([]float64, rows*outputs)
		for _, e := range entries {
			want[int(e.row)*outputs+e.output] = float64(e.number)
		}
		row := make([]float64, outputs)
		for r := range rows {
			if m.RowWeights(r, row); !slices.Equal(row, want[r*outputs:][:outputs]) {
				t.Fatalf("row %d has the weights %v", r, row)
			}
		}
		if (m.Dense == nil) == (m.Sparse == nil) {
			t.Fatal("weights must be dense or sparse")
		}
		if outputs == 1 && m.Sparse != nil {
			t.Fatal("one output's weights are sparse")
		}
		dense := bits / 8 * rows * outputs
		if m.Sparse != nil {
			s := m.Sparse
			size := 8*len(s.starts) + 2*(rows+1) + len(s.codes8) + 2*len(s.codes16) + bits/8*s.Codes()
			if size > dense+10 { // a start, and where the last row ends
				t.Fatalf("sparse weights take %d bytes, dense ones %d", size, dense)
			}
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
