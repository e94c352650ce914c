package model

import "math"

// Visit calls a function for all entries, outputs ascending in each row.
type Visit func(entry func(row uint32, output int, number float32))

// NewSparse makes so many rows of entries, which are visited two or three times. Besides what it makes, it takes 12
// bytes a row.
func NewSparse(rows int, visit Visit) *Sparse { return newSparse(rows, 32, visit) }

// newSparse is NewSparse for numbers that will be rounded to so many bits. It takes the codes that need less space.
func newSparse(rows, bits int, visit Visit) *Sparse {
	b := builder{visit: visit, rows: make([]rowEnd, rows)}
	n8, n16 := b.count(math.MaxUint8)
	s := &Sparse{}
	if (1+bits/8)*n8 <= (2+bits/8)*n16 {
		s.codes8, s.Value = fill[uint8](&b, s, n8)
		return s
	}
	b.count(math.MaxUint16)
	s.codes16, s.Value = fill[uint16](&b, s, n16)
	return s
}

// builder puts entries into rows.
type builder struct {
	visit Visit
	rows  []rowEnd
}

// rowEnd is how far a row has come.
type rowEnd struct {
	output uint32 // the least that may follow
	codes  uint32 // how many there are, or where the next of them goes, behind the start of the row's block
}

// count counts the codes of each row, of which skip is the largest, and those of all rows, of 8 and of 16 bits.
func (b *builder) count(skip uint32) (n8, n16 int) {
	clear(b.rows)
	b.visit(func(row uint32, output int, _ float32) {
		r := &b.rows[row]
		gap := uint32(output) - r.output
		r.output, r.codes = uint32(output)+1, r.codes+1+gap/skip
		n8 += 1 + int(gap/math.MaxUint8)
		n16 += 1 + int(gap/math.MaxUint16)
	})
	return n8, n16
}

// fill gives rows their places, codes and numbers.
func fill[T code](b *builder, s *Sparse, n int) ([]T, Float32s) {
	skip := ^T(0)
	s.begin(len(b.rows), func(row int) uint32 { return b.rows[row].codes })
	for row := range b.rows {
		b.rows[row] = rowEnd{codes: uint32(s.place(row) - int(s.starts[row/blockRows]))}
	}
	codes, numbers := make([]T, n), make(Float32s, n)
	b.visit(func(row uint32, output int, number float32) {
		r := &b.rows[row]
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

// begin says where rows begin that have so many codes.
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

// SetWeights sets the weights, dense or sparse, whichever takes less space, to so many that are visited, and all others
// to 0.
func (m *Model) SetWeights(n int, visit Visit) { m.setWeights(32, n, visit) }

// setWeights is SetWeights for weights that will be rounded to so many bits.
func (m *Model) setWeights(bits, n int, visit Visit) {
	m.Dense, m.Sparse = nil, nil
	if SparseIsSmaller(bits, n, m.IDs.Size, m.Outputs) {
		m.Sparse = newSparse(m.IDs.Size, bits, visit)
		return
	}
	dense := make(Float32s, m.IDs.Size*m.Outputs)
	visit(func(row uint32, output int, w float32) { dense[int(row)*m.Outputs+output] = w })
	m.Dense = dense
}

// SparseIsSmaller says whether so many weights take less space as a Sparse than dense, with zeros between them: besides
// its bits, a weight takes a byte, or two where outputs are too many for codes of a byte, and a row takes 2¼ bytes. The
// weights of one output are never sparse: hardly a row has none.
func SparseIsSmaller(bits, weights, rows, outputs int) bool {
	bytes, code := bits/8, 1
	if outputs > math.MaxUint8 {
		code = 2
	}
	return outputs > 1 && (bytes+code)*weights+2*rows+8*rows/blockRows < bytes*outputs*rows
}
