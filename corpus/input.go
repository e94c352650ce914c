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

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// Lengths of records, in bytes.
const (
	DefaultMaxRecord = 16 << 20
	maxMaxRecord     = 1 << 30
)

// Input names what to read, and says what the files hold. The zero value reads standard input, which it lacks;
// with Paths alone, labelled files, whose format their names or contents tell.
type Input struct {
	// Paths of the files to read, in this order; "-" is Stdin, and no paths at all mean Stdin, too.
	Paths []string

	// Stdin is what "-" stands for; nil for none. A run that fails or is cancelled may leave a read of it waiting:
	// nothing else may read it then.
	Stdin io.Reader

	// Format of all files; default Auto: each file's own, by name or content.
	Format Format

	// Files, if not nil, are where paths are opened, in place of the operating system's: an archive, files in memory,
	// a bucket. A path is what Files takes for a name, which "-" can't be. A file that ends before the size that it was
	// opened with is an error, as it is among the operating system's, unless that size is below 0.
	Files fs.FS

	// Which fields hold what: a header's name or a column's number from 1 (CSV,
	// TSV), or a JSON field's name, in which dots descend. A name that no header
	// has exactly may differ in case. Empty means the default: text, label and no
	// weight in CSV and JSONL; in TSV, unless one of the three is given, the first
	// column is the label and the rest of the line the text.
	TextField, LabelField, WeightField string

	// ID, if not empty, is the field that tells records apart, given like the others. A record
	// without it is bad. Keep are further fields, of which a record may have any. Document.Kept
	// has their values; formats without fields have none.
	ID   string
	Keep []string

	// Header says whether the first record of files with columns names these. If nil, the
	// record itself does, and the fields that are given.
	Header *bool

	// Delimiter is between the columns of CSV; 0 stands for a comma, or what else the
	// header has. Files are CSV if it is given, and no other format is.
	Delimiter byte

	// Note, if not nil, is told what was taken of a file from its content, and not from
	// its name or from options, every time that the file is opened; and what is odd about its
	// records, when the reader is closed.
	Note func(path, what string)

	// Raw, if not nil, is asked for a writer of each file, every time that it is opened, which gets its bytes as they
	// are read: compressed ones as they are. Where Shard enters files in the middle, it does not get all.
	Raw func(path string) io.Writer

	// Like says how files were read that these are like, such as those that a model was trained on.
	// It has the format of files whose names say nothing, or that they are text, the fields of files
	// of its format, and the separator of labels. What is said here goes before.
	Like Reading

	// LabelSep, if not empty, says that documents have any number of labels: the
	// label field holds them joined by it, and an empty field is good and means
	// none. Blanks around a label do not count. SVMLight always has commas, and
	// FastText and JSON arrays hold several labels without it, but not none.
	LabelSep string

	// Unlabelled says that labels are not needed, as in scoring: a record without
	// one is good. Weights are not read. Lines need it.
	Unlabelled bool

	// Headers makes Reader.Next return, in front of a file's other chunks, one that
	// holds its header, if it has one (CSV, TSV with named fields). Records are written to one file then: of
	// several files, those of another format than the first are refused.
	Headers bool

	// OneByOne makes chunks hold one record each.
	OneByOne bool

	// Shard makes a part of the input be read. Of files that it enters in the middle,
	// lines have no numbers.
	Shard Shard

	// Documents, if not nil, are read in place of files. Their Labels, Text and Weight count; a Weight of 0, which
	// Document's zero value has, stands for 1. Of formats, SVMLight and VW say what the texts are. Documents are
	// ranged over several times, and have to be the same every time; their memory must not be written to meanwhile.
	Documents iter.Seq[Document]

	// MaxRecord is the length of the longest good record in bytes, without its
	// line terminator, up to 1 GiB; 0 means DefaultMaxRecord, 16 MiB.
	MaxRecord int

	// What follows is for those who train on the documents, pack or score them; a [Reader] takes no notice of it.

	// Bad is told of bad records; nil fails at the first.
	Bad *BadRecords

	// ManyClasses says that a class may have hardly more than one document. Without it such an input to train on is
	// refused: most come of columns that were mistaken for each other.
	ManyClasses bool

	// Sample takes one in so many of the documents, chosen by their texts; 0 takes all. It is not for packed corpora.
	Sample int

	// RecordReading makes models and packed corpora keep what Input says of format, fields and label separator, so
	// that like files can be read alike: see Like.
	RecordReading bool
}

