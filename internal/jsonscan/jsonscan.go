// Package jsonscan walks over JSON without building anything: a hostile text costs no more memory than its length.
package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// maxDepth bounds how deep objects and arrays nest, and with it the stack.
const maxDepth = 512

// Scanner checks one JSON text strictly (RFC 8259) in one pass. Invalid UTF-8 passes.
type Scanner struct {
	Data []byte
	Pos  int
	Want string // what should stand at Pos, once the text has turned out not to be JSON
}

// Object scans one object and nothing more, and visits its members. It returns false if the data are not that.
func (s *Scanner) Object(visit func(key, value []byte)) bool {
	switch s.space(); {
	case s.peek() != '{':
		return s.fail("an object")
	case !s.Elements(1, visit):
		return false
	}
	if s.space(); s.Pos < len(s.Data) {
		return s.fail("the end of the record")
	}
	return true
}

// CutOff reports whether a record is the beginning of an object and could go on: whoever wrote it did not finish, and
// what should follow it is missing, too.
func CutOff(record []byte) bool {
	s := Scanner{Data: record}
	if s.Object(nil) || s.Pos == len(record) && s.Want == "an object" {
		return false
	}
	rest := record[min(s.Pos, len(record)):]
	switch s.Want {
	case wantValue: // such as tru, or 1e
		rest = bytes.TrimLeft(rest, "0123456789abcdefghijklmnopqrstuE+-.")
	case wantUnit:
		rest = rest[min(len(rest), 4):]
	}
	return len(rest) == 0
}

// What scanners want where a token may be cut off.
const (
	wantValue = "a value"
	wantUnit  = "u and four hexadecimal digits"
)

// fail returns what is missing where the scanner stands.
func (s *Scanner) fail(want string) bool {
	s.Want = want
	return false
}

