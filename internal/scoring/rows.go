package scoring

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Rows make the rows of score's output formats: "label<TAB>score", repeated for several classes, or with commas;
// objects; "__label__label score" as of fastText's predict-prob, and without scores as of its predict; and rows of a
// Parquet file, for package parquetfile.
var Rows = map[string]func(row *Row) nbsvm.Render{
	"tsv":             tableRows(TSVLabel, '\t'),
	"csv":             tableRows(csvField, ','),
	"jsonl":           jsonRows,
	"fasttext":        fastTextRows(true),
	"fasttext-labels": fastTextRows(false),
	"dolma":           dolmaRows,
	Parquet:           tableRow,
}

// Row says what a row has.
type Row struct {
	ID   bool     // it begins with the record's id
	Keep []string // and these fields

	Of    []Shown // then classes of each model
	Fixed bool    // as many in every row of a table

	combined bool // the scores are combined of those of parts
}

// Shown says which classes of a model a row has.
type Shown struct {
	Model
	Label []int   // these, if any
	Top   int     // else so many, best first; 0 for those predicted
	Least float64 // no score below
}

// columns returns how many classes a row has if all have as many; 0 if they do not.
func (s *Shown) columns() int {
	switch {
	case s.Label != nil:
		return len(s.Label)
	case s.Top > 0:
		return min(s.Top, len(s.Labels()))
	case s.MultiLabel():
		return 0
	}
	return 1
}

// ofRecords returns what is added to records, whatever rows beside them have.
func (r *Row) ofRecords() *Row {
	row := Row{Of: slices.Clone(r.Of)}
	for i := range row.Of {
		row.Of[i].Top, row.Of[i].Least = 0, math.Inf(-1)
	}
	return &row
}

// needs returns the classes whose scores a row has, beside those of the predicted ones; nil if it may have all.
func (s *Shown) needs() []int {
	if s.Top > 0 {
		return nil
	}
	return append([]int{}, s.Label...)
}

// check returns an error if rows can't have a fixed number of columns.
func (r *Row) check() error {
	for i := range r.Of {
		if r.Of[i].columns() == 0 {
			which, rows := "model", "rows under a header"
			if r.Of[i].Name != "" {
				which, rows = "model "+r.Of[i].Name, "rows of several models"
			}
			return fmt.Errorf("the %s predicts any number of labels, and %s have a fixed number of columns: give --top K, --label LABEL or --all-scores, or use --output-format jsonl",
				which, rows)
		}
	}
	return nil
}

// Header returns the row above those of a table. Two columns of one name are an error.
func (r *Row) Header(format, id string) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	write, blank := TSVLabel, byte('\t')
	if format == "csv" {
		write, blank = csvField, ','
	}
	names := slices.Clone(r.Keep)
	if r.ID {
		names = append([]string{id}, names...)
	}
	for i := range r.Of {
		s := &r.Of[i]
		label, columns := s.prefix()+"predicted", s.columns()
		if s.Label != nil {
			label = s.prefix() + "label"
		}
		for k := range columns {
			end := ""
			if columns > 1 {
				end = "_" + strconv.Itoa(k+1)
			}
			names = append(names, label+end, s.prefix()+"score"+end)
		}
	}
	var row []byte
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the header would have two columns %s: leave the field out, or use --output-format jsonl, which keeps fields apart", display.Excerpt(name))
		}
		row = append(append(row, write(name)...), blank)
	}
	row[len(row)-1] = '\n'
	return row, nil
}

// kept returns how many fields of records a row has.
func (r *Row) kept() int {
	if r.ID {
		return 1 + len(r.Keep)
	}
	return len(r.Keep)
}

// of lists the classes to show of a document's prediction by a model.
func (r *Row) of(model int, p []nbsvm.Prediction) []int {
	s, q := &r.Of[model], &p[model]
	if r.combined && s.Label == nil && s.Top > 0 {
		return byScores{inside.Classifier(s.Classifier)}.Best((*score.Prediction)(q), s.Top, s.Least)
	}
	return s.of(q)
}

// byScores is a classifier whose predictions are combined of those of parts. Scores order their classes: margins, which
// are combined by themselves, may order them in another way.
type byScores struct{ *score.Classifier }

func (c byScores) Best(p *score.Prediction, n int, least float64) []int {
	return c.Classifier.Best(&score.Prediction{Labels: p.Labels, Scores: p.Scores}, n, least)
}

// of lists the classes to show of a prediction.
func (s *Shown) of(p *nbsvm.Prediction) []int {
	classes := p.Labels
	switch {
	case s.Label != nil:
		classes = s.Label
	case s.Top > 0:
		return inside.Classifier(s.Classifier).Best((*score.Prediction)(p), s.Top, s.Least)
	}
	low := func(k int) bool { return p.Scores[k] < s.Least }
	if slices.ContainsFunc(classes, low) {
		classes = slices.DeleteFunc(slices.Clone(classes), low)
	}
	return classes
}

