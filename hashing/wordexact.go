package hashing

import "unicode/utf8"

// nextWord returns the word tokenizer by its definition, code point by code point.
func (f *family) nextWord(c *cursor, doc []byte) []byte {
	i := c.pos
	for i < len(doc) {
		b := doc[i]
		if b < utf8.RuneSelf {
			switch f.ascii[b] {
			case byteLetter:
				return f.finishWord(c, doc, i)
			case bytePunct:
				c.begin, c.pos = i, i+1
				f.normal = append(f.normal[:0], b)
				return f.normal
			case byteTag:
				i = max(i+1, c.tagEnd(doc, i))
			default:
				i++
			}
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		switch f.plane.classOf(r) {
		case letter:
			return f.finishWord(c, doc, i)
		case alone:
			f.normal = utf8.AppendRune(f.normal[:0], f.lower(r))
			c.begin, c.pos = i, i+size
			f.appendMarks(c, doc)
			return f.normal
		case punct:
			if f.options.Punctuation {
				c.begin, c.pos = i, i+size
				f.normal = utf8.AppendRune(f.normal[:0], punctuation[r])
				return f.normal
			}
		case separator:
			if invalid(r, size) {
				f.invalid++
			}
		}
		i += size
	}
	c.pos = i
	return nil
}

// finishWord returns the word that begins with the letter at i.
func (f *family) finishWord(c *cursor, doc []byte, i int) []byte {
	p, buf := f.plane, f.normal[:0]
	c.begin = i
	for i < len(doc) {
		if b := doc[i]; b < utf8.RuneSelf && f.ascii[b] == byteLetter {
			buf = append(buf, f.lowerByte(b))
			i++
			continue
		}
		r, size := utf8.DecodeRune(doc[i:])
		switch p.classOf(r) {
		case letter:
			buf = utf8.AppendRune(buf, f.lower(r))
			i += size
			continue
		case mark:
			if !f.isDot(r, buf) {
				buf = utf8.AppendRune(buf, f.lower(r))
			}
			i += size
			continue
		case apostrophe:
			if next, _ := utf8.DecodeRune(doc[i+size:]); p.classOf(next) == letter {
				buf = append(buf, '\'')
				i += size
				continue
			}
		}
		break
	}
	c.pos, f.normal = i, buf
	return buf
}

// appendMarks adds the marks at c.pos to the token.
func (f *family) appendMarks(c *cursor, doc []byte) {
	for c.pos < len(doc) && doc[c.pos] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(doc[c.pos:])
		if f.plane.classOf(r) != mark {
			return
		}
		f.normal = utf8.AppendRune(f.normal, f.lower(r))
		c.pos += size
	}
}

// isDot reports whether r is the dot over an i, which is dropped.
func (f *family) isDot(r rune, before []byte) bool {
	return r == dot && f.options.Lowercase && len(before) > 0 && before[len(before)-1] == 'i'
}

func (f *family) lower(r rune) rune {
	if f.options.Lowercase {
		return f.plane.foldOf(r)
	}
	return r
}
