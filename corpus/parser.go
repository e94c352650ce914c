package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

// parser is the memory of one call of Append. Documents keep views of it, so it is never
// used for another call.
type parser struct {
	file   *file
	labels [][]byte // of all documents, one after the other
	kept   []Value  // of all documents, likewise
	arena  []byte   // room for text that is not in the file as it is
	arenas []*buffer

	// Of JSON lines: the paths of text, label, weight and the fields to keep, and their values in the record at hand.
	paths  []string
	values [][]byte
}

// arenaSize saves allocations for documents that are smaller than this, half of it at most each. Arenas are used again
// when the chunk is released.
const arenaSize = 128 << 10

// room returns an empty slice with a capacity of n bytes.
func (p *parser) room(n int) []byte {
	if n > arenaSize/2 {
		return make([]byte, 0, n)
	}
	if cap(p.arena)-len(p.arena) < n {
		memory := newBuffer(p.file.arenas, arenaSize, true)
		p.arena, p.arenas = memory.room[:0], append(p.arenas, memory)
	}
	start := len(p.arena)
	p.arena = p.arena[:start+n]
	return p.arena[start : start : start+n]
}

// field sets the labels of a document from a label field: one label, or several
// joined by the separator.
func (p *parser) field(d *Document, field, record []byte) error {
	start := len(p.labels)
	if sep := p.file.o.LabelSep; sep != "" {
		if err := p.split(field, sep); err != nil {
			return err
		}
	} else if len(bytes.Trim(field, blanks)) > 0 {
		p.labels = append(p.labels, field)
	}
	return p.finish(d, start, record)
}

// split appends the labels that a field joins by sep.
func (p *parser) split(field []byte, sep string) error {
	if !p.file.o.Unlabelled && doubt.IsWrittenList(field, sep) {
		return &fault{
			reason: wrongLabel, what: "a list of labels that was written as text", near: field,
			hint: doubt.ListRemedy,
		}
	}
	for more := true; more; {
		var label []byte
		label, field, more = bytes.Cut(field, unsafe.Slice(unsafe.StringData(sep), len(sep)))
		if label = bytes.Trim(label, blanks); len(label) > 0 {
			p.labels = append(p.labels, label)
		}
	}
	return nil
}

// finish gives a document the labels from start on, each once; having none must be allowed. Whatever the format, labels
// come by here.
func (p *parser) finish(d *Document, start int, record []byte) error {
	if p.file.raters > 0 {
		if err := p.votes(d); err != nil {
			return err
		}
	}
	end := len(p.labels)
	unlabelled := p.file.o.Unlabelled
	if start == end {
		if unlabelled || p.file.o.LabelSep != "" && !p.file.o.Numbers {
			return nil
		}
		of := p.file.o.fieldName(labelField)
		return &fault{reason: noLabel, what: "no " + of, near: record, hint: noneHints[of]}
	}
	if p.file.o.Numbers && !unlabelled {
		numbers := p.labels[start:end:end]
		mean, err := p.file.o.mean(numbers, d.Shares)
		if d.Shares == nil && len(numbers) > 1 {
			d.Ratings = numbers
		}
		p.labels = append(p.labels, mean)
		d.Labels, d.Shares = p.labels[end:end+1:end+1], nil
		return err
	}
	d.Labels = p.labels[start:end:end]
	for _, label := range d.Labels {
		if !unlabelled && !utf8.Valid(label) { // JSON could not name it
			return &fault{
				reason: wrongLabel, what: "a label is not valid UTF-8", near: label,
				hint: "if the file has another encoding, convert it first, iconv -f ENCODING -t UTF-8",
			}
		}
	}
	switch {
	case p.file.raters > 0:
		d.count(d.Labels)
		return nil
	case d.Shares != nil:
		if len(d.Labels) == 1 {
			d.Shares = nil
		}
		return nil
	case !unlabelled && doubt.IsVector(d.Labels):
		return &fault{
			reason: wrongLabel, what: "a vector with a number for each class (multi-hot) where labels belong",
			near: bytes.Join(d.Labels[:min(len(d.Labels), 32)], []byte{' '}), hint: vectorHint,
		}
	}
	d.Labels = distinct(d.Labels)
	return nil
}

