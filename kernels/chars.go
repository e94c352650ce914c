package kernels

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// CharBlock is how many hashes [Chars.Hash] needs room for.
const CharBlock = 64

// CharFolds tells what becomes of characters. It has numbers of characters: 0 for one
// that stays as it is, else the bytes of another that takes its place, or charLeft.
type CharFolds struct {
	// first are ASCII characters, and the first two bytes of others by six bits of each.
	// Those of three bytes have where in pages the 64 are that begin so, and charPage,
	// or 0 if all of these stay.
	first charFirst
	pages []uint32
	ascii [utf8.RuneSelf]uint8 // what becomes of ASCII
}

// What the assembly of hashing characters takes.
type (
	charFirst = [charLead + utf8.RuneSelf]uint32
	charASCII = [utf8.RuneSelf]uint64
)

const (
	charLead = 1 << 12 // ways to begin a character of several bytes
	charLeft = 1 << 31 // left to the caller
	charPage = 1 << 30 // the place of a page
)

// NewCharFolds asks fold what takes the place of a character: r itself, another of as many bytes or of more, but
// three at most, or a negative number if r is left to the caller, as none of ASCII is. White space of ASCII becomes
// a space, and nothing else does.
//
// Characters of four bytes stay from plain on, a multiple of 4,096; those before are left to the caller. Some others
// stay, too: ! to @, which are digits and marks, and U+4000 to U+9FFF.
func NewCharFolds(fold func(r rune) rune, plain rune) *CharFolds {
	f := &CharFolds{}
	number := func(r rune) uint32 {
		to := fold(r)
		switch {
		case to < 0:
			return charLeft
		case to == r:
			return 0
		}
		return charBytes(to)
	}
	for r := range rune(utf8.RuneSelf) {
		f.ascii[r] = uint8(r)
		if r < '!' || r > '@' {
			f.ascii[r] = uint8(fold(r))
		}
		if to := f.ascii[r]; to != uint8(r) {
			f.first[charLead+r] = uint32(to)
		}
	}
	for key := range f.first[:charLead] {
		lead, second := rune(0xc0|key>>6), rune(key&0x3f)
		switch page := lead&0xf<<12 | second<<6; {
		case lead < 0xc2:
			f.first[key] = charLeft // too long
		case lead < 0xe0:
			f.first[key] = number(lead&0x1f<<6 | second)
		case lead < 0xf0:
			f.first[key] = charLeft
			switch {
			case page >= 0x4000 && page < 0xa000:
				f.first[key] = 0
			case page >= 0x800 && !(page >= 0xd800 && page < 0xe000):
				f.first[key] = f.page(page, number)
			}
		default:
			if r := lead&0xf<<18 | second<<12; r < plain || r > utf8.MaxRune {
				f.first[key] = charLeft
			}
		}
	}
	return f
}

// page makes the page of the 64 characters from r on, if one of them does not stay.
func (f *CharFolds) page(r rune, number func(rune) uint32) uint32 {
	var page [64]uint32
	for i := range page {
		page[i] = number(r + rune(i))
	}
	if page == [64]uint32{} {
		return 0
	}
	f.pages = append(f.pages, page[:]...)
	return charPage | uint32(len(f.pages)-len(page))
}

// charBytes are the bytes of a character, the first one lowest.
func charBytes(r rune) uint32 {
	var p [4]byte
	utf8.EncodeRune(p[:], r)
	return binary.LittleEndian.Uint32(p[:])
}

// Chars makes the hashes of characters, which are those that [Words.Hash] makes of words.
type Chars struct {
	folds *CharFolds
	a, b  uint64
	stop  uint8     // none of ASCII if there is none
	ascii charASCII // the hash of each
}

// NewChars takes what becomes of characters, one of ASCII that is left to the caller, or 0xff if there is none, and
// the two keys of the hash.
func NewChars(folds *CharFolds, stop uint8, a, b uint64) *Chars {
	c := &Chars{folds: folds, a: a, b: b, stop: stop}
	for r := range c.ascii {
		c.ascii[r] = hashChar(uint32(folds.ascii[r]), 1, a, b)
	}
	return c
}

// hashChar is the hash of a character of n bytes.
func hashChar(x uint32, n int, a, b uint64) uint64 {
	hi, lo := bits.Mul64(uint64(x)^a, b)
	return hi ^ lo + uint64(n)*golden
}

// shape is what a character looks like.
type shape struct {
	length             int
	bytes, later, want uint32
}

// shapes are those of characters by the high half of their first bytes. No character begins with 8 to B.
var shapes = func() (s [16]shape) {
	for k := range s {
		n := bits.LeadingZeros8(^uint8(k << 4)) // ones
		if n < 2 {
			s[k] = shape{want: 1}
			continue
		}
		later := uint32(0xc0c0c000) & (1<<(8*n) - 1)
		s[k] = shape{n, 1<<(8*n) - 1, later, later & 0x80808080}
	}
	return s
}()

// charSize is how many bytes a character has that is not ASCII.
func charSize(x uint32) int { return (bits.Len32(x) + 7) / 8 }

// Hash makes the hashes of the characters that a text begins with. It says how many it made, and how many
// bytes of the text they are. Of spaces that follow each other, white space of ASCII included, it makes one hash,
// and none if the text follows a space, as after says. It ends at a character that is left to the caller or is not
// UTF-8, or one before that, and where dst, of [CharBlock] or more, has no room for the characters of 64 bytes.
// dst behind the hashes may be overwritten.
func (c *Chars) Hash(dst []uint64, text []byte, after bool) (n, size int) {
	if len(dst) < CharBlock {
		panic(fmt.Sprintf("kernels: room for %d characters", len(dst)))
	}
	hash := hashChars
	switch {
	case useAVX512:
		hash = hashCharsAVX512
	case useVectors:
		hash = hashCharsVector
	}
	return hash(dst, text, &c.folds.ascii, &c.folds.first, c.folds.pages, &c.ascii, c.a, c.b, c.stop, after)
}
