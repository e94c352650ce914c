package model

// Bytes are numbers of 8 bits: each is the place of one of 256 levels.
type Bytes struct {
	Levels [256]float32
	Codes  []uint8
}

// levelBytes is what the levels take of a section.
const levelBytes = 4 * len(Bytes{}.Levels)

// NewBytes rounds numbers, which must be finite, to the 256 levels with the least
// squared error. Zero stays zero, and nothing above 2^-36 of the largest (or 2^-147) becomes it.
func NewBytes(s []float32) *Bytes {
	// The levels are fitted to halves, which are so many that their error does not
	// show, and so few that each can be looked at.
	h := NewHalves(s)
	levels, places := levelsOf(h)
	b := &Bytes{Levels: levels, Codes: make([]uint8, len(s))}
	for i, half := range h.Codes {
		b.Codes[i] = places[half>>groupBits]
	}
	return b
}

// Len is how many there are.
func (b *Bytes) Len() int { return len(b.Codes) }

// Bits is 8.
func (b *Bytes) Bits() int { return 8 }

// At gives one number.
func (b *Bytes) At(i int) float32 { return b.Levels[b.Codes[i]] }

// Range looks numbers up, into dst.
func (b *Bytes) Range(dst []float32, lo, hi int) []float32 {
	codes := b.Codes[lo:hi]
	dst = dst[:len(codes)]
	for i, code := range codes {
		dst[i] = b.Levels[code]
	}
	return dst
}

// Gather looks numbers up, into dst.
func (b *Bytes) Gather(dst []float32, places []uint32) []float32 {
	dst = room(dst, len(places))
	for i, place := range places {
		dst[i] = b.Levels[b.Codes[place]]
	}
	return dst
}

func (b *Bytes) check(section string) *problem { return finite(section, 0, b.Levels[:], singles) }

func (b *Bytes) encode(view bool) []byte {
	return append(append(make([]byte, 0, levelBytes+len(b.Codes)), toBytes(b.Levels[:], view)...), b.Codes...)
}

func (d *decoder) bytes(section string, b []byte) *Bytes {
	if len(b) < levelBytes {
		d.bad = at(section, 0, "it has %d bytes, and its levels alone %d", len(b), levelBytes)
		return nil
	}
	return &Bytes{
		Levels: [256]float32(fromBytes[float32](b[:levelBytes], d.view)),
		Codes:  array[uint8](d, section, b[levelBytes:]),
	}
}
