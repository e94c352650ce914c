package corpus

import (
	"bytes"
	"slices"
)

// Document is one record of a file.
type Document struct {
	// Labels in the order of the record; none where labels are not needed, or may
	// be missing, and the record has none.
	Labels [][]byte
	Text   []byte
	Weight float32 // 1 unless the record says otherwise; finite, not negative
	// Record is the record as it stands in the file, without its line terminator;
	// of one that is longer than Options.MaxRecord, the first KiB.
	Record []byte
	Line   int64 // where the record begins, from 1
	Offset int64 // where it begins, in bytes of the decompressed file
	Err    error // nil, or a *RecordError; Labels and Text are empty then
}

// Chunk is a run of whole records of one file. Its methods can be called from
// several goroutines at once.
type Chunk struct {
	file *file
	piece
}

// Path is the file's path, or "standard input".
func (c *Chunk) Path() string { return c.file.path }

// Format is the file's format, never Auto.
func (c *Chunk) Format() Format { return c.file.format }

// Append parses the chunk and appends its documents to dst, bad ones too. The
// slices of a document are views of the chunk, or of memory that belongs to the
// documents of this call; they may be kept, but not written to.
func (c *Chunk) Append(dst []Document) []Document {
	dst = slices.Grow(dst, c.records)
	if c.err != nil {
		d := Document{Weight: 1, Record: c.data, Line: c.line, Offset: c.offset}
		d.Err = c.file.bad(&d, c.err)
		return append(dst, d)
	}
	p := parser{file: c.file, labels: make([][]byte, 0, c.records)}
	parse := parsers[c.file.format]
	most := c.file.o.maxRecord()
	line, at := c.line, 0
	for at < len(c.data) {
		n, lines := c.recordAt(at)
		record := trimEOL(c.data[at : at+n : at+n])
		record = record[:len(record):len(record)]
		d := Document{Weight: 1, Record: record, Line: line, Offset: c.offset + int64(at)}
		at += n
		line += int64(lines)
		if len(record) == 0 || record[0] <= '#' && c.file.isEmpty(record) {
			if c.file.isDocument(record) {
				d.Text = record[:0]
				dst = append(dst, d)
			}
			continue
		}
		var err error
		if len(record) > most {
			err = tooLong(record, most)
			d.Record = slices.Clip(record[:min(headOfLong, len(record))])
		} else {
			err = parse(&p, &d, record)
		}
		if err != nil {
			d.Labels, d.Text, d.Weight = nil, nil, 1
			d.Err = c.file.bad(&d, err)
		}
		dst = append(dst, d)
	}
	return dst
}

// isEmpty tells records that hold nothing: blank ones, and comments.
func (f *file) isEmpty(record []byte) bool {
	switch f.format {
	case JSONL, FastText:
		return len(bytes.TrimSpace(record)) == 0
	case SVMLight:
		return len(withoutComment(record)) == 0
	}
	return !f.o.Unlabelled && isBlank(record)
}

// isDocument tells whether an empty record is a document all the same, so that
// scores stand beside their rows. A comment never is.
func (f *file) isDocument(record []byte) bool {
	return f.o.Unlabelled && (f.format != SVMLight || bytes.IndexByte(record, '#') < 0)
}

// recordAt is the length of the record at a place, with its terminator, and how
// many line feeds it has.
func (c *Chunk) recordAt(at int) (n, lines int) {
	rest := c.data[at:]
	if c.file.format == CSV {
		var state csvState
		n, _ = state.scan(rest)
		return n, bytes.Count(rest[:n], lineFeed)
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return i + 1, 1
	}
	return len(rest), 0
}

func (f *file) bad(d *Document, err error) error {
	return &RecordError{Path: f.path, Line: d.Line, Offset: d.Offset, Err: err}
}
