package doubt

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Sample is how many bytes of texts are looked at.
const Sample = 64 << 10

// A file is refused if, of the letters and digits of its first texts, more than half are no UTF-8, or are U+FFFD or ?,
// which programs write for what they can't convert: no reading of it makes sense. A few may be of anything.
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
		switch {
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
func (l *Text) unread() int { return l.invalid + l.lost + l.marks }

// illegible reports whether more than half can't be read.
func (l *Text) illegible() bool {
	n := l.unread()
	return n >= fewUnread && (n > l.marks || n >= fewMarks) && 2*n > l.letters
}

// Check returns the error of an illegible file, which begins with raw bytes. word is the file in commands.
func (l *Text) Check(raw []byte, word string) error {
	switch where := fmt.Sprintf("%d of the first %d letters, the first in line %d, %s",
		l.unread(), l.letters, l.line, display.Excerpt(l.near)); {
	case !l.illegible():
		return nil
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
	return fmt.Errorf("%d of the first %d letters, the first in text %d, %s, are no valid UTF-8, or are U+FFFD or ?: decode the texts with their own encoding first, and give UTF-8",
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

// CheckWide refuses text whose characters have two bytes. Much of it may be valid UTF-8.
func CheckWide(raw []byte, word string) error {
	if wide := guessWide(raw[:min(len(raw), Sample)]); wide != "" {
		return errors.New("is not UTF-8: " + convertFrom(wide, word))
	}
	return nil
}

// guessWide returns the encoding of text whose characters have two bytes; empty for other text.
func guessWide(raw []byte) string {
	if bytes.IndexByte(raw, 0) < 0 { // no line end is without
		return ""
	}
	for _, e := range []struct {
		name       string
		low, above int // places of the bytes of a character
	}{{"UTF-16LE", 0, 1}, {"UTF-16BE", 1, 0}} {
		units, breaks, controls := len(raw)/2, 0, 0
		other := bytes.Count(raw, []byte{'\n'}) // bytes that are no line ends; of 256 characters, one has such a byte
		for at := 0; at+2 <= len(raw); at += 2 {
			c := rune(raw[at+e.above])<<8 | rune(raw[at+e.low])
			if c < ' ' && (c < '\t' || c > '\r') { // as binary files have
				controls++
			}
			switch c {
			case '\n':
				other--
				breaks++
			case ' ', '\r', '\t', '　', '。', '，', '、':
				breaks++
			}
		}
		if units >= 8 && 100*breaks >= units && 100*controls <= units && 100*other <= units {
			return e.name
		}
	}
	return ""
}
