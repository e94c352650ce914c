package corpus

import (
	"bytes"
	"regexp"

	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

// SVMLight is label index:value index:value … # comment, with ready-made features. Commas separate several labels.
// qid:N is ignored, and a line that is a comment is not a record.
const SVMLight Format = "svmlight"

var svmlightFormat = format{
	name: SVMLight, extensions: []string{".svm", ".svmlight", ".libsvm"}, shape: "label index:value index:value",
	sniff:     func(record []byte, _ *Input) bool { return svmlightLine.Match(record) },
	open:      openText,
	parse:     (*parser).svmlight,
	plausible: svmlightShape,
	empty:     func(record []byte) bool { return len(withoutComment(record)) == 0 },
}

var qid = []byte("qid:")

// svmlight returns a record of SVMlight: labels joined by commas, then features,
// which are the document's text.
func (p *parser) svmlight(d *Document, record []byte) error {
	start := len(p.labels)
	labels, features := svmlightParts(record)
	if err := p.split(labels, ","); err != nil {
		return err
	}
	for i := start; i < len(p.labels); i++ {
		p.labels[i] = p.number(p.labels[i])
	}
	d.Text = features
	return p.finish(d, start, record)
}

// svmlightParts returns the label field, which may be missing, and the features.
func svmlightParts(record []byte) (labels, features []byte) {
	rest := withoutComment(record)
	if field, behind := cutField(rest); bytes.IndexByte(field, ':') < 0 {
		labels, rest = field, behind
	}
	for bytes.HasPrefix(rest, qid) {
		_, rest = cutField(rest)
	}
	return labels, rest[:len(rest):len(rest)]
}

// withoutComment returns the record without comment and outer blanks.
func withoutComment(record []byte) []byte {
	if i := bytes.IndexByte(record, '#'); i >= 0 {
		record = record[:i]
	}
	return bytes.Trim(record, blanks)
}

// cutField returns the first field and what follows it, blanks skipped.
func cutField(text []byte) (field, behind []byte) {
	end := bytes.IndexAny(text, " \t")
	if end < 0 {
		end = len(text)
	}
	return text[:end:end], trimBlanks(text[end:])
}

// svmlightShape reports whether a record begins as SVMlight does: perhaps a label,
// then a feature, or nothing.
func svmlightShape(record []byte, _ *Input) bool {
	_, rest := svmlightParts(record)
	first, _ := cutField(rest)
	return len(first) == 0 || isFeature(first)
}

// svmlightLine is a record that is SVMlight beyond doubt: numeric labels and features to its end, one at least.
var svmlightLine = regexp.MustCompile(`^[ \t]*[-+.\deE,]+([ \t]+qid:[^ \t]*)*([ \t]+\d+:[-+.\deE]+)+[ \t\r]*(#.*)?$`)

// isFeature tells digits, a colon and what may be a number.
func isFeature(field []byte) bool {
	index, value, ok := bytes.Cut(field, []byte{':'})
	return ok && len(index) > 0 && len(value) > 0 && len(bytes.Trim(index, "0123456789")) == 0 &&
		doubt.Numeric(value, "")
}
