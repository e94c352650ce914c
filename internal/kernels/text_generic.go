package kernels

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The plain loops of the text kernels: what runs where there is no assembly.

// split is Split. A final text ends here; the word at the end of another may go on.
func (w *Words) split(text []byte, final bool) (words, size int) {
	lowered := w.text[textLead:][:len(text)]
	for i, c := range text {
		lowered[i] = c | w.lower
	}
	for i := 0; i < len(text); {
		start, class := i, w.class[text[i]]
		i++
		if class&TextWord != 0 {
			for ; i < len(text); i++ {
				next := w.class[text[i]]
				if next&TextWord == 0 && (next&TextInner == 0 || i+1 == len(text) || w.class[text[i+1]]&TextWord == 0) {
					break
				}
				class |= next
			}
			if !final && i+1 >= len(text) { // it may go on, behind an apostrophe even
				return words, start
			}
		} else if class&(TextAlone|TextStop) == 0 {
			continue
		}
		w.starts[words], w.ends[words] = uint16(start), uint16(i)
		if class&(TextStop|textBeyond) != 0 {
			w.ends[words] |= leftOver
		}
		words++
	}
	return words, len(text)
}

// firstBytes[n] has ones for the first n of 16 bytes.
var firstBytes = func() (ones [maxWord + 1][2]uint64) {
	for n := range ones {
		ones[n] = [2]uint64{1<<(8*min(n, 8)) - 1, 1<<(8*max(n-8, 0)) - 1}
	}
	return ones
}()

const golden = 0x9e3779b97f4a7c15

// hash is Hash for at most as many words as there are.
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

// Mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014, with Stafford's
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

// hashChars is Chars.Hash, and ends where it has to.
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
