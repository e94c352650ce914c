package corpus

import (
	"bytes"
	"slices"
)

// csv is a record of CSV.
func (p *parser) csv(d *Document, record []byte) error {
	c := p.file.columns
	var fields [fieldCount][]byte
	for i, n := 0, 0; ; n++ {
		f, ok := csvFieldAt(record, i)
		if !ok {
			return &fault{what: "text behind a closing quote", near: record[i:]}
		}
		if f.escaped && c.wanted(n) {
			f.value = p.unquote(f.value)
		}
		c.take(&fields, n, f.value)
		if f.end == len(record) {
			return p.columns(d, &fields, n+1, record)
		}
		i = f.end + 1
	}
}

// unquote halves doubled quotes.
func (p *parser) unquote(value []byte) []byte {
	dst := p.room(len(value))
	for {
		q := bytes.IndexByte(value, '"')
		if q < 0 {
			dst = append(dst, value...)
			return slices.Clip(dst)
		}
		dst = append(dst, value[:q+1]...)
		value = value[q+2:]
	}
}
