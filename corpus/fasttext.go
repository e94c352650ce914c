package corpus

import "bytes"

// FastText is __label__x __label__y text. A line may begin with several labels. [BadRecords] skips lines without one if
// labels are needed.
const FastText Format = "fasttext"

var fastTextFormat = format{
	name:       FastText,
	extensions: []string{".ft", ".fasttext"},
	shape:      "__label__x text",
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
			return &fault{reason: WrongLabel, what: "__label__ without a label", near: record}
		}
		p.labels = append(p.labels, label[len(fastTextPrefix):])
	}
	switch o := p.file.o; {
	case o.Unlabelled:
	case labelWithin(rest):
		return &fault{reason: WrongLabel, what: "labels behind words", near: record, hint: labelsFirst}
	case o.LabelSep == "" && len(p.labels) == start:
		return &fault{reason: NoLabel, err: errPassedOver, near: record}
	}
	d.Text = rest
	return p.finish(d, start, record)
}

// labelWithin tells whether some word of a text behind the first is a label.
func labelWithin(text []byte) bool {
	for {
		i := bytes.Index(text, fastTextPrefix)
		if i < 0 {
			return false
		}
		if i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
			return true
		}
		text = text[i+len(fastTextPrefix):]
	}
}
