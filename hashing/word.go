package hashing

import (
	"encoding/binary"
	"math/bits"
)

// byteClass is what a byte is to the tokenizer where a token may begin.
type byteClass uint8

const (
	byteSeparator byteClass = iota
	byteWhite               // a separator; ASCII white space
	byteLetter              // or digit
	bytePunct
	byteTag        // <, where tags are dropped
	byteApostrophe // from here on: the word before it may go on
	byteBeyond     // not ASCII
)

func (e *Extractor) classifyByte(b byte) byteClass {
	if b >= 0x80 {
		return byteBeyond
	}
	if b == '<' && e.options.StripHTML {
		return byteTag
	}
	switch classify(rune(b)) {
	case letter:
		return byteLetter
	case white:
		return byteWhite
	case apostrophe:
		return byteApostrophe
	case punct:
		if e.options.Punctuation {
			return bytePunct
		}
	}
	return byteSeparator
}

func (e *Extractor) lowerByte(b byte) byte {
	if e.options.Lowercase && 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// letters has the high bit of every byte of x that is an ASCII letter or digit.
// Adding 0x80-c to a byte below 0x80 sets its high bit if it is c or more.
func letters(x uint64) uint64 {
	digit, lower := x&^high, (x|0x20*ones)&^high
	return ((digit+(0x80-'0')*ones)&^(digit+(0x80-'9'-1)*ones) |
		(lower+(0x80-'a')*ones)&^(lower+(0x80-'z'-1)*ones)) & high &^ x
}

// firstBytes[k] masks the first k bytes of a word.
var firstBytes = [8]uint64{
	0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff,
}

// window is how many bytes must be readable from where a token begins: two words,
// the byte after them, and some to spare.
const window = 24

func (e *Extractor) scanWords(c *cursor, doc []byte) int {
	n := 0
	if limit := len(doc) - window + 1; c.pos < limit {
		n = e.scanWindow(c, doc, doc, limit, 0)
	}
	// The last bytes are read from a copy with room behind it.
	if rest := len(doc) - c.pos; rest > 0 && rest < window && n < len(e.tokens) {
		clear(e.tail[copy(e.tail[:], doc[c.pos:]):])
		var t cursor
		n = e.scanWindow(&t, e.tail[:], e.tail[:rest], rest, n)
		c.pos += t.pos
	}
	return n
}

// scanWindow finds tokens that begin before limit, from where window bytes of src
// can be read, and adds them to the n there are. doc is that part of src which is
// the document.
//
// Words of up to 16 ASCII characters are found, lowered and hashed 8 bytes at a
// time: the characters of a word all have the bit that makes a letter small, so
// that setting it leaves digits and apostrophes alone. All else is left to
// nextWord.
func (e *Extractor) scanWindow(c *cursor, src, doc []byte, limit, n int) int {
	i := c.pos
	caseBit, ka, kb := e.caseBit, e.keys.a, e.keys.b
	for i < limit && n < len(e.tokens) {
		x := binary.LittleEndian.Uint64(src[i:])
		w := letters(x)
		if w&0x80 == 0 {
			switch b := src[i]; e.ascii[b] {
			case bytePunct:
				e.tokens[n] = e.single[b]
				n++
				i++
				continue
			case byteTag:
				i = max(i+1, c.tagEnd(doc, i))
				continue
			case byteBeyond:
				if next, m := e.scanAlone(doc, i, n); m > n {
					i, n = next, m
					continue
				}
			default:
				i++
				continue
			}
		} else if end := ^w & high; end != 0 {
			k := bits.TrailingZeros64(end) / 8
			after := src[i+k]
			if after == '\'' {
				// An apostrophe is inner if the bytes on both sides are letters;
				// of the last of the 8 that is not known here.
				quote := x ^ '\''*ones
				quote = ^((quote&^high + 0x7f*ones) | quote) & high
				end &^= quote & (w << 8) & (w >> 8)
				if end == 0 {
					goto exact
				}
				k = bits.TrailingZeros64(end) / 8
				after = src[i+k]
			}
			if e.ascii[after] < byteApostrophe {
				e.tokens[n] = mum((x|caseBit)&firstBytes[k&7]^ka, kb) + uint64(k)*golden
				n++
				i += k
				if after == ' ' {
					i++
				}
				continue
			}
		} else {
			y := binary.LittleEndian.Uint64(src[i+8:])
			if end := ^letters(y) & high; end != 0 {
				k := bits.TrailingZeros64(end) / 8
				after := src[i+8+k]
				if e.ascii[after] < byteApostrophe {
					e.tokens[n] = mum((x|caseBit)^ka, (y|caseBit)&firstBytes[k&7]^kb) + uint64(8+k)*golden
					n++
					i += 8 + k
					if after == ' ' {
						i++
					}
					continue
				}
			}
		}
	exact:
		c.pos = i
		if token := e.nextWord(c, doc); token != nil {
			e.tokens[n] = e.keys.token(token)
			n++
		}
		i = c.pos
	}
	c.pos = i
	return n
}

// scanAlone finds the characters from i on that are tokens by themselves, up to
// one with marks, and adds them to the n tokens there are. They have no case.
func (e *Extractor) scanAlone(doc []byte, i, n int) (int, int) {
	r, size := decode(doc[i:])
	for n < len(e.tokens) && e.plane.classOf(r) == alone {
		next, nextSize := decode(doc[i+size:])
		if e.plane.classOf(next) == mark {
			break
		}
		e.tokens[n] = e.keys.token(doc[i : i+size])
		n++
		i += size
		r, size = next, nextSize
	}
	return i, n
}
