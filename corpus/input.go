package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// DefaultMaxRecord is the default of Input.MaxRecord, in bytes.
const (
	DefaultMaxRecord = 16 << 20
	maxMaxRecord     = 1 << 30
)

// Input says what to read and how. The zero value reads Stdin, which must then be set. With Paths alone, files are
// labelled documents, and their names or contents tell their formats.
type Input struct {
	// Paths are the files to read, in this order. "-" stands for Stdin, and so does an empty list.
	Paths []string

	// Classes, if not nil, has for each path the label of all documents of that file, whatever label a record has. ""
	// stands for a file whose records have labels. Files with a class need no field of labels, and may be Lines. With
	// LabelSep, and of SVMLight, the text may join several labels. Unlabelled reading ignores Classes.
	Classes []string

	// Stdin is read for the path "-". A reader that is interrupted may leave a read of it waiting; nothing else may
	// read it afterwards.
	Stdin io.Reader

	// Format of all files. The default, Auto, finds the format of each file by its name or content.
	Format Format

	// Files, if not nil, is where paths are opened instead of the operating system: an archive, files in memory, a
	// bucket. A file must not end before the size that it reports, unless that size is negative.
	Files fs.FS

	// TextField, LabelField and WeightField say which fields hold the text, the label and the weight: the name of a
	// column, the number of a column from 1, or the name of a JSON field, in which dots descend into objects. Names of
	// columns that match in no other way may differ in case. The defaults are text, label and no weight; of TSV without
	// a header, the first column is the label and the rest of the line the text.
	//
	// LabelField may list several fields, a,b,c, each of which has the label that one rater gave. Null and empty values
	// are no label. If raters gave different labels, the document has Shares; with Numbers, it has their mean. A column
	// whose name has a comma is given by its number.
	//
	// A label field of JSON may also be an object of labels with their shares, such as {"good": 0.7, "bad": 0.3}.
	TextField, LabelField, WeightField string

	// ID, if not empty, is the field that identifies a record. A record without it is bad. Keep lists further fields,
	// which a record may lack. Document.Kept has the values of ID and Keep. Formats without fields have none.
	ID   string
	Keep []string

	// Header says whether the first record of CSV and TSV names the columns. If nil, the record itself and the given
	// fields decide.
	Header *bool

	// Delimiter separates the columns of CSV. It is an ASCII character other than a quote or a line break. 0 means a
	// comma, or the semicolon, tab or bar that the header has. If it is set, files are CSV.
	Delimiter byte

	// Note, if not nil, is called with what was concluded from the content of a file, such as its format.
	Note func(path, what string)

	// Like describes files that these resemble, such as those that a model was trained on. It gives the format of
	// files whose names do not tell it, and the fields and the label separator that are not set here.
	Like Reading

	// LabelSep, if not empty, separates the labels of a document in its label field. Documents may then have any
	// number of labels; an empty field means none. Blanks around labels are dropped. SVMLight always separates labels
	// by commas; FastText and JSON arrays hold several labels even without LabelSep, but then at least one.
	LabelSep string

	// Numbers says that labels are numbers, such as scores to train a model on that predicts numbers. Each record
	// then has one label, in one spelling: the mean of its numbers, if several raters gave some. A label that is
	// not a finite number from -1e30 to 1e30 is bad.
	Numbers bool

	// Range is the least and the largest number that a label can be, with Numbers. Others are bad. The default, two
	// zeros, stands for -1e30 and 1e30. Training sets it to its own Options.Range.
	Range [2]float64

	// Unlabelled says that labels are not needed, as for scoring: records without one are good, and weights are not
	// read. The format Lines needs it, or Classes.
	Unlabelled bool

	// FieldsOnly says that only fields are read: those of ID and Keep, and the text if TextField is given. Records need
	// no text and no label, and files and records may lack fields of Keep, but a file with a header has one of them.
	// Formats without fields are refused, and blank lines are no records. It implies Unlabelled.
	FieldsOnly bool

	// Headers makes Reader.Next return the header of each file that has one as a chunk of its own, before the other
	// chunks of the file. Files that are not in the format of the first are then refused.
	Headers bool

	// ChunkRecords is how many records a chunk of a text file holds at most; 0 for 8,192.
	ChunkRecords int

	// Documents, if not nil, are read instead of files: from memory, a database, a queue. Their Labels, Text, ID and
	// Weight count; a Weight of 0 stands for 1. Texts are plain, unless Format is SVMLight. Texts and labels are
	// copied, so that their memory may be used again after the yield. An error ends the reading. Training ranges over
	// Documents again if their texts take more than 256 MiB and it needs these once more; they must then be the same.
	// If a document has several labels, the model is one for any number of labels.
	Documents iter.Seq2[Document, error]

	// MaxRecord is the length of the longest good record in bytes, without its line terminator: 1 to 1 GiB. 0 means
	// DefaultMaxRecord, 16 MiB.
	MaxRecord int

	// The fields below are for programs that train on the documents, pack or score them. A [Reader] ignores them.

	// Bad gets the bad records. If nil, the first one is an error.
	Bad *BadRecords

	// ManyClasses allows training on an input that has hardly more documents than classes. Without it such an input is
	// refused, as its columns were probably confused.
	ManyClasses bool

	// RecordReading stores in models and packed corpora how the input was read, so that similar files can be read the
	// same way; see Like.
	RecordReading bool

	class string // of the file at hand, whose records then need no label: Unlabelled is set
}

