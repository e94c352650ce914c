package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Names that columns have in files of documents, in lower case.
var (
	textNames = strings.Fields(`text texts content contents body sentence sentences review reviews review_text reviewtext
		review_body comment comments comment_text message messages document doc title headline description question
		question_text query tweet utterance abstract summary sms phrase email post article v2`)
	labelNames = strings.Fields(`label labels class classes category categories target targets sentiment topic topics tag
		tags intent rating stars star_rating score polarity language lang genre emotion spam is_spam toxic
		label_text label_name class_name class_index airline_sentiment v1`)
	otherNames = append(strings.Fields("id ids idx index uid guid doc_id docid text_id date time author user source url split"), "", "unnamed: 0")
	sureLabels = strings.Fields("label labels class category target") // which hardly name a class
)

var tabs = []byte{'\t'}

// fewToCompare is how many other records it takes for a label's absence from them to mean something.
const fewToCompare = 10

// labelRepeats is how often each label occurs at least, on average, where what stands before a tab is a label.
const labelRepeats = 2

// nameOf is a field as the name of a column: without case, outer space and quotes.
func nameOf(field []byte) string {
	if len(field) > 40 {
		return "-"
	}
	return strings.ToLower(strings.TrimSpace(strings.Trim(string(field), `"`)))
}

// isWord tells what may name a column, or anything else that is one word.
func isWord(field []byte) bool {
	const parts = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."`
	return len(field) > 0 && len(field) <= 40 && len(bytes.Trim(field, parts)) == 0
}

// namesColumns tells whether the fields of a first record name the columns, and which of them hold text and label; -1
// for none. These are names of a text and a label, or of a text and only of such as files have. The text's name alone
// will do, or a sure one of the label, if the first record's label is that of no other record: others are the labels of
// these, if they are known, and column is where. They are asked for only if they matter.
func namesColumns(fields [][]byte, column int, others func() [][]byte) (text, label int, is bool) {
	text, label = -1, -1
	known, long := 0, false
	for i, field := range fields {
		name := nameOf(field)
		switch {
		case slices.Contains(textNames, name):
			known++
			if text < 0 {
				text = i
			}
		case slices.Contains(labelNames, name):
			known++
			if label < 0 {
				label = i
			}
		case slices.Contains(otherNames, name):
			known++
		}
		long = long || len(field) > 40
	}
	switch {
	case long:
		return text, label, false
	case text >= 0 && (label >= 0 || known == len(fields)):
		return text, label, true
	}
	if len(fields) != 2 || column < 0 || column > 1 || !isWord(fields[0]) || !isWord(fields[1]) ||
		text != 1-column && !slices.Contains(sureLabels, nameOf(fields[column])) {
		return text, label, false
	}
	if labels := others(); len(labels) < fewToCompare ||
		slices.ContainsFunc(labels, func(other []byte) bool { return bytes.Equal(other, fields[column]) }) {
		return text, label, false
	}
	return 1 - column, column, true
}

// plainHeader looks for a header in a file of label<TAB>text. One that says label<TAB>text in its own words is
// taken. Others are refused: the columns are not where records of this format have them.
func (t *text) plainHeader(p *peeker) error {
	f := t.file
	fields := bytes.Split(bytes.Clone(p.first), tabs)
	if len(fields) < 2 {
		return nil
	}
	text, label, is := namesColumns(fields, 0, func() (labels [][]byte) {
		if f.o.Unlabelled {
			return nil
		}
		for _, line := range p.others() {
			label, _, _ := bytes.Cut(line, tabs)
			labels = append(labels, label)
		}
		return labels
	})
	switch {
	case !is:
		return nil
	case len(fields) == 2 && text == 1 && (label == 0 || f.o.Unlabelled):
		t.takeHeader(p, len(p.line))
		f.note("its first line, %s, names the columns, and is no record (--no-header if it is one)", wording.Excerpt(p.first))
		return nil
	}
	flags := ""
	for k, column := range [2]int{text, label} {
		if column >= 0 {
			flags += fmt.Sprintf(" --%s-field %s", fieldNames[k], shellWord(string(bytes.Trim(fields[column], `"`))))
		}
	}
	return p.refuse("begins with the names of its columns, which are not label and text alone: say which to take," + flags + ", or --no-header if the line is a record")
}

// numberedHeader tells whether the first record of a file with numbered columns names them.
func (f *file) numberedHeader(record []byte, p *peeker) bool {
	c := f.columns
	column := c.at[labelField]
	text, _, is := namesColumns(c.split(record), column, func() (labels [][]byte) {
		if f.o.Unlabelled {
			return nil
		}
		for _, line := range p.others() {
			if fields := c.split(line); column < len(fields) {
				labels = append(labels, fields[column])
			}
		}
		return labels
	})
	return is && text >= 0
}

// split is a record's fields as they stand; what there is of them, if quotes are broken.
func (c *columns) split(record []byte) (fields [][]byte) {
	for i := 0; i <= len(record); {
		f, ok := c.fieldAt(record, i, c.delimiter)
		if !ok {
			break
		}
		fields = append(fields, f.value)
		i = f.end + 1
	}
	return fields
}

// takeHeader makes the first record, of n bytes with its terminator, the header.
func (t *text) takeHeader(p *peeker, n int) {
	c := t.cut
	at := c.start + p.begin
	record := c.buf[at : at+n]
	name := trimEOL(record)
	t.file.header = append(bytes.Clone(name), t.file.eol(record[len(name):])...)
	t.pass(p.begin + n)
}

// pass leaves n bytes behind, which are whole lines.
func (t *text) pass(n int) {
	c := t.cut
	lines := c.buf[c.start : c.start+n]
	if t.file.doubt != nil {
		t.file.doubt.addAll(lines)
	}
	c.advance(n, bytes.Count(lines, lineFeed))
	c.restart()
}

// shellWord is a word as it is given to a shell.
func shellWord(word string) string {
	if isWord([]byte(word)) && !strings.Contains(word, `"`) {
		return word
	}
	return "'" + strings.ReplaceAll(strings.ToValidUTF8(word, "?"), "'", `'\''`) + "'"
}
