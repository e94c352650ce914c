package corpus

import (
	"bytes"
	"strings"
)

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

// fastTextBlanks are between words, as fastText has it.
const fastTextBlanks = " \t\v\f\r\x00"

// fastTextLabel reports whether a line begins with a label.
func fastTextLabel(line []byte, _ *Input) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, fastTextBlanks), fastTextPrefix)
}

// fastText returns a record of fastText: labels, then text.
func (p *parser) fastText(d *Document, record []byte) error {
	start := len(p.labels)
	rest := bytes.TrimLeft(record, fastTextBlanks)
	for bytes.HasPrefix(rest, fastTextPrefix) {
		label := rest
		if end := bytes.IndexAny(rest, fastTextBlanks); end >= 0 {
			label = rest[:end:end]
		}
		rest = bytes.TrimLeft(rest[len(label):], fastTextBlanks)
		if len(label) == len(fastTextPrefix) {
			return &fault{
				reason: wrongLabel, what: "__label__ without a label", near: record,
				hint: "give the label a name, or remove __label__",
			}
		}
		p.labels = append(p.labels, label[len(fastTextPrefix):])
	}
	switch o := p.file.o; {
	case o.Unlabelled:
	case labelWithin(rest):
		return &fault{reason: wrongLabel, what: "labels behind words", near: record, hint: labelsFirst}
	case o.LabelSep == "" && len(p.labels) == start:
		return &fault{reason: noLabel, err: errPassedOver, near: record}
	}
	d.Text = rest
	return p.finish(d, start, record)
}

// labelWithin reports whether some word of a text behind the first is a label.
func labelWithin(text []byte) bool {
	for {
		i := bytes.Index(text, fastTextPrefix)
		if i < 0 {
			return false
		}
		if i > 0 && strings.IndexByte(fastTextBlanks, text[i-1]) >= 0 {
			return true
		}
		text = text[i+len(fastTextPrefix):]
	}
}
