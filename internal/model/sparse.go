package model

import (
	"encoding/binary"
	"iter"
	"math"
)

// Sparse holds weights for some pairs of a row and an output, by row, each less the output's Base. Those that are not
// stored are zero.
type Sparse struct {
	starts  []int    // R+1: where a row begins in the next two; the last one is where they end
	outputs []uint32 // ascending in each row
	Value   Numbers  // for every output of a row
}

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return len(s.starts) - 1 }

// Entries returns the number of weights of all rows.
func (s *Sparse) Entries() int { return len(s.outputs) }

// EntriesOf returns the number of weights of a row.
func (s *Sparse) EntriesOf(row int) int { return s.starts[row+1] - s.starts[row] }

// Row gives the outputs that a row has weights for, ascending, and these weights, which may be put in room, for as many
// as there are outputs. They must not be written to.
func (s *Sparse) Row(room []float32, row int) (outputs []uint32, weights []float32) {
	lo, hi := s.starts[row], s.starts[row+1]
	return s.outputs[lo:hi], s.Value.Range(room, lo, hi)
}

// Outputs gives the outputs that a row has weights for, ascending. They must not be written to.
func (s *Sparse) Outputs(row int) []uint32 { return s.outputs[s.starts[row]:s.starts[row+1]] }

// All visits the entries of a row.
func (s *Sparse) All(row int) iter.Seq2[int, float32] {
	return func(yield func(output int, number float32) bool) {
		for i := s.starts[row]; i < s.starts[row+1]; i++ {
			if !yield(int(s.outputs[i]), s.Value.At(i)) {
				return
			}
		}
	}
}

// Visit calls a function for all entries, outputs ascending in each row.
type Visit func(entry func(row uint32, output int, number float32))

// NewSparse makes so many rows of entries, which are visited twice.
func NewSparse(rows int, visit Visit) *Sparse {
	s := &Sparse{starts: make([]int, rows+1)}
	visit(func(row uint32, _ int, _ float32) { s.starts[row+1]++ })
	for row := range rows {
		s.starts[row+1] += s.starts[row]
	}
	entries := s.starts[rows]
	weights := make(Float32s, entries)
	s.outputs, s.Value = make([]uint32, entries), weights
	next := append([]int{}, s.starts...) // where the next entry of a row goes
	visit(func(row uint32, output int, number float32) {
		s.outputs[next[row]], weights[next[row]] = uint32(output), number
		next[row]++
	})
	return s
}

// dense returns the same weights row by row, with zeros between them, for so many outputs.
func (s *Sparse) dense(outputs int) Float32s {
	all := make(Float32s, s.Rows()*outputs)
	for row := range s.Rows() {
		for output, w := range s.All(row) {
			all[row*outputs+output] = w
		}
	}
	return all
}

// SparseIsSmaller reports whether so many weights take less space as a Sparse than dense, with zeros between them:
// besides its bits, a weight takes a byte, or mostly two where outputs are many, and a row takes another. The weights
// of one output are never sparse: hardly a row has none.
func SparseIsSmaller(bits, weights, rows, outputs int) bool {
	bytes, gap := bits/8, 1
	if outputs > math.MaxUint8 {
		gap = 2
	}
	return outputs > 1 && (bytes+gap)*weights+rows < bytes*outputs*rows
}

// The sections of a Sparse. If a file has one of them, it has both.
const (
	outputsSection = "OUTPUTS"
	numbersSection = "VALUE"
)

// fields returns the two sections of rows and outputs, whose numbers are known when they are decoded.
func (s *Sparse) fields(name, values string, rows, outputs func() int) []field {
	return require([]field{
		{
			names: []string{name}, encode: func() (string, []byte) { return name, s.encode() },
			decode: func(_ string, data []byte) *fileError { return s.decode(name, data, rows(), uint64(outputs())) },
		},
		numbersField(values, &s.Value),
	})
}

// encode returns the outputs of rows, as docs/reference/files.md says.
func (s *Sparse) encode() []byte {
	data := make([]byte, 0, s.Rows()+s.Entries())
	for row := range s.Rows() {
		lo, hi, least := s.starts[row], s.starts[row+1], uint32(0)
		data = binary.AppendUvarint(data, uint64(hi-lo))
		for _, output := range s.outputs[lo:hi] {
			data = binary.AppendUvarint(data, uint64(output-least))
			least = output + 1
		}
	}
	return data
}

// decode reads the outputs of rows from a section.
func (s *Sparse) decode(section string, data []byte, rows int, outputs uint64) *fileError {
	if rows > len(data) {
		return at(section, 0, "it has %d bytes, too few for %d rows", len(data), rows)
	}
	s.starts, s.outputs = make([]int, 1, rows+1), make([]uint32, 0, len(data)-rows)
	rest := data
	wrong := func(before []byte, format string, args ...any) *fileError {
		return at(section, len(data)-len(before), format, args...)
	}
	number := func() (x uint64, ok bool) {
		if len(rest) > 0 && rest[0] < 0x80 {
			x, rest = uint64(rest[0]), rest[1:]
			return x, true
		}
		x, n := binary.Uvarint(rest)
		if n > 0 {
			rest = rest[n:]
		}
		return x, n > 0
	}
	for row := range rows {
		before := rest
		count, ok := number()
		if !ok || count > outputs {
			return wrong(before, "row %d has no number of outputs up to %d", row, outputs)
		}
		least := uint64(0)
		for range count {
			before = rest
			gap, ok := number()
			if !ok || gap >= outputs-least {
				return wrong(before, "row %d has no output from %d up to %d", row, least, outputs-1)
			}
			s.outputs = append(s.outputs, uint32(least+gap))
			least += gap + 1
		}
		s.starts = append(s.starts, len(s.outputs))
	}
	if len(rest) > 0 {
		return wrong(rest, "%d bytes follow the last row", len(rest))
	}
	return nil
}

// check finds out whether rows and outputs are in order and in range, and the numbers finite; the names are those of
// its sections.
func (s *Sparse) check(section, numbers string, rows, outputs int) *fileError {
	if s.Rows() != rows || s.starts[rows] != s.Entries() {
		return at(section, 0, "it has %d rows up to %d, which should be %d up to %d", s.Rows(), s.starts[s.Rows()],
			rows, s.Entries())
	}
	if p := checkNumbers(numbers, s.Value, uint64(s.Entries()), "numbers, one per output of a row"); p != nil {
		return p
	}
	return findProblem(rows, func(lo, hi int) *fileError {
		for row := lo; row < hi; row++ {
			least := uint32(0)
			for _, output := range s.outputs[s.starts[row]:s.starts[row+1]] {
				if output < least || int(output) >= outputs {
					return at(section, 0, "row %d has output %d of %d, which is not behind the one before", row,
						output, outputs)
				}
				least = output + 1
			}
		}
		return nil
	})
}
