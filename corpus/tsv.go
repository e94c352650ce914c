package corpus

import "bytes"

// TSV is label<TAB>text; quotes are text. If Input names fields, the first line is a header and every line has as many
// columns. If it numbers them, columns count from 1. A first line that names label and text is a header in any case,
// unless Input.Header says otherwise.
const TSV Format = "tsv"

var tsvFormat = format{
	name: TSV, extensions: []string{".tsv"}, shape: "label<TAB>text", fields: true,
	sniff: func(record []byte, _ *Input) bool { return bytes.IndexByte(record, '\t') >= 0 },
	open:  openText,
	parse: (*parser).tsv,
	plausible: func(line []byte, o *Input) bool {
		return o.Unlabelled || bytes.IndexByte(line, '\t') >= 0
	},
	delimiters: "\t",
	columns: func(o *Input) *columns {
		if !o.fieldsGiven() && !o.hasHeader() {
			return nil
		}
		return &columns{header: o.fieldsNamed() || o.hasHeader(), otherwise: [fieldCount]int{1, 0, -1}}
	},
}

// tsv returns a record of TSV: label and text, or columns.
func (p *parser) tsv(d *Document, record []byte) error {
	if p.file.columns != nil {
		return p.columnar(d, record)
	}
	tab := bytes.IndexByte(record, '\t')
	if tab < 0 {
		if p.file.o.Unlabelled {
			d.Text = record
			return nil
		}
		return &fault{reason: wrongColumns, what: "no tab between label and text", near: record, hint: tsvColumns}
	}
	d.Text = record[tab+1:]
	return p.field(d, record[:tab:tab], record)
}
