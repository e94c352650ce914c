package hashing

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanFields is like nextField for many tokens at once.
func (f *family) scanFields(c *cursor, doc []byte) int {
	n := 0
	for n < len(f.tokens) {
		start, end, ascii := f.field(c, doc)
		if start == end {
			break
		}
		if k := end - start; ascii && k <= 16 && start+16 <= len(doc) {
			x, y := binary.LittleEndian.Uint64(doc[start:]), binary.LittleEndian.Uint64(doc[start+8:])
			if k <= 8 {
				x, y = x<<(64-8*k)>>(64-8*k), 0
			} else {
				y = y << (128 - 8*k) >> (128 - 8*k)
			}
			if f.options.Lowercase {
				x, y = lowerBytes(x), lowerBytes(y)
			}
			f.tokens[n] = f.keys.short(x, y, k)
		} else {
			f.tokens[n] = f.keys.token(f.foldField(doc[start:end]))
		}
		n++
	}
	return n
}

const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// lowerBytes lowers 8 ASCII characters.
func lowerBytes(x uint64) uint64 {
	upper := (x + (0x80-'A')*ones) &^ (x + (0x80-'Z'-1)*ones) & high
	return x | upper>>2
}

// nextField returns the space tokenizer.
func (f *family) nextField(c *cursor, doc []byte) []byte {
	start, end, _ := f.field(c, doc)
	if start == end {
		return nil
	}
	c.begin = start
	return f.foldField(doc[start:end])
}

// field finds the next field and moves behind it; an empty one is the end of the
// document. If ascii is true it holds no other bytes.
func (f *family) field(c *cursor, doc []byte) (start, end int, ascii bool) {
	i := c.pos
	for i < len(doc) {
		k := f.ascii[doc[i]]
		if k == byteTag {
			if end := c.tagEnd(doc, i); end > i {
				i = end
				continue
			}
		}
		if k != byteWhite {
			break
		}
		i++
	}
	start = i
	var all uint64
	for i < len(doc) {
		if i+8 <= len(doc) {
			x := binary.LittleEndian.Uint64(doc[i:])
			all |= x
			// The first byte found below 0x21, or equal to <, is one; after it
			// borrows make others seem so.
			tag := x ^ '<'*ones
			found := ((x-0x21*ones)&^x | (tag-ones)&^tag) & high
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		k := f.ascii[doc[i]]
		if k == byteWhite || k == byteTag && c.tagEnd(doc, i) > i {
			break
		}
		all |= uint64(doc[i])
		i++
	}
	c.pos = i
	return start, i, all&high == 0
}

// foldField lowers a field, if asked to, and counts its invalid bytes.
func (f *family) foldField(field []byte) []byte {
	buf := f.normal[:0]
	for i := 0; i < len(field); {
		r, size := utf8.DecodeRune(field[i:])
		switch {
		case invalid(r, size):
			f.invalid++
			buf = append(buf, field[i])
		case !f.isDot(r, buf):
			buf = utf8.AppendRune(buf, f.lower(r))
		}
		i += size
	}
	f.normal = buf
	return buf
}
