package corpus

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"
)

// sniffRecords is how many records may fail to look like their format before
// the file is refused.
const sniffRecords = 100

// text is a file whose records follow each other, cut into pieces.
type text struct {
	file *file
	cut  *cutter
}

// openText reads the header, if there is one, and refuses a file none of whose first
// records looks like its format.
func openText(r *Reader, p *peeker) (contents, error) {
	f := r.file
	t := &text{f, r.cut}
	r.cut.quoted = f.format.quoted
	switch {
	case p.first == nil:
		return t, nil
	case f.format.needsFirst(f.o):
		return t, t.readColumns(p)
	case f.format.plausible == nil:
		return t, nil
	}
	line, ok := p.first, true
	for n := 0; ok && n < sniffRecords; {
		if f.format.plausible(line, f.o) {
			return t, nil
		}
		n++
		for line, ok = p.next(); ok && isBlank(line); {
			line, ok = p.next()
		}
	}
	return nil, p.refuse(fmt.Sprintf("is not %s (%s): name the right format with --format", f.format.name, f.format.shape))
}

// readColumns reads the header, or looks at the first record if there is none.
func (t *text) readColumns(p *peeker) error {
	f, c := t.file, t.cut
	f.columns = f.format.columns(f.o)
	begin := p.begin // of the first record, behind blank lines
	record, ok := p.record(f.format.quoted)
	if !ok && c.end != nil && c.end != io.EOF {
		return c.broken(f.path, c.end)
	}
	if !ok {
		return p.refuse("has a first record without an end: a quote is not closed, or it is longer than a mebibyte")
	}
	if err := f.columns.resolve(trimEOL(record), f.o); err != nil {
		return p.refuse(err.Error())
	}
	if f.columns.header {
		name := trimEOL(record)
		f.header = append(bytes.Clone(name), f.eol(record[len(name):])...)
		n := begin + len(record)
		c.advance(n, bytes.Count(c.buf[c.start:c.start+n], lineFeed))
	}
	c.restart()
	return nil
}

func (t *text) next() (records, error) {
	p, err := t.cut.next()
	if err != nil {
		return nil, t.cut.broken(t.file.path, err)
	}
	p.file = t.file
	return p, nil
}

// piece is a run of whole records of a text.
type piece struct {
	file         *file
	data         []byte
	records      int
	line, offset int64
	memory       *buffer // that data is in, if it can be used again
	err          error   // makes data one bad record
	mu           sync.Mutex
	arenas       []*buffer // of the parsers, one of each call of append
}

func (c *piece) append(dst []Document) []Document {
	f := c.file
	dst = slices.Grow(dst, c.records)
	if c.err != nil {
		dst = append(dst, Document{Weight: 1, Record: c.data, Line: c.line, Offset: c.offset})
		f.spoil(&dst[len(dst)-1], c.err)
		return dst
	}
	p := &parser{file: f}
	if !f.format.noLabels {
		p.labels = make([][]byte, 0, c.records) // a label each
	}
	parse, most := f.format.parse, f.o.maxRecord()
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
			// It is a document all the same where scores stand beside their rows. A
			// comment never is.
			if !f.o.Unlabelled || bytes.IndexByte(record, '#') >= 0 {
				dst = dst[:len(dst)-1]
			}
		default:
			if err := parse(p, d, record); err != nil {
				f.spoil(d, err)
			}
		}
	}
	c.mu.Lock()
	c.arenas = append(c.arenas, p.arenas...)
	c.mu.Unlock()
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

// isEmpty tells records that hold nothing.
func (f *file) isEmpty(record []byte) bool {
	if f.format.empty != nil {
		return f.format.empty(record)
	}
	return !f.o.Unlabelled && isBlank(record)
}

// spoil makes a document that of a bad record.
func (f *file) spoil(d *Document, err error) {
	d.Labels, d.Text, d.Kept, d.Weight = nil, nil, nil, 1
	d.Err = &RecordError{Path: f.path, Line: d.Line, Offset: d.Offset, Err: err}
}

func (c *piece) release() {
	c.memory.release()
	for _, arena := range c.arenas {
		arena.release()
	}
}

// recordAt is the length of the record at a place, with its terminator, and how
// many line feeds it has.
func (c *piece) recordAt(at int) (n, lines int) {
	rest := c.data[at:]
	if c.file.format.quoted {
		var state csvState
		n, _ = state.scan(rest)
		return n, bytes.Count(rest[:n], lineFeed)
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return i + 1, 1
	}
	return len(rest), 0
}
