package model

import "math"

// Visit calls a function for all entries, outputs ascending in each row.
type Visit func(entry func(row uint32, output int, number float32))

// NewSparse makes so many rows of entries, which are visited twice. Besides what it makes, it takes 16 bytes a row.
func NewSparse(rows int, visit Visit) *Sparse { return newSparse(rows, 32, visit) }

// newSparse is like NewSparse for numbers that will be rounded to so many bits. It takes the codes that need less
// space.
func newSparse(rows, bits int, visit Visit) *Sparse {
	ends := make([]rowEnd, rows)
	n8, n16 := 0, 0
	visit(func(row uint32, output int, _ float32) {
		r := &ends[row]
		gap := uint32(output) - r.output
		more8, more16 := 1+gap/math.MaxUint8, 1+gap/math.MaxUint16
		*r = rowEnd{uint32(output) + 1, r.codes + more8, r.codes16 + more16}
		n8, n16 = n8+int(more8), n16+int(more16)
	})
	s := &Sparse{}
	if (1+bits/8)*n8 <= (2+bits/8)*n16 {
		s.codes8, s.Value = fill[uint8](s, ends, n8, visit)
		return s
	}
	for row := range ends {
		ends[row].codes = ends[row].codes16
	}
	s.codes16, s.Value = fill[uint16](s, ends, n16, visit)
	return s
}

// rowEnd is how far a row has come.
type rowEnd struct {
	output  uint32 // the least that may follow
	codes   uint32 // how many there are, or where the next of them goes, behind the start of the row's block
	codes16 uint32 // how many of 16 bits there are
}

// fill gives rows that have so many codes their places, and their codes and numbers, n in all.
func fill[T code](s *Sparse, ends []rowEnd, n int, visit Visit) ([]T, Float32s) {
	skip := ^T(0)
	s.begin(len(ends), func(row int) uint32 { return ends[row].codes })
	for row := range ends {
		ends[row] = rowEnd{codes: uint32(s.place(row) - int(s.starts[row/blockRows]))}
	}
	codes, numbers := make([]T, n), make(Float32s, n)
	visit(func(row uint32, output int, number float32) {
		r := &ends[row]
		start, gap := s.starts[row/blockRows], uint32(output)-r.output
		for ; gap >= uint32(skip); gap -= uint32(skip) {
			codes[start+uint64(r.codes)] = skip
			r.codes++
		}
		at := start + uint64(r.codes)
		codes[at], numbers[at] = T(gap), number
		r.output, r.codes = uint32(output)+1, r.codes+1
	})
	return codes, numbers
}

// begin computes where rows begin, given how many codes each has.
func (s *Sparse) begin(rows int, count func(row int) uint32) {
	s.starts = make([]uint64, 0, rows/blockRows+1)
	within, at, largest := make([]uint32, rows+1), uint64(0), uint32(0)
	for row := range within {
		if row%blockRows == 0 {
			s.starts = append(s.starts, at)
		}
		within[row] = uint32(at - s.starts[row/blockRows])
		largest = max(largest, within[row])
		if row < rows {
			at += uint64(count(row))
		}
	}
	if largest > math.MaxUint16 {
		s.within32 = within
		return
	}
	s.within16 = make([]uint16, len(within))
	for row, n := range within {
		s.within16[row] = uint16(n)
	}
}

// visit visits some rows, as if they were all.
func (s *Sparse) visit(rows []uint32) Visit {
	return func(entry func(row uint32, output int, number float32)) {
		for to, from := range rows {
			for output, number := range s.All(int(from)) {
				entry(uint32(to), output, number)
			}
		}
	}
}

// setWeights sets the weights, dense or sparse, whichever takes less space when they are rounded to so many bits, to n
// that are visited, and all others to 0.
func (m *Model) setWeights(bits, n int, visit Visit) {
	m.Dense, m.Sparse = nil, nil
	if SparseIsSmaller(bits, n, m.Keys.Size(), m.Outputs) {
		m.Sparse = newSparse(m.Keys.Size(), bits, visit)
		return
	}
	dense := make(Float32s, m.Keys.Size()*m.Outputs)
	visit(func(row uint32, output int, w float32) { dense[int(row)*m.Outputs+output] = w })
	m.Dense = dense
}

// SparseIsSmaller reports whether so many weights take less space as a Sparse than dense, with zeros between them:
// besides its bits, a weight takes a byte, or two where outputs are too many for codes of a byte, and a row takes 2¼
// bytes. The weights of one output are never sparse: hardly a row has none.
func SparseIsSmaller(bits, weights, rows, outputs int) bool {
	bytes, code := bits/8, 1
	if outputs > math.MaxUint8 {
		code = 2
	}
	return outputs > 1 && (bytes+code)*weights+2*rows+8*rows/blockRows < bytes*outputs*rows
}
