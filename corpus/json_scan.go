package corpus

import (
	"bytes"
	"fmt"
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
	if deeper != 0 && s.peek() == '{' && depth < maxDepth {
		below := want.below(deeper, len(key))
		err = s.object(depth+1, &below)
	} else {
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
