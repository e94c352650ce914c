//go:build !purego

package snappy

import "encoding/binary"

// Kinds of elements, the lowest two bits of a tag.
const (
	literal = iota
	copy1   // with an offset of 11 bits
	copy2   // of 16 bits
	copy4   // of 32 bits
)

// exact says whether only what the format has is accepted.
const exact = true

// longestShort is the longest literal whose length stands in its tag.
const longestShort = 60

// element is what a tag says of its element. The offset of a copy is that of the bytes behind the tag which the mask
// leaves, and high. A literal has the mask 0, and an offset that is taken for a valid one. What elements does not do,
// longer literals, has the offset 0, which is never valid.
type element struct {
	mask    uint32
	high    uint16
	length  uint8 // of the bytes that it decompresses to
	advance uint8 // to the next tag
}

// leastOffset is the smallest offset with which 16 bytes can be copied at once, and noOffset what literals have.
const (
	leastOffset = 16
	noOffset    = leastOffset
)

var tags = func() (of [256]element) {
	for tag := range of {
		long := uint8(tag>>2) + 1
		switch tag & 3 {
		case literal:
			if long <= longestShort {
				of[tag] = element{mask: 0, high: noOffset, length: long, advance: 1 + long}
			}
		case copy1:
			of[tag] = element{mask: 1<<8 - 1, high: uint16(tag>>5) << 8, length: 4 + uint8(tag>>2)&7, advance: 2}
		case copy2:
			of[tag] = element{mask: 1<<16 - 1, length: long, advance: 3}
		case copy4:
			of[tag] = element{mask: 1<<32 - 1, length: long, advance: 5}
		}
	}
	return of
}()

// How far from both ends elements stops: it reads and writes as if each element had 64 bytes, and loads 4 bytes behind
// the tag and the next tag.
const (
	writeMargin = 64
	readMargin  = 70
)

// elements decompresses elements from src[s:] to dst[d:], both of which have more bytes than their margins, and returns
// where it stopped: at an element that it does not do, or nearer to an end than that.
//
//go:noescape
func elements(dst, src []byte, d, s int, of *[256]element) (toD, toS int)

// decode decompresses a block, whose elements begin behind its header, and are to fill dst.
func decode(dst, src []byte, header int) error {
	d, s := 0, header
	for {
		if len(dst)-d > writeMargin && len(src)-s > readMargin {
			d, s = elements(dst, src, d, s, &tags)
		}
		if s == len(src) {
			break
		}
		n, m, err := one(dst, src[s:], d)
		if err != nil {
			return err
		}
		d, s = d+n, s+m
	}
	if d != len(dst) {
		return errCorrupt
	}
	return nil
}

// one decompresses the first element of src to dst[d:], and returns how many bytes it made of how many.
func one(dst, src []byte, d int) (made, from int, err error) {
	tag := src[0]
	var extra [4]byte // bytes behind the tag
	have := copy(extra[:], src[1:])
	behind := binary.LittleEndian.Uint32(extra[:])
	length, offset := int64(tag>>2)+1, int64(0)
	width := 0 // of what stands behind the tag
	switch tag & 3 {
	case literal:
		if length > longestShort {
			width = int(length - longestShort)
			length = int64(behind&(1<<(8*width)-1)) + 1
		}
		if have < width || length > int64(len(src)-1-width) || length > int64(len(dst)-d) {
			return 0, 0, errCorrupt
		}
		from = 1 + width + int(length)
		return copy(dst[d:], src[1+width:from]), from, nil
	case copy1:
		width, length, offset = 1, int64(tag>>2&7)+4, int64(tag>>5)<<8|int64(behind&(1<<8-1))
	case copy2:
		width, offset = 2, int64(behind&(1<<16-1))
	case copy4:
		width, offset = 4, int64(behind)
	}
	if have < width || offset == 0 || offset > int64(d) || length > int64(len(dst)-d) {
		return 0, 0, errCorrupt
	}
	to := dst[d : d+int(length)]
	for i := range to { // which may repeat what it has just written
		to[i] = dst[d-int(offset)+i]
	}
	return int(length), 1 + width, nil
}
