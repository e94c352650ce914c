package hashing

import "unicode/utf8"

// nextWord is the word tokenizer by its definition, code point by code point.
func (e *Extractor) nextWord(c *cursor, doc []byte) []byte {
	i := c.pos
	for i < len(doc) {
		b := doc[i]
		if b < utf8.RuneSelf {
			switch e.ascii[b] {
			case byteLetter:
				return e.finishWord(c, doc, i)
			case bytePunct:
				c.pos = i + 1
				e.normal = append(e.normal[:0], b)
				return e.normal
			case byteTag:
				i = max(i+1, c.tagEnd(doc, i))
			default:
				i++
			}
			continue
		}
		r, size := decode(doc[i:])
		switch e.plane.classOf(r) {
		case letter:
			return e.finishWord(c, doc, i)
		case alone:
			e.normal = utf8.AppendRune(e.normal[:0], e.lower(r))
			c.pos = i + size
			e.appendMarks(c, doc)
			return e.normal
		case punct:
			if e.options.Punctuation {
				c.pos = i + size
				e.normal = utf8.AppendRune(e.normal[:0], punctuation[r])
				return e.normal
			}
		case separator:
			if invalid(r, size) {
				e.invalid++
			}
		}
		i += size
	}
	c.pos = i
	return nil
}

// finishWord is the word that begins with the letter at i.
func (e *Extractor) finishWord(c *cursor, doc []byte, i int) []byte {
	p, buf := e.plane, e.normal[:0]
	for i < len(doc) {
		if b := doc[i]; b < utf8.RuneSelf && e.ascii[b] == byteLetter {
			buf = append(buf, e.lowerByte(b))
			i++
			continue
		}
		r, size := decode(doc[i:])
		switch p.classOf(r) {
		case letter:
			buf = utf8.AppendRune(buf, e.lower(r))
			i += size
			continue
		case mark:
			if !e.isDot(r, buf) {
				buf = utf8.AppendRune(buf, e.lower(r))
			}
			i += size
			continue
		case apostrophe:
			if next, _ := decode(doc[i+size:]); p.classOf(next) == letter {
				buf = append(buf, '\'')
				i += size
				continue
			}
		}
		break
	}
	c.pos, e.normal = i, buf
	return buf
}

// appendMarks adds the marks at c.pos to the token.
func (e *Extractor) appendMarks(c *cursor, doc []byte) {
	for c.pos < len(doc) && doc[c.pos] >= utf8.RuneSelf {
		r, size := decode(doc[c.pos:])
		if e.plane.classOf(r) != mark {
			return
		}
		e.normal = utf8.AppendRune(e.normal, e.lower(r))
		c.pos += size
	}
}

// isDot says whether r is the dot over an i, which is dropped.
func (e *Extractor) isDot(r rune, before []byte) bool {
	return r == dot && e.options.Lowercase && len(before) > 0 && before[len(before)-1] == 'i'
}

func (e *Extractor) lower(r rune) rune {
	if e.options.Lowercase {
		return e.plane.foldOf(r)
	}
	return r
}
