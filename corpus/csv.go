package corpus

import (
	"bytes"
	"slices"
)

// CSV is RFC 4180: a header, commas, double quotes, line breaks in quotes. There is no
// header if all the fields needed are given by number. A quote in the middle of a field
// without quotes is data.
const CSV Format = "csv"

var csvFormat = format{
	name: CSV, extensions: []string{".csv"}, shape: "comma-separated columns under a header", fields: true,
	sniff:   csvHeader,
	open:    openText,
	parse:   (*parser).csv,
	columns: csvColumns,
	quoted:  true,
}

// csvHeader tells whether a line is a CSV header that has the fields needed.
func csvHeader(line []byte, o *Options) bool {
	c := csvColumns(o)
	return bytes.IndexByte(line, ',') >= 0 && c.header && c.resolve(line, o) == nil
}

func csvColumns(o *Options) *columns {
	needed := o.TextField == "" || o.LabelField == "" && !o.Unlabelled
	return &columns{header: needed || o.fieldsNamed(), otherwise: [fieldCount]int{1, -1, -1}, split: splitCSV}
}

// splitCSV is all columns of a record; false for broken quotes.
func splitCSV(record []byte) (all [][]byte, ok bool) {
	for i := 0; ; {
		f, ok := csvFieldAt(record, i)
		if !ok {
			return nil, false
		}
		if f.escaped {
			f.value = bytes.ReplaceAll(f.value, []byte(`""`), []byte(`"`))
		}
		all = append(all, f.value)
		if f.end == len(record) {
			return all, true
		}
		i = f.end + 1
	}
}

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
