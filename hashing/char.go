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
		if !c.space {
			if m := e.scanBeyond(c, doc, n); m > n {
				n = m
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

// scanBeyond adds the characters of two and three bytes that come next to the n tokens there are. It ends before what
// takes more thought: white space, other lengths, what is not UTF-8, and the last bytes of a document.
func (e *Extractor) scanBeyond(c *cursor, doc []byte, n int) int {
	i, last, classes, folds := c.pos, uint32(c.last), &e.plane.class, &e.plane.fold
	for n < len(e.tokens) && i+3 <= len(doc) {
		x := uint32(doc[i]) | uint32(doc[i+1])<<8 | uint32(doc[i+2])<<16
		size, r := 3, x<<12&0xf000|x>>2&0xfc0|x>>16&0x3f
		if x&0xc0c0f0 != 0x8080e0 || r < 0x800 || r&0xf800 == 0xd800 {
			if x&0xc0e0 != 0x80c0 || x&0x1e == 0 {
				break
			}
			size, r, x = 2, x<<6&0x7c0|x>>8&0x3f, x&0xffff
		}
		length := size // of the token
		if small := uint32(folds[r]); small != r && e.options.Lowercase {
			if small < utf8.RuneSelf {
				break
			}
			r, length, x = small, 3, 0xe0|small>>12|(0x80|small>>6&0x3f)<<8|(0x80|small&0x3f)<<16
			if small < 0x800 {
				length, x = 2, 0xc0|small>>6|(0x80|small&0x3f)<<8
			}
		}
		if classes[r] == white || r == dot {
			break
		}
		e.tokens[n] = e.keys.short(uint64(x), 0, length)
		last = r
		n++
		i += size
	}
	c.pos, c.last = i, rune(last)
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
