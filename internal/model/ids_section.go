package model

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/base/idset"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// idVersion is the format version that gaps of ids came with.
const idVersion = 8

const (
	// leastUniverse is how many ids there are at least for each that has a row, if gaps are stored. A reader makes a list
	// of them, which takes up to 12 bytes each, as much as a bitmap and ranks at half of the distance.
	leastUniverse = 32
	// leastSaved is how many bytes gaps must save: a bitmap and ranks can be used as they lie in the file.
	leastSaved = 4 << 10
)

// idsField is the ids that have a row: a bitmap with ranks in another section, or gaps between them, whichever takes
// less. Gaps are codes as a row of a Sparse has: how many ids lie between two, or before the first. The largest code is
// no id: it passes over as many.
func (m *Model) idsField() field {
	f := field{names: []string{"BITMAP", "IDGAP8", "IDGAP16"}, since: []uint32{1, idVersion, idVersion}}
	f.encode = func() (string, []byte) {
		switch bits, n := m.gapBits(); bits {
		case 8:
			return f.names[1], gapsOf[uint8](&m.IDs, n)
		case 16:
			return f.names[2], mem.ViewBytes(gapsOf[uint16](&m.IDs, n))
		}
		return f.names[0], mem.ViewBytes(m.IDs.Bitmap(m.Universe).Words)
	}
	f.decode = func(name string, data []byte) (bad *fileError) {
		switch name {
		case f.names[0]:
			m.IDs.Words, bad = array[uint64](name, data)
		case f.names[1]:
			bad = setGapped(m, name, data)
		default:
			var codes []uint16
			if codes, bad = array[uint16](name, data); bad == nil {
				bad = setGapped(m, name, codes)
			}
		}
		return bad
	}
	return f
}

// ranksField is the ranks of a bitmap. Those of gaps are not stored.
func (m *Model) ranksField() field {
	f := arrayField("RANK", 1, &m.IDs.Ranks)
	f.encode = func() (string, []byte) {
		if bits, _ := m.gapBits(); bits != 0 {
			return "RANK", nil
		}
		return "RANK", mem.ViewBytes(m.IDs.Bitmap(m.Universe).Ranks)
	}
	return f
}

// gapBits are the bits of a gap if ids are stored so, and how many codes there are; 0 if they are a bitmap.
func (m *Model) gapBits() (bits, codes int) {
	if uint64(m.IDs.Size) > m.Universe/leastUniverse {
		return 0, 0
	}
	n8, n16, next := 0, 0, uint32(0)
	for _, id := range m.IDs.All() {
		gap := id - next
		n8, n16, next = n8+1+int(gap/math.MaxUint8), n16+1+int(gap/math.MaxUint16), id+1
	}
	most := 12*int(idset.WordsOf(m.Universe)) - leastSaved // of a word and its rank
	switch {
	case min(n8, 2*n16) > most:
		return 0, 0
	case n8 <= 2*n16:
		return 8, n8
	}
	return 16, n16
}

// gapsOf are the gaps of a set, in so many codes.
func gapsOf[T code](s *idset.Set, n int) []T {
	skip := uint32(^T(0))
	codes, next := make([]T, 0, n), uint32(0)
	for _, id := range s.All() {
		gap := id - next
		for ; gap >= skip; gap -= skip {
			codes = append(codes, ^T(0))
		}
		codes, next = append(codes, T(gap)), id+1
	}
	return codes
}

// setGapped makes the set of a model from gaps, of as many ids as there are rows.
func setGapped[T code](m *Model, section string, codes []T) *fileError {
	rows, id := m.IDs.Size, uint64(0)
	ids := make([]uint32, 0, min(rows, len(codes)))
	for i, c := range codes {
		id += uint64(c)
		if c == ^T(0) {
			if i+1 == len(codes) {
				return at(section, i*mem.SizeOf[T](), "it ends with a code that is no id")
			}
			continue
		}
		if id >= min(m.Universe, maxUniverse) {
			return at(section, i*mem.SizeOf[T](), "it has id %d, beyond the universe of %d ids", id, m.Universe)
		}
		ids = append(ids, uint32(id))
		id++
	}
	if len(ids) != rows {
		return at(section, 0, "it has %d ids, but there are %d rows", len(ids), rows)
	}
	m.IDs = *idset.FromMembers(ids, m.Universe)
	return nil
}