func (s *Scanner) space() {
	for s.Pos < len(s.Data) && s.Data[s.Pos] <= ' ' {
		switch s.Data[s.Pos] {
		case ' ', '\t', '\r', '\n':
			s.Pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end; JSON has no such byte of its own.
func (s *Scanner) peek() byte {
	if s.Pos < len(s.Data) {
		return s.Data[s.Pos]
	}
	return 0
}

// Elements goes behind the object or array that begins here. It visits the members of an object by name and value, and
// the values of an array; a nil visit scans only. The result is false if this is not JSON. depth is how deep it nests.
func (s *Scanner) Elements(depth int, visit func(key, value []byte)) bool {
	closing := s.Data[s.Pos] + 2 // of { and [, in ASCII
	s.Pos++
	if s.space(); s.peek() == closing {
		s.Pos++
		return true
	}
	for {
		var key []byte
		if closing == '}' {
			start := s.Pos
			if !s.text("a name in quotes") {
				return false
			}
			if key = s.Data[start+1 : s.Pos-1]; visit != nil && bytes.IndexByte(key, '\\') >= 0 {
				key = Unescape(nil, key)
			}
			if s.space(); s.peek() != ':' {
				return s.fail("a colon")
			}
			s.Pos++
			s.space()
		}
		start := s.Pos
		if !s.value(depth) {
			return false
		}
		if visit != nil {
			visit(key, s.Data[start:s.Pos:s.Pos])
		}
		switch s.space(); s.peek() {
		case ',':
			s.Pos++
			s.space()
		case closing:
			s.Pos++
			return true
		default:
			return s.fail("a comma or " + string(closing))
		}
	}
}

// value goes behind the value that begins here.
func (s *Scanner) value(depth int) bool {
	switch s.peek() {
	case '"':
		return s.text("")
	case '{', '[':
		if depth >= maxDepth {
			return s.fail(fmt.Sprintf("a plain value: it nests deeper than %d", maxDepth))
		}
		return s.Elements(depth+1, nil)
	}
	start, simple := s.Pos, s.peek() != '0'
	for c := s.peek(); c >= '0' && c <= '9' || c >= 'a' && c <= 'u' || c == '.' || c == '-' || c == '+' ||
		c == 'E'; c = s.peek() {
		simple = simple && c <= '9' && c >= '0'
		s.Pos++
	}
	if simple && s.Pos > start || json.Valid(s.Data[start:s.Pos]) { // a number, true, false, null
		return true
	}
	s.Pos = start
	return s.fail(wantValue)
}

// text goes behind the string that begins here.
func (s *Scanner) text(what string) bool {
	if s.peek() != '"' {
		return s.fail(what)
	}
	s.Pos++
	for {
		s.Pos += kernels.PlainPrefix(s.Data[s.Pos:]) // what stands for itself
		if s.peek() != '\\' {
			return s.closingQuote()
		}
		if !s.escape() {
			return false
		}
	}
}

// closingQuote goes behind a string whose next character is neither plain nor an escape.
func (s *Scanner) closingQuote() bool {
	switch {
	case s.Pos >= len(s.Data):
		return s.fail("a closing quote")
	case s.Data[s.Pos] != '"':
		return s.fail("escaped: it is a control character")
	}
	s.Pos++
	return true
}

// escape goes behind a backslash and what belongs to it.
func (s *Scanner) escape() bool {
	s.Pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.Pos++
		return true
	case 'u':
		if _, ok := codeUnit(s.Data[s.Pos+1:]); !ok {
			return s.fail(wantUnit)
		}
		s.Pos += 5
		return true
	}
	return s.fail("one of \\ \" / b f n r t u")
}

// codeUnit returns the number that four hexadecimal digits stand for.
func codeUnit(digits []byte) (r rune, ok bool) {
	var unit [2]byte
	if len(digits) < 4 {
		return 0, false
	}
	_, err := hex.Decode(unit[:], digits[:4])
	return rune(binary.BigEndian.Uint16(unit[:])), err == nil
}

// Unescape appends what the inside of a scanned string means. A lone half of
// a surrogate pair is U+FFFD, as in encoding/json.
func Unescape(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		c := raw[i+1]
		dst, raw = append(dst, raw[:i]...), raw[i+2:]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := codeUnit(raw)
			raw = raw[4:]
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if bytes.HasPrefix(raw, []byte(`\u`)) {
					half, _ := codeUnit(raw[2:])
					pair = utf16.DecodeRune(r, half)
				}
				if r = pair; r != utf8.RuneError {
					raw = raw[6:]
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
}

// HasHalfPair reports whether a scanned value has an escape that is half of a surrogate pair without the other.
func HasHalfPair(value []byte) bool {
	for {
		i := bytes.IndexByte(value, '\\')
		if i < 0 {
			return false
		}
		escape := value[i:]
		value = escape[2:]
		if escape[1] != 'u' {
			continue
		}
		value = value[4:]
		r, _ := codeUnit(escape[2:])
		if !utf16.IsSurrogate(r) {
			continue
		}
		if !bytes.HasPrefix(value, []byte(`\u`)) {
			return true
		}
		half, _ := codeUnit(value[2:])
		if utf16.DecodeRune(r, half) == utf8.RuneError {
			return true
		}
		value = value[6:]
	}
}

// Field returns the value of the field with a path in a good object; nil if it has none. Dots of the path descend into
// objects, and may be in names, too. The last of several values counts.
func Field(object []byte, path string) (found []byte) {
	s := Scanner{Data: object}
	s.Elements(1, func(key, value []byte) {
		if v := Member(path, key, value); v != nil {
			found = v
		}
	})
	return found
}

// Member returns the value of the field with a path, if it is this member of an object, or within it; else nil.
func Member(path string, key, value []byte) []byte {
	switch n := len(key); {
	case path == "" || len(path) < n || path[:n] != string(key):
	case len(path) == n:
		return value
	case path[n] == '.' && len(path) > n+1 && value[0] == '{':
		return Field(value, path[n+1:])
	}
	return nil
}

// AppendField appends a good record of JSONL to dst, with a field more as the last one of its object. The value is
// JSON. Dots in the path descend into objects, which are added where they are missing. It returns an error if the
// record already has the field, or has something else where an object is needed. A blank record stays one.
func AppendField(dst, record []byte, path string, value []byte) ([]byte, error) {
	s := Scanner{Data: record}
	if s.space(); s.peek() != '{' {
		return append(dst, record...), nil
	}
	if Field(record[s.Pos:], path) != nil {
		return dst, fmt.Errorf("it has a field %s already", display.Excerpt(path))
	}
	names, members := strings.Split(path, "."), 0
	for ; ; names = names[1:] {
		at := -1 // of the last member of the name, in which the field belongs
		var within []byte
		members = 0
		s.Elements(1, func(key, value []byte) {
			members++
			if string(key) == names[0] {
				at, within = s.Pos-len(value), value
			}
		})
		if at < 0 {
			break
		}
		if within[0] != '{' {
			return dst, fmt.Errorf("its field %s is %s, not an object to add %s to",
				display.Excerpt(strings.TrimSuffix(path, "."+strings.Join(names[1:], "."))), display.Excerpt(within),
				display.Excerpt(path))
		}
		s.Pos = at
	}
	end := s.Pos - 1 // of the object
	dst = append(dst, record[:end]...)
	if members > 0 {
		dst = append(dst, ',')
	}
	for i, name := range names {
		if i > 0 {
			dst = append(dst, '{')
		}
		dst = append(display.AppendJSON(dst, name), ':')
	}
	dst = append(dst, value...)
	dst = append(dst, strings.Repeat("}", len(names)-1)...)
	return append(dst, record[end:]...), nil
}
