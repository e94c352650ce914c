package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Sizes, in bytes unless said otherwise.
const (
	chunkSize   = 1 << 20
	chunkLimit  = 1 << 13 // records of a chunk: a mebibyte of line feeds is a million documents, of 200 bytes each
	minRead     = 4 << 10 // less room than this in a buffer is not worth a read
	pageSize    = 4 << 10 // of the system's cache of files
	headOfLong  = 1 << 10 // what is kept of a record that is too long
	idleReads   = 100     // empty reads in a row after which a source is given up
	sniffWindow = 1 << 20 // what is looked through to tell a format
)

// cutter reads a source and cuts it at record boundaries. Pieces are views of its buffers,
// whose bytes are not overwritten before the piece is released.
type cutter struct {
	src    io.Reader
	stream bool // hand records on as they come
	plain  bool // src is a file as it is
	block  int  // chunks' usual size
	limit  int  // most records of a chunk
	max    int  // longest record
	quoted bool // records may hold line breaks in quotes

	delimiter byte // of fields that may be in quotes

	spare   *sync.Pool
	memory  *buffer // that buf is in
	buf     []byte
	start   int      // buf[start:] is not handed out yet
	cut     int      // end of the whole records found in it
	seen    int      // end of what was looked through
	quotes  csvState // at seen
	records int      // found in buf[start:cut]; CSV only
	over    bool     // the record at cut is longer than max; CSV only
	skip    bool     // within a record that is too long
	end     error    // why no more can be read, io.EOF or worse

	line, offset int64 // of buf[start]
}

// next returns the next piece, or the error with which the source ended.
func (c *cutter) next() (*piece, error) {
	for {
		if c.skip && !c.skipLine() {
			return nil, c.end
		}
		c.findRecords()
		switch pending := len(c.buf) - c.start; {
		case c.cut > c.start:
			return c.emit(c.cut), nil
		case c.over || pending >= c.max+2: // at least max+1 without CR LF
			return c.spoiled(), nil
		case c.end == nil:
			c.fill()
		case c.end != io.EOF || pending == 0:
			return nil, c.end
		case c.quoted && (c.quotes == inQuotes || len(trimEOL(c.buf[c.start:])) > c.max):
			return c.spoiled(), nil
		default:
			c.cut, c.records = len(c.buf), 1
		}
	}
}

// broken returns an error with which a file's source ended, except io.EOF, and says where.
func (c *cutter) broken(path string, err error) error {
	if err == io.EOF {
		return err
	}
	if of, placed := errors.AsType[*FileError](err); placed {
		return of
	}
	if of, damaged := errors.AsType[damage](err); damaged {
		return &FileError{Path: path, Line: c.line, Offset: c.offset, Damaged: true, Err: of.error}
	}
	return &FileError{Path: path, Offset: c.offset + int64(len(c.buf)-c.start), Err: cause(err)}
}

// findRecords finds the whole records in what was not looked through yet.
func (c *cutter) findRecords() {
	if !c.quoted {
		if i := bytes.LastIndexByte(c.buf[c.seen:], '\n'); i >= 0 {
			c.cut = c.seen + i + 1
		}
		c.seen = len(c.buf)
		return
	}
	for c.seen < len(c.buf) && c.records < c.limit && !c.over {
		n, whole := c.quotes.scan(c.buf[c.seen:], c.delimiter)
		c.seen += n
		if !whole {
			return
		}
		if len(trimEOL(c.buf[c.cut:c.seen])) > c.max {
			c.over = true
			return
		}
		c.cut = c.seen
		c.records++
	}
}

// emit hands out buf[start:end], whole records, or the first of them if they are
// too many.
func (c *cutter) emit(end int) *piece {
	data := c.buf[c.start:end:end]
	p := &piece{data: data, records: c.records, line: c.line, offset: c.offset, memory: c.memory}
	p.memory.share()
	lines := 0
	if c.quoted {
		lines = bytes.Count(data, lineFeed)
	} else {
		lines, data = firstLines(data, c.limit)
		p.data, p.records = data[:len(data):len(data)], lines
		if data[len(data)-1] != '\n' {
			p.records++
		}
	}
	c.advance(len(data), lines)
	return p
}

// advance leaves n bytes with so many line feeds behind.
func (c *cutter) advance(n, lines int) {
	c.start += n
	c.offset += int64(n)
	c.line += int64(lines)
	c.records = 0
}

// restart makes findRecords begin again at start, where a record begins.
func (c *cutter) restart() {
	c.seen, c.cut, c.records, c.over, c.quotes = c.start, c.start, 0, false, fieldStart
}

