package hashing

import (
	"sync"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// newChars returns the kernel for characters. The rest is left to nextChar: white space beyond ASCII, which is one
// token with any that follows; dots, which are dropped after an i; what becomes ASCII; and the few scripts of four
// bytes a character that have case.
func (f *family) newChars() *kernels.Chars {
	stop := uint8(0xff)
	if f.options.StripHTML {
		stop = '<'
	}
	return kernels.NewChars(ofCase(charFolds, f.options), stop, f.keys.a, f.keys.b)
}

// ofCase returns the second folds if letters are lowered.
func ofCase(folds [2]func() *kernels.CharFolds, o Options) *kernels.CharFolds {
	if o.Lowercase {
		return folds[1]()
	}
	return folds[0]()
}

// charFolds are the folds of the char tokenizer, without lowering and with it.
var charFolds = [2]func() *kernels.CharFolds{
	sync.OnceValue(func() *kernels.CharFolds { return newCharFolds(false) }),
	sync.OnceValue(func() *kernels.CharFolds { return newCharFolds(true) }),
}

// uncased is the first of the characters that have no lower case and are not white space.
const uncased = 0x1f000

func newCharFolds(lowercase bool) *kernels.CharFolds {
	p := basic()
	return kernels.NewCharFolds(func(r rune) rune {
		to := r
		if lowercase {
			to = p.foldOf(r)
		}
		switch white := p.classOf(r) == white; {
		case white && r < utf8.RuneSelf:
			return ' '
		case white || to < utf8.RuneSelf && r >= utf8.RuneSelf || lowercase && r == dot:
			return -1
		}
		return to
	}, uncased)
}

// scanChars returns nextChar for many tokens at once.
func (f *family) scanChars(c *cursor, doc []byte) int {
	const slowest = 4 // tokens of nextChar in a row
	n, room := 0, f.tokens[:len(f.tokens)-slowest]
	for n+kernels.CharBlock < len(room) {
		if c.pos == len(doc) {
			if c.last != ' ' && c.last != noChar {
				f.tokens[n] = f.single[' ']
				n++
				c.space, c.last = false, ' '
			}
			return n
		}
		if c.space && f.begins(doc[c.pos:]) {
			f.tokens[n] = f.single[' ']
			n++
			c.space, c.last = false, ' '
		}
		slow := 1
		if !c.space {
			m, size := f.chars.Hash(room[n:], doc[c.pos:], c.last == ' ')
			n += m
			c.pos += size
			if size > 0 {
				c.last = f.lastChar(doc[:c.pos])
			} else {
				slow = slowest // as more may follow that is left to nextChar
			}
		}
		for ; slow > 0; slow-- {
			token := f.nextChar(c, doc)
			switch len(token) {
			case 0:
				return n
			case 1:
				f.tokens[n] = f.single[token[0]]
			default:
				f.tokens[n] = f.keys.token(token)
			}
			n++
		}
	}
	return n
}

// begins reports whether a text begins with a character that is not white space, or seems to be one.
func (f *family) begins(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if k := f.ascii[text[0]]; k != byteBeyond {
		return k != byteWhite && k != byteTag
	}
	r, size := utf8.DecodeRune(text)
	return !invalid(r, size) && f.plane.classOf(r) != white
}

// lastChar returns the character of which the last one of a hashed text makes a token, if that is ASCII.
func (f *family) lastChar(text []byte) rune {
	switch b := text[len(text)-1]; f.ascii[b] {
	case byteWhite:
		return ' '
	case byteBeyond:
		return utf8.RuneError
	default:
		return rune(f.lowerByte(b))
	}
}

// nextChar returns the char tokenizer by its definition.
func (f *family) nextChar(c *cursor, doc []byte) []byte {
	c.begin = c.pos
	for c.pos < len(doc) {
		i := c.pos
		if f.ascii[doc[i]] == byteTag {
			if end := c.tagEnd(doc, i); end > i {
				c.pos, c.space = end, c.last != ' '
				continue
			}
		}
		r, size := utf8.DecodeRune(doc[i:])
		if invalid(r, size) {
			f.invalid++
			c.pos, c.space = i+size, c.last != ' '
			continue
		}
		if f.plane.classOf(r) == white {
			c.pos, c.space = i+size, c.last != ' '
			continue
		}
		if c.space {
			// The space first, then r in the next call.
			c.space, c.last = false, ' '
			return f.char(' ')
		}
		c.begin, c.pos = i, i+size
		r = f.lower(r)
		if r == dot && c.last == 'i' && f.options.Lowercase {
			continue
		}
		c.last = r
		return f.char(r)
	}
	if c.last == ' ' || c.last == noChar {
		return nil // all is out, or there is nothing but white space
	}
	c.space, c.last = false, ' '
	return f.char(' ')
}

func (f *family) char(r rune) []byte {
	f.normal = utf8.AppendRune(f.normal[:0], r)
	return f.normal
}
