package hashing

import "unicode/utf8"

// scanChars is nextChar for many tokens at once.
func (e *Extractor) scanChars(c *cursor, doc []byte) int {
	n := 0
	for n+2 <= len(e.tokens) {
		// A run of ASCII. After white space, nextChar looks what comes.
		if i := c.pos; !c.space {
			for i < len(doc) && n < len(e.tokens) {
				b := doc[i]
				if k := e.ascii[b]; k == byteTag || k == byteBeyond {
					break
				} else if k == byteWhite {
					// A single space before a letter or mark is all that most
					// white space is.
					if i+1 >= len(doc) || e.ascii[doc[i+1]] < byteLetter || e.ascii[doc[i+1]] >= byteTag {
						break
					}
					b = ' '
				}
				e.tokens[n] = e.single[b]
				n++
				i++
			}
			if i > c.pos {
				if c.pos, c.last = i, rune(e.lowerByte(doc[i-1])); e.ascii[doc[i-1]] == byteWhite {
					c.last = ' '
				}
				continue
			}
		}
		token := e.nextChar(c, doc)
		if token == nil {
			break
		}
		if len(token) == 1 {
			e.tokens[n] = e.single[token[0]]
		} else {
			e.tokens[n] = e.keys.token(token)
		}
		n++
	}
	return n
}

// nextChar is the char tokenizer by its definition.
func (e *Extractor) nextChar(c *cursor, doc []byte) []byte {
	for c.pos < len(doc) {
		i := c.pos
		if e.ascii[doc[i]] == byteTag {
			if end := c.tagEnd(doc, i); end > i {
				c.pos, c.space = end, true
				continue
			}
		}
		r, size := decode(doc[i:])
		if invalid(r, size) {
			e.invalid++
			c.pos, c.space = i+size, true
			continue
		}
		if e.plane.classOf(r) == white {
			c.pos, c.space = i+size, true
			continue
		}
		if c.space {
			// The space first, then r in the next call.
			c.space, c.last = false, ' '
			return e.char(' ')
		}
		c.pos = i + size
		r = e.lower(r)
		if r == dot && c.last == 'i' && e.options.Lowercase {
			continue
		}
		c.last = r
		return e.char(r)
	}
	if c.last == ' ' || c.ended {
		return nil // nothing but white space, or all is out
	}
	c.ended = true
	return e.char(' ')
}

func (e *Extractor) char(r rune) []byte {
	e.normal = utf8.AppendRune(e.normal[:0], r)
	return e.normal
}
