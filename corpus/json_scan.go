package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// maxDepth bounds how deep objects and arrays nest, and with it the stack.
const maxDepth = 512

// jsonScanner checks one JSON text strictly (RFC 8259) in one pass and keeps the
// values of the fields wanted, without building anything else: a hostile record
// costs no more memory than its length. Invalid UTF-8 passes.
type jsonScanner struct {
	data    []byte
	pos     int
	escapes int                // so far
	found   [fieldCount][]byte // raw values
	escaped [fieldCount]bool   // that have escapes
	text    []byte             // what the text field's value means, if it is a string
	memory  *parser            // for the text, if it has escapes
}

// document scans one object and nothing more.
func (s *jsonScanner) document(want *wanted) error {
	if s.space(); s.peek() != '{' {
		return s.fault("an object")
	}
	if err := s.object(0, want); err != nil {
		return err
	}
	if s.space(); s.pos < len(s.data) {
		return s.fault("the end of the record")
	}
	return nil
}

// fault says what is missing where the scanner stands.
func (s *jsonScanner) fault(want string) error {
	if s.pos >= len(s.data) {
		return &fault{what: fmt.Sprintf("no JSON: it ends where %s should be (every line must hold a whole object)", want), near: s.data, hint: jsonLines(s.data)}
	}
	return &fault{what: fmt.Sprintf("no JSON: byte %d should be %s", s.pos, want), near: s.data[s.pos:]}
}

