package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

var errClosed = errors.New("corpus: the reader is closed")

// sniffRecords is how many records may fail to look like their format before
// the file is refused.
const sniffRecords = 100

// file is what parsing has to know of a file.
type file struct {
	path    string
	format  Format
	columns *columns // CSV, and TSV with fields given; else nil
	header  []byte   // with its terminator; nil if there is none
	last    bool     // no other follows
	outside bool     // it begins outside of the shard
	// lineless files were entered in the middle.
	lineless bool
	slabs    *spareBuffers // for parsers
	o        *Options
}

// openFile opens a file, finds its format and reads its header.
func (r *Reader) openFile(path string) (err error) {
	if r.src, err = openSource(path, r); err != nil {
		r.src = nil
		return err
	}
	r.cut = &cutter{
		src: r.src, stream: r.src.stream, spare: &r.spare,
		block: r.block, limit: r.limit, max: r.o.maxRecord(), line: 1,
	}
	r.file = &file{path: r.src.name, format: r.o.Format, slabs: &r.slabs, o: &r.o, last: len(r.paths) == 0}
	if err := r.skipBOM(); err != nil {
		return err
	}
	if r.file.format == Auto && path != "-" {
		r.file.format = formatByName(path, r.o.Unlabelled)
	}
	if err := r.sniff(); err != nil || r.share == nil {
		return err
	}
	return r.enter()
}

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// skipBOM skips the mark, and refuses what is no text even once decompressed.
func (r *Reader) skipBOM() error {
	c := r.cut
	for c.end == nil && len(c.buf) < len(bom) && strings.HasPrefix(bom, string(c.buf)) {
		c.fill()
	}
	if err := checkText(c.buf, r.src.path); err != nil {
		return &FileError{Path: r.src.name, Err: err}
	}
	if bytes.HasPrefix(c.buf, []byte(bom)) {
		c.advance(len(bom), 0)
		c.restart()
	}
	return nil
}

// sniff decides on the format and checks that the file has it.
func (r *Reader) sniff() error {
	f, c := r.file, r.cut
	lines := &peeker{c: c}
	first, ok := lines.next()
	for ok && isBlank(first) {
		first, ok = lines.next()
	}
	if !ok {
		return r.sniffNothing()
	}
	if len(lines.line) > 0 && f.o.Format != Lines && macLines(lines.line) {
		return &FileError{Path: f.path, Err: fmt.Errorf("has lines that end in CR alone: convert them first, tr '\\r' '\\n' < %s. It begins with %s", r.src.path, excerpt(first))}
	}
	if f.format == Auto {
		if f.format = formatByContent(first, f.o); f.format == Auto {
			return r.refuse(lines, first, "looks like no format known; name it with --format")
		}
	}
	c.csv = f.format == CSV
	switch {
	case f.format == CSV, f.format == TSV && f.o.fieldsGiven():
		return r.readColumns(lines, first)
	case f.o.fieldsGiven() && !f.format.named():
		return &FileError{Path: f.path, Err: noFields(f.format)}
	case f.format == JSONL && bytes.HasPrefix(trimBlanks(first), []byte("[")):
		return r.refuse(lines, first, "is a JSON array, not one JSON object a line: make it lines, jq -c '.[]'")
	case plausible(f.format, first, f.o):
		return nil
	}
	for n := 1; n < sniffRecords; {
		line, ok := lines.next()
		if !ok {
			break
		}
		if isBlank(line) {
			continue
		}
		if plausible(f.format, line, f.o) {
			return nil
		}
		n++
	}
	return r.refuse(lines, first, fmt.Sprintf("is not %s (%s): name the right format with --format", f.format, shapes[f.format]))
}

// sniffNothing is for files of which no line can be looked at: they cannot be
// read, or hold nothing but blank lines, which are documents at most.
func (r *Reader) sniffNothing() error {
	f, c := r.file, r.cut
	needed := f.format == Auto || f.format == CSV || f.format == TSV && f.o.fieldsGiven()
	switch {
	case c.end != nil && c.end != io.EOF:
		return r.broken(c.end)
	case needed && c.end == nil:
		return &FileError{Path: f.path, Err: errors.New("begins with a mebibyte of blank lines: take them away, or name the format with --format")}
	case needed:
		f.format = Lines
	}
	return nil
}

// macLines tells files without a line feed and with more than one CR, as old
// Macs wrote them.
func macLines(line []byte) bool {
	return line[len(line)-1] != '\n' && bytes.Count(line, []byte{'\r'}) > 1
}

// readColumns reads the header, or looks at the first record if there is none.
func (r *Reader) readColumns(lines *peeker, first []byte) error {
	f, c := r.file, r.cut
	f.columns = newColumns(f.format, f.o)
	begin := lines.begin // of the first record, behind blank lines
	record, ok := lines.record(f.format)
	if !ok {
		return r.refuse(lines, first, "has a first record without an end: a quote is not closed, or it is longer than a mebibyte")
	}
	if err := f.columns.resolve(trimEOL(record), f.o); err != nil {
		return r.refuse(lines, first, err.Error())
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

// refuse is the error that a file is not what it was said to be.
func (r *Reader) refuse(lines *peeker, first []byte, why string) error {
	return &FileError{Path: r.file.path, Err: fmt.Errorf("%s. Line %d is %s", why, lines.first, excerpt(first))}
}

// peeker looks at the first lines of a file without taking them, reading no
// further than it must, and never beyond the sniffing window.
type peeker struct {
	c     *cutter
	begin int    // of the line, from the cutter's start
	line  []byte // with its terminator
	count int64
	first int64 // number of the first line that is not blank; 0 before it
}

// next is the next line without its terminator, or as much of it as the window
// has; false if there is none, or its end could not be read.
func (p *peeker) next() ([]byte, bool) {
	p.begin += len(p.line)
	for looked := 0; ; {
		rest := p.c.buf[p.c.start+p.begin:]
		if i := bytes.IndexByte(rest[looked:], '\n'); i >= 0 {
			p.line = rest[:looked+i+1]
			break
		}
		looked = len(rest)
		if full := p.begin+len(rest) >= sniffWindow; full || p.c.end != nil {
			if len(rest) == 0 || !full && p.c.end != io.EOF {
				return nil, false
			}
			p.line = rest
			break
		}
		p.c.fill()
	}
	p.count++
	line := trimEOL(p.line)
	if p.first == 0 && !isBlank(line) {
		p.first = p.count
	}
	return line, true
}

// record is the record that begins where the line does, with its terminator;
// false if it does not end within the window.
func (p *peeker) record(f Format) ([]byte, bool) {
	for {
		rest := p.c.buf[p.c.start+p.begin:]
		state := fieldStart
		if f == TSV {
			state = broken // where quotes mean nothing
		}
		n, whole := state.scan(rest)
		switch {
		case whole:
			return rest[:n], true
		case p.c.end == io.EOF:
			return rest, state != inQuotes
		case p.c.end != nil || len(rest) >= sniffWindow:
			return nil, false
		}
		p.c.fill()
	}
}

// isBlank tells lines of nothing but spaces.
func isBlank(line []byte) bool { return len(bytes.TrimLeft(line, " ")) == 0 }
