package doubt

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Sample is how many bytes of texts are looked at.
const Sample = 64 << 10

// A file is refused if, of the letters and digits of its first texts, more than half are no UTF-8, or are U+FFFD or ?,
// which programs write for what they can't convert, or are UTF-8 that was taken for another encoding and encoded again:
// no reading of it makes sense. A few may be of anything.
const (
	mostLetters = 1000 // that are waited for, where a file is not there at once
	fewUnread   = 16   // bytes or characters, which are too few to tell
	fewMarks    = 500  // question marks, which people write, too
)

// Text counts what can't be read in the first texts of a file.
type Text struct {
	looked  int // bytes
	letters int // and digits, and what follows
	invalid int // bytes that are no UTF-8, or control characters
	lost    int // U+FFFD
	marks   int // question marks beside others
	twice   int // letters that were encoded twice
	line    int64
	near    []byte // the text in that line, which has the first of them
}

// Add counts those of a text, which begins in a line of the file.
func (l *Text) Add(text []byte, line int64) {
	text = text[:min(len(text), l.Missing())]
	l.looked += len(text)
	for i, size := 0, 0; i < len(text); i += size {
		c := rune(text[i])
		if size = 1; c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[i:])
		}
		twice := 0
		if size == 2 {
			twice = encodedTwice(text[i:])
		}
		switch {
		case twice > 0:
			l.twice++
			size = twice
		case c == '?' && (i > 0 && text[i-1] == '?' || i+1 < len(text) && text[i+1] == '?'):
			l.marks++
		case c == utf8.RuneError && size == 1 && utf8.FullRune(text[i:]), c < ' ' && (c < '\t' || c > '\r') &&
			c != '\x1b':
			l.invalid++
		case c == utf8.RuneError && size > 1:
			l.lost++
		case c >= utf8.RuneSelf && !unicode.IsSpace(c) && !unicode.IsPunct(c), 'a' <= c|0x20 &&
			c|0x20 <= 'z', '0' <= c && c <= '9':
		default:
			continue
		}
		if l.letters++; l.near == nil && l.unread() > 0 {
			l.line, l.near = line, bytes.Clone(text[i:min(len(text), i+64)])
		}
	}
}

// Missing returns how many more bytes of texts should be looked at.
func (l *Text) Missing() int { return max(0, Sample-l.looked) }

// Enough reports whether there have been letters enough to tell.
func (l *Text) Enough() bool { return l.letters >= mostLetters }

// unread returns the letters that can't be read.
func (l *Text) unread() int { return l.invalid + l.lost + l.marks + l.twice }

// illegible reports whether more than half can't be read.
func (l *Text) illegible() bool {
	n := l.unread()
	return n >= fewUnread && (n > l.marks || n >= fewMarks) && 2*n > l.letters
}

// encodedTwice returns the length of a letter of UTF-8 whose bytes were taken for characters of Latin-1 or
// Windows-1252, and encoded again; 0 if text does not begin with one.
func encodedTwice(text []byte) (size int) {
	c, size := utf8.DecodeRune(text)
	if c < 0xc2 || c > 0xf4 {
		return 0
	}
	for more := bits.LeadingZeros8(^uint8(c)) - 1; more > 0; more-- {
		c, n := utf8.DecodeRune(text[size:])
		if (c < 0x80 || c > 0xbf) && (c < 0x100 || !strings.ContainsRune("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ", c)) {
			return 0
		}
		size += n
	}
	return size
}

// Check returns the error of an illegible file, which begins with raw bytes. word is the file in commands.
func (l *Text) Check(raw []byte, word string) error {
	switch where := fmt.Sprintf("%d of the first %d letters, the first in line %d, %s",
		l.unread(), l.letters, l.line, display.Excerpt(l.near)); {
	case !l.illegible():
		return nil
	case l.twice > l.invalid+l.lost+l.marks:
		return fmt.Errorf("was encoded twice: %s, are UTF-8 that was taken for Latin-1 or Windows-1252: convert it back, iconv -f UTF-8 -t LATIN1 %s | nbsvm ... - (or CP1252)", where, word)
	case l.lost+l.marks > l.invalid:
		return fmt.Errorf("has lost most of its letters: %s, are U+FFFD or ?, which programs write for what they can't convert: make the file again from its source, and decode that with its own encoding", where)
	default:
		return fmt.Errorf("is not UTF-8: %s, can't be read: %s",
			where, convertFrom(guessWide(raw[:min(len(raw), Sample)]), word))
	}
}

// Texts returns an error if texts that belong together are in another encoding than UTF-8, or lost most of their
// letters when they were decoded. It looks at the first 64 KiB.
func Texts(texts iter.Seq[string]) error {
	var l Text
	number := int64(0)
	for text := range texts {
		if number++; l.looked >= Sample {
			break
		}
		l.Add([]byte(text[:min(len(text), Sample)]), number)
	}
	l.letters, l.marks = l.letters-l.marks, 0 // a message may be nothing but marks
	return l.CheckTexts()
}

