package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Rows make the rows of score's output formats: "label<TAB>score", repeated for several classes, or with commas;
// objects; "__label__label score" as of fastText's predict-prob, and without scores as of its predict; and rows of a
// Parquet file, for package parquetfile.
var Rows = map[string]func(c *nbsvm.Classifier, show Shown) nbsvm.Render{
	"tsv":             tableRows(TSVLabel, '\t'),
	"csv":             tableRows(csvField, ','),
	"jsonl":           jsonRows,
	"fasttext":        fastTextRows(true),
	"fasttext-labels": fastTextRows(false),
	Parquet:           FileRow,
}

// Shown says which classes a row has.
type Shown struct {
	Label []int   // these, if any
	Top   int     // else so many, best first; 0 for those predicted
	Least float64 // no score below

	ID   bool     // a row begins with the record's id
	Keep []string // and these fields

	Columns int // of classes in every row of a table, as a header names them; 0 for as many as a row has
}

// SetColumns has the rows of a table be of one length.
func (s *Shown) SetColumns(c *nbsvm.Classifier) error {
	switch {
	case s.Label != nil:
		s.Columns = len(s.Label)
	case s.Top > 0:
		s.Columns = min(s.Top, len(c.Labels()))
	case c.MultiLabel():
		return errors.New("the model predicts any number of labels, and rows under a header have a fixed number of columns: give --top K, --label LABEL or --all-scores, or use --output-format jsonl")
	default:
		s.Columns = 1
	}
	return nil
}

// Header returns the row above those of a table. Two columns of one name are an error.
func (s *Shown) Header(format, id string) ([]byte, error) {
	write, blank := TSVLabel, byte('\t')
	if format == "csv" {
		write, blank = csvField, ','
	}
	names := slices.Clone(s.Keep)
	if s.ID {
		names = append([]string{id}, names...)
	}
	for i := range s.Columns {
		end := ""
		if s.Columns > 1 {
			end = "_" + strconv.Itoa(i+1)
		}
		label := "predicted"
		if s.Label != nil {
			label = "label"
		}
		names = append(names, label+end, "score"+end)
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
func (s *Shown) kept() int {
	if s.ID {
		return 1 + len(s.Keep)
	}
	return len(s.Keep)
}

// of lists the classes to show of a prediction.
func (s *Shown) of(c *nbsvm.Classifier, p *nbsvm.Prediction) []int {
	classes := p.Labels
	switch {
	case s.Label != nil:
		classes = s.Label
	case s.Top > 0:
		return inside.Classifier(c).Best((*score.Prediction)(p), s.Top, s.Least)
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
func tableRows(write func(field string) string, blank byte) func(*nbsvm.Classifier, Shown) nbsvm.Render {
	return textRows(write, blank, true, allDigits)
}

// fastTextRows returns labels as fastText writes them, with the prefix that the model's have there.
func fastTextRows(scores bool) func(*nbsvm.Classifier, Shown) nbsvm.Render {
	return func(c *nbsvm.Classifier, show Shown) nbsvm.Render {
		prefix := inside.Classifier(c).LabelPrefix()
		digits := allDigits
		if inside.Classifier(c).FastText() != nil {
			digits = 6 // as it prints them
		}
		return textRows(func(label string) string { return fastTextLabel(prefix, label) }, ' ', scores, digits)(c, show)
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
func textRows(
	write func(label string) string, blank byte, scores bool, digits int,
) func(*nbsvm.Classifier, Shown) nbsvm.Render {
	return func(c *nbsvm.Classifier, show Shown) nbsvm.Render {
		labels := written(c, write)
		kept := show.kept()
		return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
			dst = appendColumns(dst, d.Kept, kept, write, blank)
			start, n := len(dst), 0
			if p != nil {
				for _, k := range show.of(c, p) {
					if n++; n > 1 {
						dst = append(dst, blank)
					}
					dst = append(dst, labels[k]...)
					if scores {
						dst = strconv.AppendFloat(append(dst, blank), p.Scores[k], 'g', digits, 64)
					}
				}
			}
			for ; n < show.Columns; n++ {
				if n > 0 {
					dst = append(dst, blank)
				}
				dst = append(dst, blank)
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
func jsonFields(show Shown) func(dst []byte, kept []corpus.Value) []byte {
	names := make([][]byte, len(show.Keep))
	for i, name := range show.Keep {
		names[i] = append(display.AppendJSON(nil, name), ':')
	}
	none := make([]corpus.Value, show.kept()) // of a blank record
	return func(dst []byte, kept []corpus.Value) []byte {
		if len(kept) == 0 {
			kept = none
		}
		if show.ID {
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

// jsonRows returns {"labels":[…],"probabilities":{…}}, with "margins" where there are
// no probabilities, "id" and "fields" in front where they are asked for, and {"error":"…"}
// for a bad record, perhaps with its id.
func jsonRows(c *nbsvm.Classifier, show Shown) nbsvm.Render {
	fields, members := jsonFields(show), Members(c)
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p == nil {
			dst = append(dst, '{')
			if show.ID && len(d.Kept) > 0 {
				dst = append(appendJSONValue(append(dst, `"id":`...), d.Kept[0]), ',')
			}
			dst = append(dst, `"error":`...)
			dst = display.AppendJSON(dst, facts.Plain(withoutLine(d.Err).Error()))
			return append(dst, "}\n"...)
		}
		dst = members(fields(append(dst, '{'), d.Kept), p, show.of(c, p))
		return append(dst, "}\n"...)
	}
}

// Members returns what writes the members of a prediction's object in JSON: "labels":[…],"probabilities":{…}, or
// "margins":{…}, which are of these classes.
func Members(c *nbsvm.Classifier) func(dst []byte, p *nbsvm.Prediction, classes []int) []byte {
	labels, scores := written(c, jsonLabel), `],"margins":{`
	if c.Probabilities() {
		scores = `],"probabilities":{`
	}
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
func FileRow(c *nbsvm.Classifier, show Shown) nbsvm.Render {
	labels := c.Labels()
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		row := parquetfile.Row{Number: d.Line, Scored: p != nil}
		if p != nil {
			for _, k := range show.of(c, p) {
				row.Labels, row.Scores = append(row.Labels, labels[k]), append(row.Scores, p.Scores[k])
			}
		}
		return row.Append(dst)
	}
}

// Lists reports whether a row may have several classes.
func (s *Shown) Lists(c *nbsvm.Classifier) bool {
	return s.Label == nil && (s.Top > 0 || c.MultiLabel())
}