func (s *jsonScanner) space() {
	for s.pos < len(s.data) && s.data[s.pos] <= ' ' {
		switch s.data[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end; JSON has no such byte of its own.
func (s *jsonScanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// object scans an object, which begins here. A nil want wants nothing.
func (s *jsonScanner) object(depth int, want *wanted) error {
	s.pos++
	if s.space(); s.peek() == '}' {
		s.pos++
		return nil
	}
	for more := true; more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		if want == nil {
			_, err = s.value(depth + 1)
		} else {
			err = s.member(key, depth, want)
		}
		if err != nil {
			return err
		}
		if more, err = s.separator('}'); err != nil {
			return err
		}
	}
	return nil
}

// separator goes behind the comma in front of another element, or behind the end of an object or array.
func (s *jsonScanner) separator(end byte) (more bool, err error) {
	switch s.space(); s.peek() {
	case ',':
		s.pos++
		s.space()
		return true, nil
	case end:
		s.pos++
		return false, nil
	}
	return false, s.fault("a comma or " + string(end))
}

// key scans a member up to its value and returns what its name means.
func (s *jsonScanner) key() ([]byte, error) {
	before := s.escapes
	key, err := s.string("a name in quotes")
	if err != nil {
		return nil, err
	}
	if key = key[1 : len(key)-1]; s.escapes != before {
		key = unescapeJSON(nil, key)
	}
	if s.space(); s.peek() != ':' {
		return nil, s.fault("a colon")
	}
	s.pos++
	s.space()
	return key, nil
}

// member scans a member's value and keeps it if it is wanted.
func (s *jsonScanner) member(key []byte, depth int, want *wanted) error {
	is, deeper := want.match(key)
	start, before := s.pos, s.escapes
	var err error
	switch c := s.peek(); {
	case c == '"' && is>>textField&1 != 0:
		s.text, err = s.decoded()
	case c == '{' && deeper != 0 && depth < maxDepth:
		below := want.below(deeper, len(key))
		err = s.object(depth+1, &below)
	default:
		_, err = s.value(depth + 1)
	}
	for k := range s.found {
		if is>>k&1 != 0 {
			s.found[k], s.escaped[k] = s.data[start:s.pos:s.pos], s.escapes != before
		}
	}
	return err
}

// value scans any value and returns it as it stands.
func (s *jsonScanner) value(depth int) (raw []byte, err error) {
	start := s.pos
	switch c := s.peek(); {
	case (c == '{' || c == '[') && depth > maxDepth:
		return nil, &fault{what: fmt.Sprintf("no JSON that can be read: it nests deeper than %d", maxDepth), near: s.data[s.pos:]}
	case c == '{':
		err = s.object(depth, nil)
	case c == '[':
		err = s.array(depth)
	case c == '"':
		return s.string("")
	case c == 't':
		err = s.literal("true")
	case c == 'f':
		err = s.literal("false")
	case c == 'n':
		err = s.literal("null")
	default:
		err = s.number()
	}
	return s.data[start:s.pos:s.pos], err
}

func (s *jsonScanner) array(depth int) error {
	s.pos++
	if s.space(); s.peek() == ']' {
		s.pos++
		return nil
	}
	for more := true; more; {
		_, err := s.value(depth + 1)
		if err == nil {
			more, err = s.separator(']')
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// more tells whether another element follows in an array that was scanned
// before, and goes to it.
func (s *jsonScanner) more(end byte) bool {
	s.space()
	if s.peek() == ',' {
		s.pos++
		s.space()
	}
	return s.peek() != end
}

func (s *jsonScanner) literal(word string) error {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return s.fault(word)
	}
	s.pos += len(word)
	return nil
}

func (s *jsonScanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	switch first := s.peek(); {
	case first == '0':
		s.pos++
	case !s.digits():
		return s.fault("a value")
	}
	if s.peek() == '.' {
		if s.pos++; !s.digits() {
			return s.fault("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fault("a digit")
		}
	}
	return nil
}

// digits skips digits; false if there are none.
func (s *jsonScanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos]-'0' <= 9 {
		s.pos++
	}
	return s.pos > start
}

// string scans a string and returns it with its quotes.
func (s *jsonScanner) string(what string) (raw []byte, err error) {
	start := s.pos
	if s.peek() != '"' {
		return nil, s.fault(what)
	}
	s.pos++
	for s.plain(); s.peek() == '\\'; s.plain() {
		if err := s.escape(); err != nil {
			return nil, err
		}
	}
	if err := s.closingQuote(); err != nil {
		return nil, err
	}
	return s.data[start:s.pos:s.pos], nil
}

// plain goes behind what stands for itself in a string, and returns it.
func (s *jsonScanner) plain() []byte {
	start := s.pos
	s.pos += kernels.PlainPrefix(s.data[start:])
	return s.data[start:s.pos:s.pos]
}

// closingQuote goes behind a string whose next character is neither plain nor an escape.
func (s *jsonScanner) closingQuote() error {
	switch {
	case s.pos >= len(s.data):
		return s.fault("a closing quote")
	case s.data[s.pos] != '"':
		return s.fault("escaped: it is a control character")
	}
	s.pos++
	return nil
}

// decoded scans a string, which begins here, and returns what it means: a view, or a copy if it has escapes.
func (s *jsonScanner) decoded() ([]byte, error) {
	start, room := s.pos, len(s.data)-s.pos
	s.pos++
	text := s.plain()
	switch {
	case s.peek() != '\\':
		return text, s.closingQuote()
	case room > arenaSize/2: // which is too much for a string that may be short
		s.pos = start
		raw, err := s.string("")
		if err != nil {
			return nil, err
		}
		return s.memory.unescape(raw, true), nil
	}
	text = append(s.memory.room(room), text...)
	for s.peek() == '\\' {
		escapes := s.pos
		for s.peek() == '\\' { // those that follow each other may mean one character
			if err := s.escape(); err != nil {
				return nil, err
			}
		}
		text = append(unescapeJSON(text, s.data[escapes:s.pos]), s.plain()...)
	}
	s.memory.trim(text, room)
	return slices.Clip(text), s.closingQuote()
}

// escape scans a backslash and what belongs to it.
func (s *jsonScanner) escape() error {
	s.escapes++
	s.pos++
	if s.pos >= len(s.data) {
		return s.fault("an escaped character")
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		s.pos++
		for range 4 {
			if _, ok := hexDigit(s.peek()); !ok {
				return s.fault("a hexadecimal digit")
			}
			s.pos++
		}
		return nil
	}
	return s.fault("one of \\ \" / b f n r t u")
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case c-'0' <= 9:
		return rune(c - '0'), true
	case c|0x20-'a' <= 5:
		return rune(c|0x20-'a') + 10, true
	}
	return 0, false
}

// unescapeJSON appends what the inside of a scanned string means. A lone half of
// a surrogate pair is U+FFFD, as in encoding/json.
func unescapeJSON(dst, raw []byte) []byte {
	for len(raw) > 0 {
		if raw[0] != '\\' {
			i := bytes.IndexByte(raw, '\\')
			if i < 0 {
				i = len(raw)
			}
			dst, raw = append(dst, raw[:i]...), raw[i:]
			continue
		}
		c := raw[1]
		raw = raw[2:]
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
			r := codeUnit(raw)
			raw = raw[4:]
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					pair = utf16.DecodeRune(r, codeUnit(raw[2:]))
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
	return dst
}

// codeUnit is the number of four hexadecimal digits.
func codeUnit(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		d, _ := hexDigit(c)
		r = r<<4 | d
	}
	return r
}