// With is the same kind of input from other files.
func (in Input) With(paths ...string) Input {
	in.Paths, in.Documents = paths, nil
	return in
}

// ReadsStdin says whether standard input is among what is read.
func (in Input) ReadsStdin() bool {
	return in.Documents == nil && (len(in.Paths) == 0 || slices.Contains(in.Paths, "-"))
}

// Again is the input for reading it once more: what was told of it is not told again.
func (in Input) Again() Input {
	in.Bad, in.Note = in.Bad.Again(), nil
	return in
}

// Describe names an input in messages.
func (in Input) Describe() string {
	paths := in.Paths
	switch {
	case in.Documents != nil:
		return "documents in memory"
	case len(paths) == 0 || len(paths) == 1 && paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
}

// Validate names the first option that is out of range or contradicts another.
func (o Input) Validate() error {
	switch format := o.Format.find(); {
	case o.Format.validate() != nil:
		return o.Format.validate()
	case o.Shard.validate() != nil:
		return o.Shard.validate()
	case o.Like != Reading{} && o.Like.Validate() != nil:
		return o.Like.Validate()
	case format != nil && format.noLabels && !o.Unlabelled:
		return fmt.Errorf("corpus: format %s holds no labels: it is for scoring only", o.Format)
	case o.MaxRecord < 0 || o.MaxRecord > maxMaxRecord:
		return fmt.Errorf("corpus: longest record is %d bytes: must be 1 to %d, or 0 for %d", o.MaxRecord, maxMaxRecord, DefaultMaxRecord)
	case format != nil && !format.fields && o.fieldsGiven():
		return fmt.Errorf("corpus: %w", noFields(format))
	case o.Header != nil && format != nil && format.columns == nil:
		return fmt.Errorf("corpus: format %s has no columns, and so no header that names them", o.Format)
	case o.Header != nil && !*o.Header && o.fieldsNamed():
		return errors.New("corpus: fields are given by name, but there is no header: give the numbers of columns, from 1")
	case o.Header != nil && !*o.Header && o.Format == CSV && (o.TextField == "" || o.LabelField == "" && !o.Unlabelled):
		return errors.New("corpus: CSV without a header: say which columns to take, by their numbers: --label-field N --text-field N")
	case o.Delimiter != 0 && o.Format != Auto && o.Format != CSV:
		return fmt.Errorf("corpus: a delimiter is for format csv, not %s: leave --delimiter out, or take --format csv", o.Format)
	case o.Delimiter >= utf8.RuneSelf || o.Delimiter != 0 && strings.IndexByte("\r\n\"", o.Delimiter) >= 0:
		return fmt.Errorf("corpus: %q can't be between columns: take a character of ASCII, but no quote or line break", o.Delimiter)
	case o.TextField != "" && o.TextField == o.LabelField:
		return fmt.Errorf("corpus: field %s is both text and label: name two fields", wording.Excerpt(o.TextField))
	case strings.ContainsAny(o.LabelSep, "\r\n"):
		return fmt.Errorf("corpus: label separator %s has a line break: take another", wording.Excerpt(o.LabelSep))
	}
	fields := o.fields()
	for _, field := range append(o.keeps(), fields[:]...) {
		if n, err := strconv.Atoi(field); err == nil && (n < 1 || n > maxColumns) && o.Format != JSONL {
			return fmt.Errorf("corpus: column number %s: must be 1 to %d", wording.Excerpt(field), maxColumns)
		}
	}
	return nil
}

func noFields(f *format) error {
	others := strings.Join(names(func(f *format) bool { return f.fields }), ", ")
	return fmt.Errorf("format %s has no named or numbered fields: leave text, label, weight and id field empty, or name the format (%s)", f.name, others)
}

// hasHeader tells whether there is a header by what is given.
func (o *Input) hasHeader() bool { return o.Header != nil && *o.Header }

// format is what files are of by what is given, nil if that is open.
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
