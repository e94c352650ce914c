package corpus

import "bytes"

var fastTextPrefix = []byte("__label__")

// fastText is a record of fastText: labels, then text.
func (p *parser) fastText(d *Document, record []byte) error {
	start := len(p.labels)
	rest := trimBlanks(record)
	for bytes.HasPrefix(rest, fastTextPrefix) {
		end := bytes.IndexAny(rest, " \t")
		if end < 0 {
			end = len(rest)
		}
		label := rest[len(fastTextPrefix):end:end]
		if len(label) == 0 {
			return &fault{what: "__label__ without a label", near: record}
		}
		p.labels = append(p.labels, label)
		rest = trimBlanks(rest[end:])
	}
	d.Text = rest
	return p.finish(d, start, record)
}

// blanks separate fields; other white space is data.
const blanks = " \t\r"

// trimBlanks takes leading blanks away.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}
