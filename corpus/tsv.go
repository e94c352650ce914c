package corpus

import "bytes"

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