// CheckTexts returns the error of illegible texts that are not of a file.
func (l *Text) CheckTexts() error {
	if !l.illegible() {
		return nil
	}
	return fmt.Errorf("%d of the first %d letters, the first in text %d, %s, are no valid UTF-8, are U+FFFD or ?, or were encoded twice: decode the texts with their own encoding first, and give UTF-8",
		l.unread(), l.letters, l.line, display.Excerpt(l.near))
}

// InvalidNote tells of bytes in texts that are not valid UTF-8.
func InvalidNote(bytes int64) string {
	return fmt.Sprintf("%s bytes of text are not valid UTF-8; if the text is Latin-1, convert it with iconv -f LATIN1 -t UTF-8", display.Count(bytes))
}

// convertFrom returns the remedy for text in an encoding; empty for one that is not known.
func convertFrom(encoding, word string) string {
	if encoding == "" {
		return fmt.Sprintf("find its encoding, file -i %s, and convert it, iconv -f ENCODING -t UTF-8 %[1]s | nbsvm ... -", word)
	}
	return fmt.Sprintf("it looks like %s, so convert it first, and see whether the result can be read, iconv -f %[1]s -t UTF-8 %s | nbsvm ... -", encoding, word)
}

// CheckWide refuses text whose characters have two or four bytes, or stand behind escapes. Much of it may be valid
// UTF-8.
func CheckWide(raw []byte, word string) error {
	if wide := guessWide(raw[:min(len(raw), Sample)]); wide != "" {
		return errors.New("is not UTF-8: " + convertFrom(wide, word))
	}
	return nil
}

// isISO2022JP reports whether text is ASCII in which characters of two bytes stand between escapes, in more than one in
// a hundred lines. A few such bytes, or colours of a terminal, are of other texts.
func isISO2022JP(raw []byte) bool {
	if bytes.IndexByte(raw, '\x1b') < 0 {
		return false
	}
	lines, with, broken := 0, 0, 0
	for line := range bytes.Lines(raw) {
		lines++
		pairs, rest, found := 0, line, true
		for found {
			if _, rest, found = bytes.Cut(rest, []byte{'\x1b'}); !bytes.HasPrefix(rest, []byte("$B")) &&
				!bytes.HasPrefix(rest, []byte("$@")) {
				continue
			}
			end := bytes.IndexByte(rest, '\x1b')
			if end < 0 && !bytes.HasSuffix(line, []byte{'\n'}) { // of what is looked at
				break
			}
			if end%2 != 0 || bytes.ContainsFunc(rest[:end], func(c rune) bool { return c < '!' || c > '~' }) {
				pairs = -1
				break
			}
			pairs++
		}
		switch {
		case bytes.ContainsFunc(line, func(c rune) bool { return c >= utf8.RuneSelf }):
			return false
		case pairs > 0:
			with++
		case pairs < 0:
			broken++
		}
	}
	return with > broken && 100*with > lines
}

// guessWide returns the encoding of text whose characters have two or four bytes, or stand behind escapes.
func guessWide(raw []byte) string {
	if isISO2022JP(raw) {
		return "ISO-2022-JP"
	}
	if bytes.IndexByte(raw, 0) < 0 { // no line end is without
		return ""
	}
	for _, e := range []struct {
		name       string
		width      int
		low, above int // places of the last two bytes of a character
	}{{"UTF-32LE", 4, 0, 1}, {"UTF-32BE", 4, 3, 2}, {"UTF-16LE", 2, 0, 1}, {"UTF-16BE", 2, 1, 0}} {
		units, breaks, zeros, controls := len(raw)/e.width, 0, 0, 0
		other := bytes.Count(raw, []byte{'\n'}) // bytes that are no line ends; of 256 characters, one has such a byte
		for at := 0; at+e.width <= len(raw); at += e.width {
			unit := raw[at : at+e.width]
			c := rune(unit[e.above])<<8 | rune(unit[e.low])
			if e.width == 4 && unit[3-e.low]|unit[3-e.above] == 0 && c != 0 {
				zeros++
			}
			if c < ' ' && (c < '\t' || c > '\r') { // as binary files have
				controls++
			}
			if c == '\n' {
				other--
			}
			switch c {
			case ' ', '\n', '\r', '\t', '　', '。', '，', '、':
				breaks++
			}
		}
		if units >= 8 && 100*breaks >= units && 100*controls <= units && 100*other <= units &&
			(e.width == 2 || 100*zeros > 98*units) {
			return e.name
		}
	}
	return ""
}
