package corpus

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// LeastWeight and MostWeight bound the weights of documents other than 0, so that products with costs neither overflow
// nor vanish.
const (
	LeastWeight = 1e-20
	MostWeight  = 1e+20
)

// Document is one record of a file.
type Document struct {
	// Labels are in the order of the record. There may be none with Input.Unlabelled or Input.LabelSep.
	Labels [][]byte
	// Shares, parallel to Labels, are what part of the document each of several labels has, where only one can hold: what
	// part of the raters gave it, or how probable it is. They add up to 1. Nil where labels hold as they are. A document
	// with shares is trained on as one of each label would be, with that part of its weight.
	Shares []float64
	// Ratings are the numbers of which the label is the mean, with Input.Numbers, if there are several.
	Ratings [][]byte
	// Text is the text, or, of SVMLight, the features.
	Text []byte
	// ID tells a document of Input.Documents from others. Documents of files have it among Kept.
	ID string
	// Kept are the values of Input.ID, if that is set, and of Input.Keep. A blank record has none.
	Kept []Value
	// Weight is 1 unless the record has one: 0, or from LeastWeight to MostWeight.
	Weight float32
	// Record is the record as the file has it, without its line terminator. Of a record longer than Input.MaxRecord, or
	// a damaged one of WARC, it is the first KiB at most.
	Record []byte
	// EOL is the line terminator of the record: LF, CR LF, or nothing at the end of the last file; of WARC CR LF twice.
	EOL string
	// Line is the line or row of the file where the record begins, from 1; 0 if it is unknown.
	Line int64
	// Offset is where the record begins, in bytes of the decompressed file.
	Offset int64
	// Err is nil or a *RecordError. Labels and Text are then empty, and Kept has Input.ID alone, if that could be read.
	Err error
}

// WARCHeader returns the value of a header of a WARC record, by its name in any case; nil if the record has none. is is
// false of bad records and of other formats.
func (d *Document) WARCHeader(name string) (value []byte, is bool) {
	if d.EOL != warcEnd || d.Err != nil {
		return nil, false
	}
	eachField(d.Record, func(given, v []byte) {
		if value == nil && isName(given, name) {
			value = v
		}
	})
	return value, true
}

// Chunk is a run of whole records of one file. Its methods can be called from several goroutines at once, except
// Release.
type Chunk struct {
	file    *file
	header  []byte
	records records // nil of a header
}

// contents are what a format makes of an open file.
type contents interface {
	// next is the next of the file's chunks, or io.EOF, or a *FileError.
	next() (records, error)
}

// records are what a chunk gives documents from. The methods are those of a Chunk.
type records interface {
	append(dst []Document) []Document
	// first is the first documents, of so many bytes if there are as many, and the bytes of the file that they are in,
	// nil if these are no text.
	first(bytes int) (documents []Document, raw []byte)
	size() int64
	release()
}

// Header returns the header of the file with its line terminator. Only the chunks that Input.Headers asks for have a
// header; they hold no records.
func (c *Chunk) Header() []byte { return c.header }

// Path returns the path of the file, or "standard input".
func (c *Chunk) Path() string { return c.file.path }

// Format returns the format of the file.
func (c *Chunk) Format() Format { return c.file.format.name }

// Spoil makes a document of the chunk that of a bad record, because of an error that a program found in its fields.
func (c *Chunk) Spoil(d *Document, err error) {
	c.file.spoil(d, err)
	if b, is := c.records.(*parquetBlock); is {
		d.Err.(*RecordError).RowGroup = b.RowGroup + 1
	}
}

// Fields returns the names of the fields that records of the file have: those of the header, of the columns of Parquet,
// or of the first JSON records, in which dots lead into objects. It returns nil if fields have no names.
func (c *Chunk) Fields() (names []string) {
	switch f := c.file; {
	case c.records == nil:
	case f.columns != nil && f.columns.header:
		names = f.columns.names
	case f.format == &parquetFormat:
		names = c.records.(*parquetBlock).blocks.Fields()
	case f.format == &jsonlFormat:
		documents, _ := c.records.first(fieldSample)
		for i := range documents {
			names = appendNames(names, "", documents[i].Record)
		}
	}
	return names
}

// fieldSample is in how many bytes of JSON records the names of fields are looked for.
const fieldSample = 4 << 10

// appendNames appends the names of an object's members that are not among the names yet, and of the members of these.
func appendNames(names []string, path string, object []byte) []string {
	s := jsonscan.Scanner{Data: object}
	s.Object(func(key, value []byte) {
		switch name := path + string(key); {
		case value[0] == '{' && len(value) > 2:
			names = appendNames(names, name+".", value)
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	})
	return names
}

// documentBytes is what a Document takes, about, with a label.
const documentBytes = 200

// Size returns about how many bytes of memory the chunk and its documents take.
func (c *Chunk) Size() int64 {
	if c.records == nil {
		return 0
	}
	return c.records.size()
}

// Append parses the chunk and appends its documents to dst, including bad ones. The slices of the documents may be kept
// until the chunk is released, but must not be written to.
func (c *Chunk) Append(dst []Document) []Document {
	if c.records == nil {
		return dst
	}
	return c.records.append(dst)
}

// Release makes the memory of the chunk available to its reader again. Neither the chunk nor any document of it may be
// used afterwards. Calling it is optional and makes reading faster. A second call does nothing.
func (c *Chunk) Release() {
	if c.records != nil {
		c.records.release()
		c.records = nil
	}
}
