package kernels

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unicode/utf8"
)

const (
	// CharBlock is how many hashes [Chars.Hash] needs room for.
	CharBlock = 64
	// MaxFold is the length of the longest word that [CharFolds.Word] folds.
	MaxFold = 60
)

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

// NewCharFolds asks fold what takes the place of a character of up to three bytes: r itself, another such, or
// a negative number if r is left to the caller, as none of ASCII is. Characters of four bytes stay from plain on, a
// multiple of 4,096; those before are left to the caller.
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
		f.ascii[r], f.first[charLead+r] = uint8(fold(r)), number(r)
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
			if page >= 0x800 && !(page >= 0xd800 && page < 0xe000) {
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

// charBytes returns the bytes of a character, the first one lowest.
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
// the two keys of the hash. White space of ASCII becomes a space, and nothing else does; no character of several bytes
// becomes one of fewer. It panics if one of ! to @ or U+4000 to U+9FFF does not stay.
func NewChars(folds *CharFolds, stop uint8, a, b uint64) *Chars {
	const first, end = 0x4000 >> 6, 0xa000 >> 6 // pages
	for _, stay := range [][]uint32{folds.first[charLead+'!' : charLead+'@'+1], folds.first[0x800+first : 0x800+end]} {
		if slices.Max(stay) != 0 {
			panic("kernels: digits or Chinese characters do not stay as they are")
		}
	}
	c := &Chars{folds: folds, a: a, b: b, stop: stop}
	for r := range c.ascii {
		c.ascii[r] = hashChar(uint32(folds.ascii[r]), 1, a, b)
	}
	return c
}

// hashChar returns the hash of a character of n bytes.
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

// charSize returns how many bytes a character has that is not ASCII.
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
	f := c.folds
	if onAMD64 && useVectors {
		return hashCharsVector(dst, text, &f.ascii, &f.first, f.pages, &c.ascii, c.a, c.b, c.stop, after)
	}
	return hashChars(dst, text, &f.ascii, &f.first, f.pages, &c.ascii, c.a, c.b, c.stop, after)
}

// Word folds the word that a text begins with, of size bytes that are letters of ASCII, apostrophes between others, and
// anything beyond ASCII, and says how many bytes dst has of it then. It is -1 if a character is left to the caller or
// is not UTF-8, an apostrophe is the first one or comes before what is not a letter of ASCII, or the word is longer
// than [MaxFold] bytes or less than three from the end of the text. What becomes an apostrophe is one.
func (f *CharFolds) Word(dst *[2 * MaxFold]byte, text []byte, size int) (n int) {
	if size > MaxFold || size+3 > len(text) {
		return -1
	}
	for i := 0; i < size; {
		x := binary.LittleEndian.Uint32(text[i:])
		length, to := 1, uint32(f.ascii[x&0x7f])
		if x&0x80 != 0 {
			shape := &shapes[x>>4&0xf]
			if x &= shape.bytes; x&shape.later != shape.want {
				return -1
			}
			length = shape.length
			if to = f.of(x); to == 0 {
				to = x
			}
		}
		binary.LittleEndian.PutUint32(dst[n:], to)
		i += length
		switch {
		case to < utf8.RuneSelf:
			if n++; to == '\'' && (n == 1 || i >= size || text[i] >= utf8.RuneSelf || f.ascii[text[i]] == '\'') {
				return -1
			}
		case to == charLeft:
			return -1
		default:
			n += charSize(to)
		}
	}
	return n
}

// of returns the number of a character beyond ASCII.
func (f *CharFolds) of(x uint32) uint32 {
	to := f.first[x&0x3f<<6|x>>8&0x3f]
	if to&charPage != 0 {
		to = f.pages[to&^charPage|x>>16&0x3f]
	}
	return to
}
