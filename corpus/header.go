package corpus

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
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
)

// longestName is how many bytes the name of a column has at most.
const longestName = 40

// namesColumns reports whether the fields of a first record name the columns: a text and a label, or nothing but what
// columns are known to be. text and label are the columns that hold these; -1 for none.
func namesColumns(fields []string) (text, label int, is bool) {
	text, label = -1, -1
	known := 0
	for i, field := range fields {
		if len(field) > longestName {
			return text, label, false
		}
		name := strings.ToLower(strings.TrimSpace(strings.Trim(field, `"`)))
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
	}
	return text, label, text >= 0 && (label >= 0 || known == len(fields))
}

// headerNote notes that a first line is used as a header.
func (f *file) headerNote(first []byte) {
	f.note("its first line, %s, names the columns, and is no record (Input.Header false if it is one)",
		display.Excerpt(first))
}

// plainHeader looks for a header in a file of label<TAB>text. One that says label<TAB>text in its own words is
// taken. Others are refused: the columns are not where records of this format have them.
func (t *text) plainHeader(p *peeker) error {
	f := t.file
	fields := strings.Split(string(p.first), "\t")
	text, label, is := namesColumns(fields)
	switch {
	case !is || len(fields) < 2:
		return nil
	case len(fields) == 2 && text == 1 && (label == 0 || f.o.Unlabelled):
		t.takeHeader(p, len(p.line))
		f.headerNote(p.first)
		return nil
	}
	return p.refuse("begins with the names of its columns, which are not label and text alone: say which to take with Input.LabelField and Input.TextField, or Input.Header false if the line is a record")
}

// takeHeader makes the first record, of n bytes with its terminator, the header.
func (t *text) takeHeader(p *peeker, n int) {
	c := t.cut
	n += p.begin
	record := c.buf[c.start+p.begin : c.start+n]
	name := trimEOL(record)
	t.file.header = append(bytes.Clone(name), t.file.eol(record[len(name):])...)
	c.advance(n, bytes.Count(c.buf[c.start:c.start+n], lineFeed))
	c.restart()
}
