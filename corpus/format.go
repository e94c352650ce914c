package corpus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Format is the format of a file. The zero value is Auto.
type Format string

// Auto finds the format of each file by its name, or else by its first lines.
const Auto Format = ""

// formats are all formats but Auto. A file whose name says nothing is of the first that its
// first record looks like.
var formats = []*format{
	&jsonlFormat, &fastTextFormat, &svmlightFormat, &tsvFormat, &csvFormat, &parquetFormat, &linesFormat, &warcFormat,
}

// format is what the package has to know of a Format. The first fields and open are for
// every format. The others are for formats of text, which are opened by openText: their
// files are cut behind the ends of records, and the pieces are parsed apart.
type format struct {
	name       Format
	extensions []string // of file names, in lower case
	shape      string   // what a record looks like, for messages
	fields     bool     // of a document have names or numbers
	ownText    bool     // is no field
	noLabels   bool     // are in such a file

	// sniff tells whether a file that begins with a record, which is not blank, is of the
	// format; nil if it never is.
	sniff func(record []byte, o *Input) bool
	// open begins to read a file, whose first bytes were looked at already.
	open func(r *Reader, p *peeker) (contents, error)

	// parse fills in a document from a record that is not empty. Its errors say nothing of
	// where the record stands.
	parse func(p *parser, d *Document, record []byte) error
	// plausible tells whether a line can be a record at all. Files of which no early line
	// can are refused; a lesser fault is a bad record. If nil, any line can.
	plausible func(line []byte, o *Input) bool
	// cutOff tells whether a last record without a line end is only the beginning of one, which makes the file a
	// damaged one. It is nil if that can't be told, as of text up to the end of a line.
	cutOff func(record []byte) bool
	// empty tells records that hold nothing, by comment or white space. If nil, records of
	// spaces are empty where labels are needed.
	empty func(record []byte) bool
	// columns says where records have their fields; nil if not by column.
	columns    func(o *Input) *columns
	delimiters string // that may be between columns
	quoted     bool   // fields in quotes may hold line breaks
}

// find returns the format of the name, nil for Auto and where there is none.
func (f Format) find() *format {
	for _, format := range formats {
		if format.name == f {
			return format
		}
	}
	return nil
}

// Formats returns the names of the formats, as Format.UnmarshalText reads them. Without unlabelled, it leaves out those
// that have no labels.
func Formats(unlabelled bool) []string {
	return append([]string{"auto"}, names(func(f *format) bool { return unlabelled || !f.noLabels })...)
}

func names(of func(*format) bool) (names []string) {
	for _, f := range formats {
		if of(f) {
			names = append(names, string(f.name))
		}
	}
	return names
}

// String returns the name of the format, "auto" for Auto.
func (f Format) String() string {
	if f == Auto {
		return "auto"
	}
	return string(f)
}

// UnmarshalText reads a name as String writes it.
func (f *Format) UnmarshalText(text []byte) error {
	named := Format(text)
	if named == "auto" {
		named = Auto
	}
	if err := named.validate(); err != nil {
		return err
	}
	*f = named
	return nil
}

func (f Format) validate() error {
	if f != Auto && f.find() == nil {
		return fmt.Errorf("corpus: unknown format %s: use one of %s",
			display.Excerpt(string(f)), strings.Join(Formats(true), ", "))
	}
	return nil
}

// formatByName returns what a file's name says; nil if it says nothing. Text files with labels
// come in every format, so .txt means lines only where labels are not needed.
func formatByName(path string, unlabelled bool) *format {
	extension := strings.ToLower(filepath.Ext(osfile.TrimCompression(filepath.Base(path))))
	for _, f := range formats {
		if slices.Contains(f.extensions, extension) && (unlabelled || !f.noLabels) {
			return f
		}
	}
	return nil
}

// FormatOfName returns the format that the name of a file tells; Auto if it tells none.
func FormatOfName(path string) Format {
	if f := formatByName(path, true); f != nil {
		return f.name
	}
	return Auto
}

// needsFirst reports whether a file's first record says where the fields are.
func (f *format) needsFirst(o *Input) bool { return f.columns != nil && f.columns(o) != nil }
