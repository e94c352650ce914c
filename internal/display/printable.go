// Package printable makes texts of unknown origin fit to be shown.
//
// Labels, file names and texts come from files that anyone may have written. What a terminal would obey is shown
// escaped: control characters, which move the cursor or set the title, and marks of direction, which let a text read
// as another. Letters, signs and spaces of every script stay as they are.
package display

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// unprintable reports whether a character must not reach a terminal.
func unprintable(r rune) bool {
	return Steers(r) || !unicode.IsPrint(r) && !unicode.In(r, unicode.Zs, unicode.Cf)
}

// Steers reports whether a character is a command to what shows a text: a control character, a mark of direction, or a
// line or paragraph separator.
func Steers(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c' // without which Persian, Hindi and emoji are misspelt
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != joiner && r != nonJoiner
}

// Label returns a label as it can be shown in a line, in quotes where its ends would not be seen.
func Label(label string) string {
	if label == "" || strings.TrimSpace(label) != label || !utf8.ValidString(label) ||
		strings.ContainsFunc(label, unprintable) {
		return strconv.Quote(label)
	}
	return label
}

// LabelWidth is how many characters of a label are shown in a line that has others.
const LabelWidth = 80

// Short returns a label as it can be shown, or its first characters.
func Short(label string, width int) string {
	if label = Label(label); utf8.RuneCountInString(label) <= width {
		return label
	}
	return string([]rune(label)[:width-1]) + "…"
}

// Text returns a text with its unprintable characters escaped.
func Text(text string) string {
	escaped, rest := appendPrintable(nil, []byte(text))
	return string(appendBytes(escaped, rest))
}

// appendPrintable appends text to dst, with escapes for what is unprintable but ends of lines and tabs. The escapes
// are valid in JSON, whose strings may hold such characters. What is not valid UTF-8 is shown byte by byte. At its
// end the text may be cut: rest is what the next bytes decide on.
func appendPrintable(dst, text []byte) (escaped, rest []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1 && !utf8.FullRune(text), r == '\r' && len(text) == 1:
			return dst, text
		case r == utf8.RuneError && size == 1:
			dst = appendBytes(dst, text[:1])
		case r == '\n' || r == '\t' || r == '\r' && text[1] == '\n' || !unprintable(r):
			dst = append(dst, text[:size]...)
		case r > 0xffff: // a surrogate pair, as JSON has it
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		text = text[size:]
	}
	return dst, nil
}

// appendBytes appends bytes as escapes.
func appendBytes(dst, text []byte) []byte {
	for _, b := range text {
		dst = fmt.Appendf(dst, `\x%02x`, b)
	}
	return dst
}

// Writer makes printable what it hands on. All messages go through one, and what goes to a terminal.
type Writer struct {
	w       io.Writer
	mutex   sync.Mutex
	pending []byte // the beginning of a character
}

// NewWriter returns a writer that hands on to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the writer to which the text is handed on.
func (p *Writer) Unwrap() io.Writer { return p.w }

func (p *Writer) Write(text []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	escaped, rest := appendPrintable(nil, append(p.pending, text...))
	p.pending = append([]byte(nil), rest...)
	if _, err := p.w.Write(escaped); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Flush writes what a cut text has left.
func (p *Writer) Flush() {
	p.w.Write(appendBytes(nil, p.pending)) // nothing is lost but half a character
	p.pending = nil
}
