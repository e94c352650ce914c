package model

import (
	"iter"
	"math"
)

// Sparse holds weights for some pairs of a row and an output, by row, each less the output's Base. Those that are not
// stored are zero.
//
// A row is a run of codes, each with a number in Value. A code says how many outputs lie between two entries, or
// before the first. The largest code is no entry: it passes over as many outputs, and its number is 0.
type Sparse struct {
	starts   []uint64 // of every blockRows rows: where the first begins
	within16 []uint16 // R+1: where a row begins behind the start of its block
	within32 []uint32 // the same where a block is larger
	codes8   []uint8
	codes16  []uint16 // instead of codes8
	Value    Numbers  // of every code
}

// blockRows is how many rows share a start.
const blockRows = 32

// code is what rows are made of.
type code interface{ uint8 | uint16 }

// place returns where a row begins, or where the last one ends.
func (s *Sparse) place(row int) int {
	start := int(s.starts[row/blockRows])
	if s.within16 != nil {
		return start + int(s.within16[row])
	}
	return start + int(s.within32[row])
}

// Rows returns the number of rows.
func (s *Sparse) Rows() int { return len(s.within16) + len(s.within32) - 1 }

// Codes returns the number of codes: that of the entries, or more.
func (s *Sparse) Codes() int { return len(s.codes8) + len(s.codes16) }

// CodesOf returns the number of codes of a row: that of its entries, or more, but no more than there are outputs.
func (s *Sparse) CodesOf(row int) int { return s.place(row+1) - s.place(row) }

// entries returns the number of all entries.
func (s *Sparse) entries() int { return countEntries(s.codes8) + countEntries(s.codes16) }

func countEntries[T code](codes []T) int {
	n := len(codes)
	for _, c := range codes {
		if c == ^T(0) {
			n--
		}
	}
	return n
}

// Room is memory for a row. It is for one goroutine; the zero value is ready for use.
type Room struct {
	outputs []uint32
	numbers []float32 // as many
}

// Row gives the outputs that a row has numbers for, ascending, and these numbers. They are there until the room is used
// for another row, and must not be written to.
func (s *Sparse) Row(r *Room, row uint32) (outputs []uint32, numbers []float32) {
	lo, hi := s.place(int(row)), s.place(int(row)+1)
	if n := hi - lo; n > len(r.outputs) {
		r.outputs, r.numbers = make([]uint32, 2*n), make([]float32, 2*n)
	}
	numbers = s.Value.Range(r.numbers, lo, hi)
	if s.codes8 != nil {
		return spread(r, s.codes8[lo:hi], numbers)
	}
	return spread(r, s.codes16[lo:hi], numbers)
}

// spread turns codes into outputs, and leaves out numbers that are of no output.
func spread[T code](r *Room, codes []T, numbers []float32) ([]uint32, []float32) {
	outputs, output, largest := r.outputs[:len(codes)], uint32(0), T(0)
	for i, c := range codes {
		output += uint32(c)
		outputs[i] = output
		output++
		largest = max(largest, c)
	}
	if largest < ^T(0) {
		return outputs, numbers
	}
	n, skipped := 0, uint32(0)
	for i, c := range codes {
		if c == ^T(0) {
			skipped++ // it was taken for an entry
			continue
		}
		outputs[n], r.numbers[n] = outputs[i]-skipped, numbers[i]
		n++
	}
	return outputs[:n], r.numbers[:n]
}

// All visits the entries of a row.
func (s *Sparse) All(row int) iter.Seq2[int, float32] {
	return func(yield func(output int, number float32) bool) {
		output := 0
		for i, end := s.place(row), s.place(row+1); i < end; i++ {
			gap, skip := s.code(i)
			if output += gap; skip {
				continue
			}
			if !yield(output, s.Value.At(i)) {
				return
			}
			output++
		}
	}
}

// code returns one of them, and whether it is no entry.
func (s *Sparse) code(i int) (gap int, skip bool) {
	if s.codes8 != nil {
		return int(s.codes8[i]), s.codes8[i] == math.MaxUint8
	}
	return int(s.codes16[i]), s.codes16[i] == math.MaxUint16
}
