package corpus

import (
	"bytes"
	"slices"
	"sync"
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
	// EOL is the record's line terminator. The last record of a file may have none;
	// if other files follow, it counts as terminated by LF, so that records of
	// several files don't run together.
	EOL    string
	Line   int64 // where the record begins, from 1; 0 if unknown (Options.Shard)
	Offset int64 // where it begins, in bytes of the decompressed file
	Err    error // nil, or a *RecordError; Labels and Text are empty then
}

// Chunk is a run of whole records of one file. Its methods can be called from
// several goroutines at once, Release apart.
type Chunk struct {
	file   *file
	header []byte
	piece
	parsed sync.Mutex // for slabs
	slabs  []*buffer  // of documents that the first Append made
}

// Header is the file's header with its line terminator, and says whether the file
// begins in the shard that is read. Only the chunks that Options.Headers asks for have
// one; they hold no records.
func (c *Chunk) Header() (header []byte, begins bool) { return c.header, !c.file.outside }

// Path is the file's path, or "standard input".
func (c *Chunk) Path() string { return c.file.path }

// Format is the file's format, never Auto.
func (c *Chunk) Format() Format { return c.file.format }

// Append parses the chunk and appends its documents to dst, bad ones too. The
// slices of a document are views of the chunk, or of memory that belongs to the
// documents of this call; they may be kept until the chunk is released, but not
// written to.
func (c *Chunk) Append(dst []Document) []Document {
	f := c.file
	dst = slices.Grow(dst, c.records)
	if c.err != nil {
		dst = append(dst, Document{Weight: 1, Record: c.data, Line: c.line, Offset: c.offset})
		f.spoil(&dst[len(dst)-1], c.err)
		return dst
	}
	p := newParser(f, c.records)
	parse, most := parsers[f.format], f.o.maxRecord()
	line, numbered := c.line, int64(1)
	if f.lineless {
		line, numbered = 0, 0
	}
	for at := 0; at < len(c.data); {
		n, lines := c.recordAt(at)
		record := slices.Clip(trimEOL(c.data[at : at+n]))
		eol := f.eol(c.data[at+len(record) : at+n])
		// In its place at once: a pointer to a local variable would be an
		// allocation for every document.
		dst = append(dst, Document{Weight: 1, Record: record, EOL: eol, Line: line, Offset: c.offset + int64(at)})
		d := &dst[len(dst)-1]
		at += n
		line += int64(lines) * numbered
		switch {
		case len(record) > most: // be it a comment: it may never have been in memory
			head, err := tooLong(record, most)
			d.Record = head
			f.spoil(d, err)
		case len(record) == 0 || record[0] <= '#' && f.isEmpty(record):
			d.Text = record[:0]
			if !f.isDocument(record) {
				dst = dst[:len(dst)-1]
			}
		default:
			if err := parse(p, d, record); err != nil {
				f.spoil(d, err)
			}
		}
	}
	c.parsed.Lock()
	if c.slabs == nil { // else they are the garbage collector's, or calls in a loop would pile them up
		c.slabs = p.taken
	}
	c.parsed.Unlock()
	return dst
}

// eol is a record's line terminator, given what stands behind it in the file.
func (f *file) eol(behind []byte) string {
	switch {
	case len(behind) == 2:
		return "\r\n"
	case len(behind) == 1 && behind[0] == '\n':
		return "\n"
	case f.last: // the end of the file, and of the input
		return string(behind)
	case len(behind) == 1:
		return "\r\n"
	}
	return "\n"
}

// Release says that neither the chunk nor any document of it is used any more, so that
// its memory can be read into again. It is for speed: a chunk that is not released is
// the garbage collector's. A second call does nothing.
func (c *Chunk) Release() {
	for _, slab := range c.slabs {
		slab.release()
	}
	c.memory.release()
	c.piece, c.slabs = piece{}, nil
}

// Split cuts the chunk into chunks of one record each, which are there in its stead.
func (c *Chunk) Split() []*Chunk {
	if c.err != nil || len(c.data) == 0 {
		return []*Chunk{c}
	}
	all := make([]*Chunk, 0, c.records)
	line := c.line
	for at := 0; at < len(c.data); {
		n, lines := c.recordAt(at)
		all = append(all, &Chunk{file: c.file, piece: piece{data: c.data[at : at+n : at+n], records: 1, line: line, offset: c.offset + int64(at), memory: c.memory}})
		at += n
		line += int64(lines)
	}
	c.memory.share(len(all) - 1)
	return all
}

// isEmpty tells records that hold nothing: blank ones, and comments.
func (f *file) isEmpty(record []byte) bool {
	switch f.format {
	case JSONL, FastText:
		return len(bytes.Trim(record, blanks)) == 0
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

// spoil makes a document that of a bad record.
func (f *file) spoil(d *Document, err error) {
	d.Labels, d.Text, d.Weight = nil, nil, 1
	d.Err = &RecordError{Path: f.path, Line: d.Line, Offset: d.Offset, Err: err}
}