// mostNumber is the largest magnitude of a label that is a number: sums of squares are then finite.
const mostNumber = 1e30

// mean returns the mean of numbers, by shares unless these are nil, in the shortest spelling that stands for it.
func (o *Input) mean(numbers [][]byte, shares []float64) ([]byte, error) {
	least, most, remedy := o.Range[0], o.Range[1], "correct it, or give another Options.Range"
	if o.Range == [2]float64{} {
		least, most, remedy = -mostNumber, mostNumber, "correct it, name another field with Input.Numbers, or train a model that takes names of classes"
	}
	var sum float64
	for k, number := range numbers {
		trimmed := bytes.Trim(number, blanks)
		// ParseFloat keeps nothing of its argument unless it fails.
		x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(trimmed), len(trimmed)), 64)
		if err != nil || !(x >= least && x <= most) || bytes.ContainsAny(number, "_xX") {
			return nil, &fault{
				reason: wrongLabel, what: fmt.Sprintf("a target must be a number from %g to %g", least, most),
				near: number, hint: remedy,
			}
		}
		if shares != nil {
			x = float64(x * shares[k])
		}
		sum += x
	}
	if shares == nil {
		sum /= float64(len(numbers))
	}
	if sum == 0 {
		sum = 0 // not -0
	}
	var room [32]byte
	if text := strconv.AppendFloat(room[:0], sum, 'g', -1, 64); !bytes.Equal(text, numbers[0]) {
		return bytes.Clone(text), nil
	}
	return numbers[0], nil
}

// fewLabels are so few that each is compared with all others.
const fewLabels = 16

// distinct leaves out labels that repeat one before them. The labels given stay as they are.
func distinct(labels [][]byte) [][]byte {
	if len(labels) < 2 {
		return labels
	}
	var seen map[string]bool
	if len(labels) > fewLabels {
		seen = make(map[string]bool, len(labels))
	}
	var all [][]byte // from the first repeated one on
	for i, label := range labels {
		repeated := seen[string(label)]
		if seen == nil {
			repeated = slices.ContainsFunc(labels[:i], func(other []byte) bool { return bytes.Equal(other, label) })
		} else {
			seen[string(label)] = true
		}
		switch {
		case repeated && all == nil:
			all = slices.Clone(labels[:i])
		case !repeated && all != nil:
			all = append(all, label)
		}
	}
	if all == nil {
		return labels
	}
	return all
}

// weight sets a document's weight.
func (p *parser) weight(d *Document, field []byte) error {
	// ParseFloat keeps nothing of its argument unless it fails.
	w, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(field), len(field)), 32)
	weight := float32(w)
	if err != nil || bytes.IndexByte(field, '_') >= 0 ||
		!(weight == 0 || weight >= LeastWeight && weight <= MostWeight) {
		return &fault{
			reason: wrongWeight, what: fmt.Sprintf("a weight must be 0, or from %g to %g", LeastWeight, MostWeight),
			near: field,
		}
	}
	d.Weight = weight
	return nil
}

// number gives numeric labels one spelling, so that +1, 1 and 1.0 are the same
// class. Anything else stays as it is, and so do whole numbers as they are usually
// written, or too long for a float64.
func (p *parser) number(label []byte) []byte {
	if digits := bytes.TrimPrefix(label, []byte("-")); len(digits) > 0 && (digits[0] != '0' || len(label) == 1) &&
		!slices.ContainsFunc(digits, func(c byte) bool { return c < '0' || c > '9' }) {
		return label
	}
	if len(label) == 0 || !doubt.Numeric(label, "") || len(label) > 16 && len(bytes.Trim(label, "0123456789+-")) == 0 {
		return label
	}
	v, err := strconv.ParseFloat(string(label), 64)
	if err != nil {
		return label
	}
	if v == 0 {
		v = 0 // not -0
	}
	return strconv.AppendFloat(p.room(24), v, 'g', -1, 64)
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

// onlyBlanks tells records of nothing else.
func onlyBlanks(record []byte) bool { return len(bytes.Trim(record, blanks)) == 0 }
