package hashing

import "bytes"

// maxTag is the length up to which something in angle brackets is taken for a tag.
const maxTag = 1024

// tagEnd is the end of the tag that begins with the < at i, or i if none does.
func (c *cursor) tagEnd(doc []byte, i int) int {
	if i+1 >= len(doc) {
		return i
	}
	if b := doc[i+1]; b|0x20 < 'a' || b|0x20 > 'z' {
		if b != '/' && b != '!' {
			return i
		}
	}
	limit := min(i+maxTag, len(doc))
	// Many < without a > must not be searched for it over and over.
	from := max(i+2, c.noTag)
	if from >= limit {
		return i
	}
	k := bytes.IndexByte(doc[from:limit], '>')
	if k < 0 {
		c.noTag = limit
		return i
	}
	return from + k + 1
}
