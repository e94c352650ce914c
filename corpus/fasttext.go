package corpus

import "bytes"

// FastText is __label__x __label__y text: every leading label is one. Where labels are needed,
// [BadRecords] passes over lines without one.
const FastText Format = "fasttext"

var fastTextFormat = format{
	name:       FastText,
	extensions: []string{".ft", ".fasttext"},
	shape:      "__label__x text",
	strays:     "labels behind words, which are read as words, since labels stand in front",
	sniff:      fastTextLabel,
	open:       openText,
	parse:      (*parser).fastText,
	plausible: func(line []byte, o *Input) bool {
		return o.Unlabelled || o.LabelSep != "" || fastTextLabel(line, o)
	},
	empty: onlyBlanks,
}

var fastTextPrefix = []byte("__label__")

// fastTextLabel tells whether a line begins with a label.
func fastTextLabel(line []byte, _ *Input) bool {
	return bytes.HasPrefix(trimBlanks(line), fastTextPrefix)
}

// fastText is a record of fastText: labels, then text.
func (p *parser) fastText(d *Document, record []byte) error {
	start := len(p.labels)
	rest := trimBlanks(record)
	for bytes.HasPrefix(rest, fastTextPrefix) {
		var label []byte
		label, rest = cutField(rest)
		if len(label) == len(fastTextPrefix) {
			return &fault{what: "__label__ without a label", near: record}
		}
		p.labels = append(p.labels, label[len(fastTextPrefix):])
	}
	within := labelWithin(rest)
	switch o := p.file.o; {
	case o.Unlabelled || len(p.labels) > start:
	case within:
		return &fault{what: "labels behind words, and none in front", near: record, hint: labelsFirst}
	case o.LabelSep == "":
		return &fault{err: errPassedOver, near: record}
	}
	if within {
		p.file.strays.add(d)
	}
	d.Text = rest
	return p.finish(d, start, record)
}
