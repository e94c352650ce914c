package corpus

import "bytes"

// TSV is label<TAB>text, without quotes. If fields are named, the first line is a header
// and every line has as many columns; if they are numbered, columns count from 1.
const TSV Format = "tsv"

var tsvFormat = format{
	name: TSV, extensions: []string{".tsv"}, shape: "label<TAB>text", fields: true,
	sniff: func(record []byte, _ *Options) bool { return bytes.IndexByte(record, '\t') >= 0 },
	open:  openText,
	parse: (*parser).tsv,
	plausible: func(line []byte, o *Options) bool {
		return o.Unlabelled || bytes.IndexByte(line, '\t') >= 0
	},
	columns: func(o *Options) *columns {
		if !o.fieldsGiven() {
			return nil
		}
		split := func(record []byte) ([][]byte, bool) { return bytes.Split(record, []byte{'\t'}), true }
		return &columns{header: o.fieldsNamed(), otherwise: [fieldCount]int{1, 0, -1}, split: split}
	},
}

// tsv is a record of TSV: label and text, or columns.
func (p *parser) tsv(d *Document, record []byte) error {
	if p.file.columns != nil {
		return p.tsvColumns(d, record)
	}
	tab := bytes.IndexByte(record, '\t')
	if tab < 0 {
		if p.file.o.Unlabelled {
			d.Text = record
			return nil
		}
		return &fault{what: "no tab between label and text", near: record}
	}
	d.Text = record[tab+1:]
	return p.field(d, record[:tab:tab], record)
}

// tsvColumns is a record of TSV whose fields are named or numbered.
func (p *parser) tsvColumns(d *Document, record []byte) error {
	c := p.file.columns
	var fields [fieldCount][]byte
	n := 0
	for i := 0; i <= len(record); n++ {
		end := len(record)
		if tab := bytes.IndexByte(record[i:], '\t'); tab >= 0 {
			end = i + tab
		}
		c.take(&fields, n, record[i:end:end])
		i = end + 1
	}
	return p.columns(d, &fields, n, record)
}
