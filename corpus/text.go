package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/display"
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
	t := &text{file: f, cut: r.cut}
	r.cut.quoted = f.format.quoted
	r.cut.delimiter = ','
	switch {
	case p.first == nil:
		return t, nil
	case f.format.needsFirst(f.o):
		return t, t.readColumns(p)
	case f.format.name == TSV && f.o.Header == nil:
		if err := t.plainHeader(p); err != nil || f.header != nil {
			return t, err
		}
	}
	if f.format.plausible == nil {
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
	return nil, p.refuseFor(fmt.Errorf("%w %s (%s): name the right format with Input.Format",
		ErrFormat, f.format.name, f.format.shape))
}

// readColumns reads the header, or looks at the first record if there is none.
func (t *text) readColumns(p *peeker) error {
	f := t.file
	record, err := t.findColumns(p)
	if err != nil {
		return err
	}
	t.cut.delimiter = f.columns.delimiter
	if !f.columns.header && f.o.Header == nil {
		text, _, is := namesColumns(f.columns.names)
		if f.columns.header = is && text >= 0; f.columns.header {
			f.headerNote(trimEOL(record))
		}
	}
	if f.columns.header {
		t.takeHeader(p, len(record))
	}
	return nil
}

// findColumns finds the columns of the first record, which begins where p is, behind blank lines, and is returned with
// its terminator. They are separated by Input.Delimiter, or if that is 0 by the first by which all are there that are
// needed.
func (t *text) findColumns(p *peeker) (record []byte, err error) {
	f, most := t.file, 0
	delimiters := f.format.delimiters
	if f.o.Delimiter != 0 {
		delimiters = string(f.o.Delimiter)
	}
	for i, delimiter := range []byte(delimiters) {
		columns := f.format.columns(f.o)
		columns.delimiter = delimiter
		record, ok := p.record(f.format.quoted, delimiter)
		if end := t.cut.end; !ok && end != nil && end != io.EOF {
			return nil, t.cut.broken(f.path, end)
		}
		if !ok {
			if i == 0 {
				err = p.refuse("has a first record without an end: a quote is not closed, or it is longer than a mebibyte")
			}
			continue
		}
		missing := columns.resolve(trimEOL(record), f.o)
		if missing == nil {
			if f.columns = columns; i > 0 {
				f.note("has columns separated by %q, as its first line shows (override with Input.Delimiter)",
					delimiter)
			}
			return record, nil
		}
		if err == nil || len(columns.names) > most {
			err, most = p.refuse(missing.Error()), len(columns.names)
		}
	}
	return nil, err
}

func (t *text) next() (records, error) {
	p, err := t.cut.next()
	if err != nil {
		return nil, t.cut.broken(t.file.path, err)
	}
	p.file = t.file
	if cutOff := t.file.format.cutOff; cutOff != nil && p.err == nil && !bytes.HasSuffix(p.data, lineFeed) &&
		cutOff(p.data) {
		return nil, p.damaged(0,
			fmt.Errorf("the file ends within a record, so it was cut off, or is still being written: %s",
				display.Excerpt(p.data)))
	}
	if at := bytes.Index(p.data, hole); at >= 0 {
		return nil, p.damaged(at, errHole)
	}
	return p, nil
}

// damaged releases a piece, and returns the error of the file from a place of it on.
func (c *piece) damaged(at int, why error) error {
	line := c.line + int64(bytes.Count(c.data[:at], lineFeed))
	c.release()
	return &FileError{Path: c.file.path, Line: line, Offset: c.offset + int64(at), Damaged: true, Err: why}
}

// hole is the least of what a file system has where nothing was written: a sector. No text has as many zero bytes.
var (
	hole    = make([]byte, 512)
	errHole = errors.New("zero bytes stand where records were, as after a loss of power, a full disk or a download that did not end")
)

// piece is a run of whole records of a text.
type piece struct {
	file         *file
	data         []byte
	records      int
	line, offset int64
	memory       *buffer // that data is in, if it can be used again
	err          error   // makes data one bad record
	parsed       arenas
}

// arenas are those of the parsers of a chunk, one of each call of append.
type arenas struct {
	mu  sync.Mutex
	all []*buffer
}

func (a *arenas) add(of ...*buffer) {
	a.mu.Lock()
	a.all = append(a.all, of...)
	a.mu.Unlock()
}

func (a *arenas) release() {
	for _, arena := range a.all {
		arena.release()
	}
}

