package kernels

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The plain loops of the text kernels: what runs where there is no assembly. They find
// words as the assembly does, by masks of 64 bytes, for where a word ends can't be
// guessed.

// masks are what 64 bytes have of each class, a bit a byte. What is beyond ASCII has
// none.
type masks struct{ word, inner, alone, stop, beyond uint64 }

// spreadClasses has a bit in every eighth place: of the classes, and of what is beyond.
func spreadClasses(classes *[128]uint8) (spread [256]uint64) {
	for c := range spread {
		if c >= len(classes) {
			spread[c] = 1 << 32
			continue
		}
		for k := range 4 {
			spread[c] |= uint64(classes[c]>>k&1) << (8 * k)
		}
	}
	return spread
}

// classify returns the masks of text, at most 64 bytes, which it writes lowered.
func (w *Words) classify(text, lowered []uint8) (m masks) {
	const ones = 0x0101010101010101
	for base := 0; base < len(text); base += 8 {
		var all uint64
		if p := text[base:]; len(p) >= 8 {
			x := binary.LittleEndian.Uint64(p)
			binary.LittleEndian.PutUint64(lowered[base:], x|uint64(w.lower)*ones)
			if x&(0x80*ones) == 0x80*ones { // as in scripts of three bytes a character
				m.beyond |= 0xff << (base & 63)
				continue
			}
			s := &w.spread
			all = s[p[0]] | s[p[1]]<<1 | s[p[2]]<<2 | s[p[3]]<<3 | s[p[4]]<<4 | s[p[5]]<<5 | s[p[6]]<<6 | s[p[7]]<<7
		} else {
			for k, c := range p {
				all |= w.spread[c] << k
				lowered[base+k] = c | w.lower
			}
		}
		m.word |= all & 0xff << (base & 63)
		m.inner |= all >> 8 & 0xff << (base & 63)
		m.alone |= all >> 16 & 0xff << (base & 63)
		m.stop |= all >> 24 & 0xff << (base & 63)
		m.beyond |= all >> 32 & 0xff << (base & 63)
	}
	return m
}

// split is like Split. A final text ends here; the word at the end of another may go on.
//
// A turn takes 63 bytes; the byte behind them is looked at for an apostrophe before it.
func (w *Words) split(text []byte, final bool) (words, size int) {
	const turn = 63
	var word, left uint64 // 1 if the byte before is of a word, and of one left over
	ended := 0
	for ; size+turn < len(text) || final && size <= len(text); size += turn {
		m := w.classify(text[size:min(size+turn+1, len(text))], w.text[textLead+size:])
		m.word |= m.beyond
		// An apostrophe is inner if the bytes on both sides are of words.
		m.word |= m.inner & (m.word<<1 | word) & (m.word >> 1)
		const kept = 1<<turn - 1
		m.word, m.beyond = m.word&kept, m.beyond&kept
		alone, stop := (m.alone|m.stop)&kept, m.stop&kept
		before := m.word<<1 | word
		begin, end := m.word&^before|alone, before&^m.word&kept
		// Added to a word, a bit of beyond is carried to the bit behind it.
		carried := m.word + m.beyond + left
		over := carried&end | stop<<1
		end |= alone << 1
		for ; begin != 0; begin &= begin - 1 {
			w.starts[words] = uint16(size + bits.TrailingZeros64(begin))
			words++
		}
		for ; end != 0; end &= end - 1 {
			k := bits.TrailingZeros64(end)
			w.ends[ended] = uint16(size+k) | uint16(over>>k&1)*leftOver
			ended++
		}
		word, left = before>>turn, carried>>turn
	}
	if word != 0 { // it has not ended, and comes again
		words--
		size = int(w.starts[words])
	}
	return words, size
}

// firstBytes[n] has ones for the first n of 16 bytes.
var firstBytes = func() (ones [maxWord + 1][2]uint64) {
	for n := range ones {
		ones[n] = [2]uint64{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return ones
}()

const golden = 0x9e3779b97f4a7c15

// hash is like Hash for at most as many words as there are.
func (w *Words) hash(dst []uint64, first int) int {
	text := w.text[textLead:]
	starts, ends := w.starts[first:][:len(dst)], w.ends[first:][:len(dst)]
	for i, start := range starts {
		n := ends[i] - start
		if n > maxWord {
			return i
		}
		p, ones := text[start:][:maxWord], &firstBytes[n]
		x, y := binary.LittleEndian.Uint64(p)&ones[0], binary.LittleEndian.Uint64(p[8:])&ones[1]
		hi, lo := bits.Mul64(x^w.a, y^w.b)
		dst[i] = hi ^ lo + uint64(n)*golden
	}
	return len(dst)
}

// Mix returns the finalizer of SplitMix64 (Steele, Lea and Flood 2014, with Stafford's
// constants): a bijection in which every bit depends on every bit.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func mixSums(dst, a, b []uint64, key uint64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = Mix(a[i] + b[i] + key)
	}
}

// interleave does the entries from the given one on.
func interleave(dst []uint64, columns [][]uint64, from int) {
	dst = dst[from*len(columns):]
	if len(columns) == 2 {
		second := columns[1][from:]
		for i, x := range columns[0][from:] {
			pair := dst[2*i:][:2]
			pair[0], pair[1] = x, second[i]
		}
		return
	}
	for k, c := range columns {
		for i, x := range c[from:] {
			dst[i*len(columns)+k] = x
		}
	}
}

// hashChars is like Chars.Hash, and ends where it has to.
func hashChars(dst []uint64, text []byte, _ *[128]uint8, first *charFirst, pages []uint32, ascii *charASCII, a, b uint64, stop uint8, after bool) (n, size int) {
	for size < len(text) && n < len(dst) {
		c := text[size]
		if c < utf8.RuneSelf {
			if c == stop {
				break
			}
			size++
			white := c == ' ' || c-'\t' < 5
			dst[n] = ascii[c]
			if !white || !after {
				n++
			}
			after = white
			continue
		}
		var x uint32
		if p := text[size:]; len(p) >= 4 {
			x = binary.LittleEndian.Uint32(p)
		} else {
			for k, c := range p {
				x |= uint32(c) << (8 * k)
			}
		}
		shape := &shapes[c>>4]
		if x &= shape.bytes; x&shape.later != shape.want {
			break
		}
		to := first[x&0x3f<<6|x>>8&0x3f]
		if to&charPage != 0 {
			to = pages[to&^charPage|x>>16&0x3f]
		}
		length := shape.length
		if to != 0 {
			if to == charLeft {
				break
			}
			x, length = to, charSize(to)
		}
		dst[n] = hashChar(x, length, a, b)
		n++
		size += shape.length
		after = false
	}
	return n, size
}