// With returns the input with other paths. Those that the input has keep their class.
func (in Input) With(paths ...string) Input {
	var classes []string
	if in.Classes != nil {
		classes = make([]string, len(paths))
		for i, path := range paths {
			if k := slices.Index(in.Paths, path); k >= 0 {
				classes[i] = in.Classes[k]
			}
		}
	}
	in.Paths, in.Classes, in.Documents = paths, classes, nil
	return in
}

// ReadsStdin reports whether the input includes Stdin.
func (in Input) ReadsStdin() bool {
	return in.Documents == nil && (len(in.Paths) == 0 || slices.Contains(in.Paths, "-"))
}

// Again returns the input for another reading, which reports neither notes nor bad records again.
func (in Input) Again() Input {
	in.Bad, in.Note = in.Bad.Again(), nil
	return in
}

// Describe names the input for messages.
func (in Input) Describe() string {
	paths := in.Paths
	switch {
	case in.Documents != nil:
		return "memory"
	case len(paths) == 0 || len(paths) == 1 && paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
}

// Validate reports the first field that is out of range or contradicts another.
func (in Input) Validate() error {
	switch format := in.Format.find(); {
	case in.Format.validate() != nil:
		return in.Format.validate()
	case in.Like != Reading{} && in.Like.Validate() != nil:
		return in.Like.Validate()
	case in.checkClasses() != nil:
		return in.checkClasses()
	case format != nil && format.noLabels && in.needsLabels():
		return fmt.Errorf("corpus: format %s has no labels: it is for scoring, and for files whose label Input.Classes gives",
			in.Format)
	case in.MaxRecord < 0 || in.MaxRecord > maxMaxRecord:
		return fmt.Errorf("corpus: the longest record must be 1 to %d bytes, or 0 for %d; got %d",
			maxMaxRecord, DefaultMaxRecord, in.MaxRecord)
	case in.FieldsOnly && in.Documents != nil:
		return errors.New("corpus: documents in memory have no fields to read: leave Input.FieldsOnly out")
	case format != nil && in.checkFields(format) != nil:
		return fmt.Errorf("corpus: %w", in.checkFields(format))
	case in.Header != nil && format != nil && format.columns == nil:
		return fmt.Errorf("corpus: format %s has no columns, so a header does not apply", in.Format)
	case in.Header != nil && !*in.Header && in.fieldsNamed():
		return errors.New("corpus: fields are given by name, but there is no header: give the numbers of columns, from 1")
	case in.Header != nil && !*in.Header && in.Format == CSV &&
		(in.TextField == "" && !in.FieldsOnly || in.LabelField == "" && in.needsLabels()):
		return errors.New("corpus: CSV without a header: say which columns to take, by their numbers: Input.LabelField N and Input.TextField N")
	case in.Delimiter != 0 && in.Format != Auto && in.Format != CSV:
		return fmt.Errorf("corpus: only format csv has a delimiter, not %s: leave Input.Delimiter out, or use Input.Format csv", in.Format)
	case in.Delimiter >= utf8.RuneSelf || in.Delimiter != 0 && strings.IndexByte("\r\n\"", in.Delimiter) >= 0:
		return fmt.Errorf("corpus: the delimiter must be an ASCII character other than a quote or a line break, got %q",
			in.Delimiter)
	case in.TextField != "" && in.TextField == in.LabelField:
		return fmt.Errorf("corpus: field %s is both text and %s: name two fields", display.Excerpt(in.TextField), in.fieldName(labelField))
	case in.LabelSep != "" && in.raters() != nil:
		return fmt.Errorf("corpus: a label separator is for one field of several labels, and Input.LabelField %s lists several fields of one label: leave one of them out",
			display.Excerpt(in.LabelField))
	case slices.Contains(in.raters(), "") || in.raters() != nil && in.fields()[labelField] == "":
		return fmt.Errorf("corpus: Input.LabelField %s has an empty name: separate the names of fields by commas alone",
			display.Excerpt(in.LabelField))
	case strings.ContainsAny(in.LabelSep, "\r\n"):
		return fmt.Errorf("corpus: the label separator must not have a line break, got %s",
			display.Excerpt(in.LabelSep))
	}
	fields := in.fields()
	for _, field := range append(in.keeps(), fields[:]...) {
		if n, err := strconv.Atoi(field); err == nil && (n < 1 || n > maxColumns) && in.Format != JSONL {
			return fmt.Errorf("corpus: a column number must be 1 to %d, got %s", maxColumns, display.Excerpt(field))
		}
	}
	return nil
}

// checkFields refuses fields that are given for files of a format that has none.
func (o *Input) checkFields(f *format) error {
	if f.ownText && o.fields() != [fieldCount]string{} {
		return fmt.Errorf("format %s has a single text and no labels: leave Input.TextField, Input.LabelField and Input.WeightField out", f.name)
	}
	if f.fields || !o.fieldsGiven() && !o.FieldsOnly {
		return nil
	}
	others := strings.Join(names(func(f *format) bool { return f.fields }), ", ")
	if o.FieldsOnly {
		return fmt.Errorf("format %s has no named or numbered fields: give a file in one that has (%s)", f.name, others)
	}
	var given []string
	for _, field := range []struct{ flag, value string }{
		{"Input.TextField", o.TextField},
		{"Input.LabelField", o.LabelField},
		{"Input.WeightField", o.WeightField},
		{"Input.ID", o.ID},
		{"Input.Keep", strings.Join(o.Keep, ",")},
	} {
		if field.value != "" {
			given = append(given, field.flag+" "+display.Excerpt(field.value))
		}
	}
	return fmt.Errorf("format %s has no named or numbered fields: leave out %s, or name a format that has some with Input.Format (%s)",
		f.name, strings.Join(given, ", "), others)
}

// textless reports whether records are read without a text.
func (o *Input) textless() bool { return o.FieldsOnly && o.TextField == "" }

// hasHeader reports whether there is a header by what is given.
func (o *Input) hasHeader() bool { return o.Header != nil && *o.Header }

// format returns what files are of by what is given, nil if that is open.
func (o *Input) format() *format {
	if o.Delimiter != 0 {
		return &csvFormat
	}
	return o.Format.find()
}

func (o *Input) maxRecord() int {
	if o.MaxRecord == 0 {
		return DefaultMaxRecord
	}
	return o.MaxRecord
}
