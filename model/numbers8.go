package model

// numbers8 are numbers of 8 bits: each is the place of one of 256 levels.
type numbers8 struct {
	levels [256]float32
	codes  []uint8
}

// levelBytes is what the levels take of a section.
const levelBytes = 4 * len(numbers8{}.levels)

// newNumbers8 rounds numbers, which must be finite, to the 256 levels with the least
// squared error. Zero stays zero, and nothing above 2^-36 of the largest (or 2^-147) becomes it.
func newNumbers8(s []float32) *numbers8 {
	// The levels are fitted to halves, which are so many that their error does not
	// show, and so few that each can be looked at.
	h := newNumbers16(s)
	levels, places := levelsOf(h)
	b := &numbers8{levels: levels, codes: make([]uint8, len(s))}
	for i, half := range h.codes {
		b.codes[i] = places[half>>groupBits]
	}
	return b
}

// Len is how many there are.
func (b *numbers8) Len() int { return len(b.codes) }

// Bits is 8.
func (b *numbers8) Bits() int { return 8 }

// At gives one number.
func (b *numbers8) At(i int) float32 { return b.levels[b.codes[i]] }

// Range looks numbers up, into dst.
func (b *numbers8) Range(dst []float32, lo, hi int) []float32 {
	codes := b.codes[lo:hi]
	dst = dst[:len(codes)]
	for i, code := range codes {
		dst[i] = b.levels[code]
	}
	return dst
}

// Gather looks numbers up, into dst.
func (b *numbers8) Gather(dst []float32, places []uint32) []float32 {
	dst = room(dst, len(places))
	for i, place := range places {
		dst[i] = b.levels[b.codes[place]]
	}
	return dst
}

func (b *numbers8) check(section string) *problem { return finite(section, 0, b.levels[:], floatBits) }

func (b *numbers8) encode() []byte {
	return append(append(make([]byte, 0, levelBytes+len(b.codes)), toBytes(b.levels[:])...), b.codes...)
}

func (d *decoder) bytes(section string, b []byte) *numbers8 {
	if len(b) < levelBytes {
		d.bad = at(section, 0, "it has %d bytes, and its levels alone %d", len(b), levelBytes)
		return nil
	}
	return &numbers8{
		levels: [256]float32(fromBytes[float32](b[:levelBytes])),
		codes:  array[uint8](d, section, b[levelBytes:]),
	}
}