// spoiled hands out the first line of what is pending as a bad record: it is too
// long itself, or a quote in it is not closed in time.
func (c *cutter) spoiled() *piece {
	pending := c.buf[c.start:]
	n := bytes.IndexByte(pending, '\n')
	content := pending
	if n >= 0 {
		content = pending[:n]
	}
	content = trimEOL(content)
	p := &piece{data: content[:len(content):len(content)], records: 1, line: c.line, offset: c.offset}
	if len(content) > c.max {
		p.data, p.err = tooLong(content, c.max)
		p.data = bytes.Clone(p.data) // so that the buffer can be used again
	} else {
		p.memory = c.memory
		p.memory.share()
		p.err = &fault{reason: openQuote, err: errUnclosedQuote, near: content, hint: openQuotes}
	}
	if n >= 0 {
		c.advance(n+1, 1)
	} else {
		c.skip = c.end == nil
		c.advance(len(pending), 0)
	}
	c.restart()
	return p
}

// skipLine drops everything up to and with the next line feed; false if the
// source ends before it.
func (c *cutter) skipLine() bool {
	for {
		pending := c.buf[c.start:]
		if i := bytes.IndexByte(pending, '\n'); i >= 0 {
			c.advance(i+1, 1)
			c.restart()
			c.skip = false
			return true
		}
		c.offset += int64(len(pending))
		c.buf = c.buf[:c.start]
		c.restart()
		if c.end != nil {
			return false
		}
		c.fill()
	}
}

// fill reads more: a file until the buffer is full, a stream only what is there.
func (c *cutter) fill() {
	if cap(c.buf)-len(c.buf) < min(minRead, c.block) {
		c.grow()
	}
	for idle := 0; len(c.buf) < cap(c.buf) && c.end == nil; {
		n, err := c.src.Read(c.buf[len(c.buf):cap(c.buf)])
		c.buf = c.buf[:len(c.buf)+n]
		switch {
		case err != nil:
			c.end = err
		case n > 0:
			idle = 0
			if c.stream {
				return
			}
		default:
			if idle++; idle == idleReads {
				c.end = io.ErrNoProgress
			}
		}
	}
}

// grow moves what is pending into a new buffer, which begins with a page. Pieces keep the old one. A byte of a plain
// file has the place in its page that it has in the file: some processors copy a few bytes further at a fifth of their
// speed.
func (c *cutter) grow() {
	pending := c.buf[c.start:]
	start := 0
	if c.plain {
		start = int(c.offset % pageSize)
	}
	size := max(c.block, min(2*len(pending), c.max+2+c.block))
	size = max(size, start+len(pending)+minRead)
	memory := newBuffer(c.spare, size, size == c.block)
	buf := memory.room[:start+len(pending)]
	copy(buf[start:], pending)
	c.memory.release()
	c.memory, c.buf = memory, buf
	c.seen += start - c.start
	c.cut += start - c.start
	c.start = start
}

var lineFeed = []byte{'\n'}

// trimEOL takes LF or CR LF from a record's end, and a CR at the end of a file.
func trimEOL(record []byte) []byte {
	if n := len(record); n > 0 && record[n-1] == '\n' {
		record = record[:n-1]
	}
	if n := len(record); n > 0 && record[n-1] == '\r' {
		record = record[:n-1]
	}
	return record
}

// firstLines returns how many line feeds data has, most at most, and what of data ends with the last of so many. It
// looks hardly further, so that nothing is counted over and over.
func firstLines(data []byte, most int) (lines int, first []byte) {
	end := 0
	for step := 16 << 10; end < len(data) && lines < most; {
		some := data[end:min(end+step, len(data))]
		if n := bytes.Count(some, lineFeed); lines+n <= most {
			lines, end = lines+n, end+len(some)
		} else {
			step /= 2
		}
	}
	if lines == most {
		end = bytes.LastIndexByte(data[:end], '\n') + 1
	}
	return lines, data[:end]
}

// tooLong returns what is kept of a record that is too long, and its error. Neither
// depends on how much of the record was read.
func tooLong(record []byte, most int) (head []byte, err error) {
	head = slices.Clip(record[:min(most, headOfLong, len(record))])
	return head, &fault{
		reason: longRecord,
		err: fmt.Errorf("%w, %d bytes (Input.MaxRecord allows longer ones): it begins with %s",
			ErrTooLong, most, display.Excerpt(head)),
	}
}

// buffer is memory that is read into. The cutter that fills it and the chunks that are
// views of it share it. When the last of them has released it, it can be used again. If one
// of them never does, the garbage collector frees the buffer.
type buffer struct {
	room  []byte
	users atomic.Int32
	spare *sync.Pool // where it goes when it is released; nil for one of an unusual size
}

// newBuffer returns a buffer of a size, with one user. A spare one is of the usual size.
func newBuffer(spare *sync.Pool, size int, usual bool) *buffer {
	b := &buffer{}
	if usual && spare != nil {
		if old, ok := spare.Get().(*buffer); ok {
			b = old
		}
		b.spare = spare
	}
	if len(b.room) < size {
		b.room = make([]byte, size)
	}
	b.users.Store(1)
	return b
}

// share adds a user.
func (b *buffer) share() {
	if b != nil {
		b.users.Add(1)
	}
}

// release takes one user away.
func (b *buffer) release() {
	if b != nil && b.users.Add(-1) == 0 && b.spare != nil {
		b.spare.Put(b)
	}
}
