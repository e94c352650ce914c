package corpus

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

// VW is the text format of Vowpal Wabbit: label weight 'tag |namespace feature feature:value |… The text of a document
// begins with the first bar. Package hashing has a tokenizer for it.
const VW Format = "vw"

var vwFormat = format{
	name: VW, extensions: []string{".vw"}, shape: "label |namespace feature feature:value",
	sniff:     func(record []byte, _ *Input) bool { return vwLine.Match(record) },
	open:      openText,
	parse:     (*parser).vw,
	plausible: func(line []byte, _ *Input) bool { return bytes.IndexByte(line, '|') >= 0 },
	empty:     onlyBlanks,
}

// vw returns a record of Vowpal Wabbit: what stands in front of the first bar, then features, which are the document's
// text.
func (p *parser) vw(d *Document, record []byte) error {
	start := len(p.labels)
	bar := bytes.IndexByte(record, '|')
	if bar < 0 {
		return &fault{
			reason: wrongFeatures, what: "no | in front of the features, as in: 1 |text some words",
			near: record,
		}
	}
	label, weight, err := p.vwHead(record[:bar])
	if err == nil {
		err = vwFeatures(record[bar:])
	}
	if err != nil {
		return err
	}
	if len(weight) > 0 && !p.file.o.Unlabelled {
		if err := p.weight(d, weight); err != nil {
			return err
		}
	}
	d.Text = record[bar:]
	if sep := p.file.o.LabelSep; sep != "" {
		if err := p.split(label, sep); err != nil {
			return err
		}
	} else if len(label) > 0 {
		p.labels = append(p.labels, label)
	}
	for i := start; i < len(p.labels); i++ {
		p.labels[i] = p.number(p.labels[i])
	}
	return p.finish(d, start, record)
}

// vwHead takes apart what stands in front of the first bar: label, weight, and a tag, which begins with a quote or
// touches the bar.
func (p *parser) vwHead(head []byte) (label, weight []byte, err error) {
	o := p.file.o
	touches := len(head) > 0 && head[len(head)-1] != ' '
	fields := vwFields(head)
	if n := len(fields); n > 0 && (touches || fields[n-1][0] == '\'') {
		fields = fields[:n-1]
	}
	bad := bytes.IndexByte(head, '\t') >= 0 // Vowpal Wabbit passes over all before it
	if len(fields) > 0 {
		label = fields[0]
	}
	if !o.Unlabelled { // else nobody needs it
		bad = bad || len(fields) > 2 || bytes.IndexByte(label, ':') >= 0 || string(label) == "shared" &&
			len(fields) == 1 ||
			o.LabelSep == "" && (bytes.IndexByte(label, ',') >= 0 || len(label) == 0 && touches)
		if len(fields) > 1 {
			weight = fields[1]
		}
	}
	if bad {
		err = &fault{reason: noLabel, what: "no label, weight and tag in front of |", near: head, hint: vwHead}
	}
	return label, weight, err
}

func vwFields(head []byte) [][]byte {
	return bytes.FieldsFunc(head, func(c rune) bool { return c == ' ' })
}

// vwFeatures looks for what is wrong with features and namespaces: either may have a value.
func vwFeatures(text []byte) error {
	for len(text) > 0 {
		end := bytes.IndexAny(text, "| \t")
		if end < 0 {
			end = len(text)
		}
		field := text[:end]
		text = text[min(end+1, len(text)):]
		if name, value, valued := bytes.Cut(field, []byte{':'}); valued && (len(name) == 0 || !vwNumber(value)) {
			return &fault{reason: wrongFeatures, what: "no value of a feature", near: field, hint: "a name stands in front of : and a finite number within float32 behind it; write another character for : in names"}
		}
	}
	return nil
}

// vwNumber tells a finite decimal number.
func vwNumber(text []byte) bool {
	if len(text) == 1 {
		return text[0] >= '0' && text[0] <= '9'
	}
	if !doubt.Numeric(text, "") {
		return false
	}
	// ParseFloat keeps nothing of its argument unless it fails.
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 32)
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// vwLine is a record that is Vowpal Wabbit's beyond doubt: a number as label, perhaps a weight and a tag in quotes, and
// a bar that a namespace's name touches; no tabs.
var vwLine = regexp.MustCompile(`^ *[-+.\deE]*\d[-+.\deE]*( +[-+.\deE]*\d[-+.\deE]*)?( +| +'[^|\t]*)\|[^\x00- |:][^\t]*$`)
