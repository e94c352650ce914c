package corpus

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// string scans a string and returns it with its quotes.
func (s *jsonScanner) string(what string) (raw []byte, err error) {
	start := s.pos
	if s.peek() != '"' {
		return nil, s.fault(what)
	}
	s.pos++
	for {
		s.pos += kernels.PlainPrefix(s.data[s.pos:])
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