func (c *piece) append(dst []Document) []Document {
	f, records := c.file, c.records
	if !f.o.scored() { // blank lines are no documents, and a chunk may hold little else
		records = min(records, 1+len(c.data)/8)
	}
	dst = slices.Grow(dst, records)
	p := &parser{file: f}
	if c.err != nil {
		dst = append(dst, Document{Weight: 1, Record: c.data, Line: c.line, Offset: c.offset})
		p.torn(&dst[len(dst)-1], c.err)
		return dst
	}
	if !f.format.noLabels {
		p.labels = make([][]byte, 0, records) // a label each
	}
	parse, most := f.format.parse, f.o.maxRecord()
	line := c.line
	marked := bytes.Contains(c.data, []byte(bom))
	for at := 0; at < len(c.data); {
		if c.data[at] == '\n' && !f.o.scored() { // no document, and there may be millions of them
			at++
			line++
			continue
		}
		n, lines := c.recordAt(at)
		record := slices.Clip(trimEOL(c.data[at : at+n]))
		eol := f.eol(c.data[at+len(record) : at+n])
		if marked {
			record = bytes.TrimPrefix(record, []byte(bom))
		}
		// In its place at once: a pointer to a local variable would be an
		// allocation for every document.
		dst = append(dst, Document{Weight: 1, Record: record, EOL: eol, Line: line, Offset: c.offset + int64(at)})
		d := &dst[len(dst)-1]
		at += n
		line += int64(lines)
		switch {
		case len(record) > most: // be it a comment: it may never have been in memory
			head, err := tooLong(record, most)
			d.Record = head
			p.torn(d, err)
		case len(record) == 0 || record[0] <= '#' && f.isEmpty(record):
			d.Text = record[:0]
			// It is a document all the same where scores stand beside their rows. A
			// comment never is.
			if !f.o.scored() || bytes.IndexByte(record, '#') >= 0 {
				dst = dst[:len(dst)-1]
			}
		case f.header != nil && bytes.Equal(record, trimEOL(f.header)) &&
			bytes.ContainsAny(record, f.format.delimiters):
			f.spoil(d, &fault{
				reason: filesJoined, what: "the header once more, as where files were joined",
				near: record, hint: "remove it",
			})
		default:
			if err := parse(p, d, record); err != nil {
				f.spoil(d, err)
			} else if f.labels != nil {
				d.Labels = f.labels
			}
		}
	}
	c.parsed.add(p.arenas...)
	return dst
}

func (c *piece) first(bytes int) (documents []Document, raw []byte) {
	n, records := 0, 0
	for n < len(c.data) && n < bytes {
		if c.data[n] == '\n' { // as fast as in append
			n++
			records++
			continue
		}
		length, _ := c.recordAt(n)
		n, records = n+length, records+1
	}
	raw = c.data[:n:n]
	head := &piece{file: c.file, data: raw, records: records, line: c.line, offset: c.offset, err: c.err}
	documents = head.append(nil)
	c.parsed.add(head.parsed.all...)
	return documents, raw
}

// eol returns a record's line terminator, given what stands behind it in the file.
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
	return !f.o.scored() && isBlank(record)
}

// torn makes a document that of a bad record of which there is only the beginning, perhaps with its id.
func (p *parser) torn(d *Document, err error) {
	if f := p.file.format; p.file.o.ID != "" && f != nil && f.parse != nil {
		_ = f.parse(p, d, d.Record)
	}
	p.file.spoil(d, err)
}

// spoil makes a document that of a bad record.
func (f *file) spoil(d *Document, err error) {
	d.Labels, d.Shares, d.Ratings, d.Text, d.Weight = nil, nil, nil, nil, 1
	f.keepID(d)
	d.Err = &RecordError{
		Path: f.path, Line: d.Line, Offset: d.Offset, Reason: ReasonOf(err), Err: err,
		header: f.header,
	}
}

func (c *piece) size() int64 { return int64(len(c.data) + c.records*documentBytes) }

func (c *piece) release() {
	c.memory.release()
	c.parsed.release()
}

// recordAt returns the length of the record at a place, with its terminator, and how
// many line feeds it has.
func (c *piece) recordAt(at int) (n, lines int) {
	rest := c.data[at:]
	if c.file.format.quoted {
		var state csvState
		n, _ = state.scan(rest, c.file.columns.delimiter)
		return n, bytes.Count(rest[:n], lineFeed)
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return i + 1, 1
	}
	return len(rest), 0
}