// written returns a model's labels in an output format.
func written(c *nbsvm.Classifier, write func(string) string) []string {
	labels := make([]string, len(c.Labels()))
	for k, label := range c.Labels() {
		labels[k] = write(label)
	}
	return labels
}

// TSVLabel writes a label so that it can't end a field or a row, and can be read
// back.
var TSVLabel = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`).Replace

// csvField writes a field of CSV, in quotes where that is needed.
func csvField(field string) string {
	if !strings.ContainsAny(field, ",\"\r\n") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}

// tableRows returns labels and their scores in columns.
func tableRows(write func(field string) string, blank byte) func(*Row) nbsvm.Render {
	return textRows(write, blank, true, allDigits)
}

// fastTextRows returns labels as fastText writes them, with the prefix that the model's have there.
func fastTextRows(scores bool) func(*Row) nbsvm.Render {
	return func(row *Row) nbsvm.Render {
		c := inside.Classifier(row.Of[0].Classifier)
		prefix, digits := c.LabelPrefix(), allDigits
		if c.FastText() != nil {
			digits = 6 // as it prints them
		}
		return textRows(func(label string) string { return fastTextLabel(prefix, label) }, ' ', scores, digits)(row)
	}
}

// fastTextLabel writes a label so that it ends where the next blank is: fastText
// splits at ASCII white space and NUL, and knows no quoting.
func fastTextLabel(prefix, label string) string {
	return prefix + strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\v', '\f', '\r', 0:
			return '_'
		}
		return r
	}, label)
}

// textRows returns labels with their scores, or without, which a blank separates; the row of no class is empty, or
// a tab alone where that is the blank.
func textRows(write func(label string) string, blank byte, scores bool, digits int) func(*Row) nbsvm.Render {
	return func(row *Row) nbsvm.Render {
		labels, columns, kept := make([][]string, len(row.Of)), make([]int, len(row.Of)), row.kept()
		for i := range row.Of {
			if labels[i] = written(row.Of[i].Classifier, write); row.Fixed {
				columns[i] = row.Of[i].columns()
			}
		}
		return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
			dst = appendColumns(dst, d.Kept, kept, write, blank)
			start := len(dst)
			for i := range row.Of {
				n := 0
				if i > 0 {
					dst = append(dst, blank)
				}
				if p != nil {
					for _, k := range row.of(i, p) {
						if n++; n > 1 {
							dst = append(dst, blank)
						}
						dst = append(dst, labels[i][k]...)
						if scores {
							dst = strconv.AppendFloat(append(dst, blank), p[i].Scores[k], 'g', digits, 64)
						}
					}
				}
				for ; n < columns[i]; n++ {
					if n > 0 {
						dst = append(dst, blank)
					}
					dst = append(dst, blank)
				}
			}
			if len(dst) == start && blank == '\t' {
				dst = append(dst, blank)
			}
			return append(dst, '\n')
		}
	}
}

// appendColumns writes fields of a record as columns, as labels are written, with a blank behind each. Bad records have
// an id at most, and blank ones none.
func appendColumns(dst []byte, kept []corpus.Value, n int, write func(string) string, blank byte) []byte {
	for i := range n {
		if i < len(kept) {
			start := len(dst)
			dst = kept[i].AppendText(dst)
			if bytes.ContainsAny(dst[start:], "\t\n\r\\,\"") {
				dst = append(dst[:start], write(string(dst[start:]))...)
			}
		}
		dst = append(dst, blank)
	}
	return dst
}

// appendJSONValue writes a field of a record as JSON.
func appendJSONValue(dst []byte, v corpus.Value) []byte {
	raw, is := v.JSON()
	switch {
	case !is:
		return display.AppendJSON(dst, string(raw))
	case !utf8.Valid(raw):
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	return append(dst, raw...)
}

// jsonFields returns what writes the members "id" and "fields" of a row, each with a comma behind.
func jsonFields(row *Row) func(dst []byte, kept []corpus.Value) []byte {
	names := make([][]byte, len(row.Keep))
	for i, name := range row.Keep {
		names[i] = append(display.AppendJSON(nil, name), ':')
	}
	none := make([]corpus.Value, row.kept()) // of a blank record
	return func(dst []byte, kept []corpus.Value) []byte {
		if len(kept) == 0 {
			kept = none
		}
		if row.ID {
			dst = append(appendJSONValue(append(dst, `"id":`...), kept[0]), ',')
			kept = kept[1:]
		}
		if len(names) == 0 {
			return dst
		}
		dst = append(dst, `"fields":{`...)
		for i, name := range names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONValue(append(dst, name...), kept[i])
		}
		return append(dst, "},"...)
	}
}

// jsonRows returns {"labels":[…],"probabilities":{…}}, with "margins" where there are no probabilities, "id" and
// "fields" in front where they are asked for, and {"error":"…"} for a bad record, perhaps with its id. Of several models
// there is such an object of each, as a member with its name.
func jsonRows(row *Row) nbsvm.Render {
	fields := jsonFields(row)
	members := make([]func([]byte, *nbsvm.Prediction, []int) []byte, len(row.Of))
	levels := make([]func([]byte, *nbsvm.Prediction) []byte, len(row.Of))
	for i := range row.Of {
		members[i], levels[i] = Members(row.Of[i].Classifier), levelsMember(row.Of[i].Classifier)
	}
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		dst = append(dst, '{')
		if p == nil {
			if row.ID && len(d.Kept) > 0 {
				dst = append(appendJSONValue(append(dst, `"id":`...), d.Kept[0]), ',')
			}
			dst = append(dst, `"error":`...)
			dst = display.AppendJSON(dst, facts.Plain(withoutLine(d.Err).Error()))
			return append(dst, "}\n"...)
		}
		dst = fields(dst, d.Kept)
		for i := range row.Of {
			show := &row.Of[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			if show.Name != "" {
				dst = append(display.AppendJSON(dst, show.Name), ":{"...)
			}
			if dst = members[i](dst, &p[i], row.of(i, p)); row.combined {
				dst = append(dst, `,"parts":[`...)
				dst = append(append(dst, p[i].Parts[min(1, len(p[i].Parts)):]...), ']') // behind the first comma
			} else if levels[i] != nil && show.Top > 0 {
				dst = levels[i](dst, &p[i])
			}
			if show.Name != "" {
				dst = append(dst, '}')
			}
		}
		return append(dst, "}\n"...)
	}
}

// dolmaRows returns attributes as Dolma's mixer reads them: {"id":…,"attributes":{"NAME__LABEL":[[start,end,score]]}},
// each over the whole text or a part, in characters. A bad record has none.
func dolmaRows(row *Row) nbsvm.Render {
	names := make([][]string, len(row.Of))
	for i := range row.Of {
		names[i] = written(row.Of[i].Classifier, func(label string) string {
			return jsonLabel(cmp.Or(row.Of[i].Name, "nbsvm") + "__" + label)
		})
	}
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		dst = append(dst, `{"id":`...)
		if len(d.Kept) > 0 {
			dst = appendJSONValue(dst, d.Kept[0])
		} else {
			dst = append(dst, "null"...)
		}
		dst = append(dst, `,"attributes":{`...)
		end, first := utf8.RuneCount(d.Text), len(dst)
		for i := range p {
			spans := spansOf(p[i].Parts)
			if p[i].Parts == nil {
				for _, k := range row.of(i, p) {
					spans = append(spans, labelSpan{k, 0, end, p[i].Scores[k]})
				}
			}
			for n, s := range spans {
				switch {
				case n > 0 && s.class == spans[n-1].class:
					dst = append(dst, ',')
				case len(dst) > first:
					dst = append(dst, "],"...)
					fallthrough
				default:
					dst = append(append(dst, names[i][s.class]...), ":["...)
				}
				dst = strconv.AppendInt(append(dst, '['), int64(s.begin), 10)
				dst = strconv.AppendInt(append(dst, ','), int64(s.end), 10)
				dst = append(appendScore(append(dst, ','), s.score), ']')
			}
		}
		if len(dst) > first {
			dst = append(dst, ']')
		}
		return append(dst, "}}\n"...)
	}
}

// labelSpan is a score of a class for a part of a text.
type labelSpan struct {
	class, begin, end int // in characters
	score             float64
}

// partRows make what rows have of parts: of jsonl an object as of a document, with its place, behind a comma; of dolma
// its spans, as spansOf reads them.
var partRows = map[string]func(row *Row) func(dst []byte, model int, at hashing.Span, p *nbsvm.Prediction) []byte{
	"jsonl": func(row *Row) func([]byte, int, hashing.Span, *nbsvm.Prediction) []byte {
		var members []func([]byte, *nbsvm.Prediction, []int) []byte
		for i := range row.Of {
			members = append(members, Members(row.Of[i].Classifier))
		}
		return func(dst []byte, model int, at hashing.Span, p *nbsvm.Prediction) []byte {
			dst = strconv.AppendInt(append(dst, `,{"start":`...), int64(at.Begin), 10)
			dst = strconv.AppendInt(append(dst, `,"end":`...), int64(at.End), 10)
			return append(members[model](append(dst, ','), p, row.Of[model].of(p)), '}')
		}
	},
	"dolma": func(row *Row) func([]byte, int, hashing.Span, *nbsvm.Prediction) []byte {
		return func(dst []byte, model int, at hashing.Span, p *nbsvm.Prediction) []byte {
			for _, k := range row.Of[model].of(p) {
				for _, number := range []int{k, at.Begin, at.End} {
					dst = binary.AppendUvarint(dst, uint64(number))
				}
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(p.Scores[k]))
			}
			return dst
		}
	},
}

// spansOf returns the spans of all parts of a text, those of a class together.
func spansOf(parts []byte) (spans []labelSpan) {
	for len(parts) > 0 {
		var numbers [3]int
		for i := range numbers {
			number, size := binary.Uvarint(parts)
			numbers[i], parts = int(number), parts[size:]
		}
		score := math.Float64frombits(binary.LittleEndian.Uint64(parts))
		parts = parts[8:]
		spans = append(spans, labelSpan{numbers[0], numbers[1], numbers[2], score})
	}
	slices.SortStableFunc(spans, func(a, b labelSpan) int { return cmp.Compare(a.class, b.class) })
	return spans
}

// Scale returns what the scores of a model are: "probabilities", "margins" or, of numbers, "scores".
func Scale(c *nbsvm.Classifier) string {
	switch {
	case c.Numbers():
		return "scores"
	case c.Probabilities():
		return "probabilities"
	}
	return "margins"
}

// Members returns what writes the members of a prediction's object in JSON: "labels":[…],"probabilities":{…}, or another
// Scale for this, which are of these classes.
func Members(c *nbsvm.Classifier) func(dst []byte, p *nbsvm.Prediction, classes []int) []byte {
	labels, scores := written(c, jsonLabel), `],"`+Scale(c)+`":{`
	return func(dst []byte, p *nbsvm.Prediction, classes []int) []byte {
		dst = append(dst, `"labels":[`...)
		for i, k := range p.Labels {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, labels[k]...)
		}
		return append(appendScores(append(dst, scores...), labels, classes, p.Scores), '}')
	}
}

// levelsMember returns what writes a further member, with the probabilities of the levels of a model: ,"levels":{…}. It
// is nil for models without.
func levelsMember(c *nbsvm.Classifier) func(dst []byte, p *nbsvm.Prediction) []byte {
	var labels []string
	var all []int
	for k, x := range c.Levels() {
		labels, all = append(labels, jsonLabel(strconv.FormatFloat(x, 'g', -1, 64))), append(all, k)
	}
	if all == nil {
		return nil
	}
	return func(dst []byte, p *nbsvm.Prediction) []byte {
		dst = append(dst, `,"levels":{`...)
		return append(appendScores(dst, labels, all, c.AppendLevels(nil, p)), '}')
	}
}

// withoutLine returns a record's error without its line: rows tell the byte.
func withoutLine(err error) error {
	if record, ok := errors.AsType[*corpus.RecordError](err); ok {
		err = &corpus.RecordError{Path: record.Path, Offset: record.Offset, Err: record.Err}
	}
	return err
}

// appendScores writes the members of an object of scores by label.
func appendScores(dst []byte, labels []string, classes []int, scores []float64) []byte {
	for i, k := range classes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, labels[k]...)
		dst = append(dst, ':')
		dst = appendScore(dst, scores[k])
	}
	return dst
}

func jsonLabel(label string) string { return string(display.AppendJSON(nil, label)) }

// allDigits are as many as tell a score from any other, so that a threshold taken from an output keeps what is listed
// from there on.
const allDigits = -1

func appendScore(dst []byte, score float64) []byte {
	return strconv.AppendFloat(dst, score, 'g', allDigits, 64)
}

// Parquet is the name of rows in a Parquet file.
const Parquet = string(corpus.Parquet)

// FileRow returns a row of a Parquet file that is to be written, with its classes and their scores, as package
// parquetfile has it. A bad record's has none.
func FileRow(row *Row) nbsvm.Render {
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		of := fileRow(row, d, p)
		return of.Append(dst)
	}
}

func fileRow(row *Row, d *corpus.Document, p []nbsvm.Prediction) parquetfile.Row {
	file := parquetfile.Row{Number: d.Line, Of: make([]parquetfile.Scored, len(row.Of))}
	for i := range p {
		show, of := &row.Of[i], &file.Of[i]
		of.There = true
		for _, k := range row.of(i, p) {
			of.Labels, of.Scores = append(of.Labels, show.Labels()[k]), append(of.Scores, p[i].Scores[k])
		}
	}
	return file
}

// Lists reports whether a row may have several classes of the model.
func (s *Shown) Lists() bool {
	return s.Label == nil && (s.Top > 0 || s.MultiLabel())
}
