package corpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep objects and arrays nest, and with it the stack.
const maxDepth = 512

// jsonScanner checks one JSON text strictly (RFC 8259) in one pass and keeps the
// values of the fields wanted, without building anything else: a hostile record
// costs no more memory than its length. Invalid UTF-8 passes.
type jsonScanner struct {
	data  []byte
	pos   int
	found [fieldCount][]byte // raw values
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
		return &fault{what: fmt.Sprintf("no JSON: it ends where %s should be (every line must hold a whole object)", want), near: s.data}
	}
	return &fault{what: fmt.Sprintf("no JSON: byte %d should be %s", s.pos, want), near: s.data[s.pos:]}
}

func (s *jsonScanner) space() {
	for s.pos < len(s.data) {
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
	for {
		key, err := s.string("a name in quotes")
		if err != nil {
			return err
		}
		if s.space(); s.peek() != ':' {
			return s.fault("a colon")
		}
		s.pos++
		s.space()
		if err := s.member(key, depth, want); err != nil {
			return err
		}
		switch s.space(); s.peek() {
		case ',':
			s.pos++
			s.space()
		case '}':
			s.pos++
			return nil
		default:
			return s.fault("a comma or }")
		}
	}
}

// member scans a member's value and keeps it if it is wanted.
func (s *jsonScanner) member(key []byte, depth int, want *wanted) error {
	if want == nil {
		_, err := s.value(depth + 1)
		return err
	}
	key = key[1 : len(key)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key = unescapeJSON(nil, key)
	}
	is, below, deeper := want.match(key)
	start := s.pos
	var err error
	if deeper && s.peek() == '{' && depth < maxDepth {
		err = s.object(depth+1, &below)
	} else {
		_, err = s.value(depth + 1)
	}
	for k := range is {
		if is[k] {
			s.found[k] = s.data[start:s.pos:s.pos]
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
	for {
		if _, err := s.value(depth + 1); err != nil {
			return err
		}
		switch s.space(); s.peek() {
		case ',':
			s.pos++
			s.space()
		case ']':
			s.pos++
			return nil
		default:
			return s.fault("a comma or ]")
		}
	}
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
	for {
		s.pos += plainPrefix(s.data[s.pos:])
		switch c := s.peek(); {
		case s.pos >= len(s.data):
			return nil, s.fault("a closing quote")
		case c == '"':
			s.pos++
			return s.data[start:s.pos:s.pos], nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		default:
			return nil, s.fault("escaped: it is a control character")
		}
	}
}

// escape scans a backslash and what belongs to it.
func (s *jsonScanner) escape() error {
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

// plainPrefix is how many bytes go before the first quote, backslash or control
// character.
func plainPrefix(text []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote, slash := x^'"'*ones, x^'\\'*ones
		// The lowest flag is right: borrows only go upwards, from a flag.
		flags := ((x - ' '*ones) &^ x) | ((quote - ones) &^ quote) | ((slash - ones) &^ slash)
		if flags &= high; flags != 0 {
			return i + bits.TrailingZeros64(flags)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
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
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		c := raw[i+1]
		raw = raw[i+2:]
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
}

// codeUnit is the number of four hexadecimal digits.
func codeUnit(digits []byte) (r rune) {
	for _, c := range digits[:4] {
		d, _ := hexDigit(c)
		r = r<<4 | d
	}
	return r
}
