package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// WARC is a WARC file (ISO 28500) of version 1, such as the WET files of Common Crawl. Its conversion records are
// documents, and so are response and resource records of text/plain. Others are passed over. The fields are the WARC
// headers, by their names in any case. There are no labels.
const WARC Format = "warc"

var warcFormat = format{
	name: WARC, extensions: []string{".warc", ".wet"}, shape: "a WARC file", fields: true, ownText: true,
	noLabels: true, open: openWARC,
}

const (
	warcMagic = "WARC/1."
	warcEnd   = "\r\n\r\n" // behind a record

	longestHead  = 64 << 10 // of a WARC header, and of an HTTP header that tells what a record holds
	longestField = 64       // the name of a header's first field, by which a record is found
)

// warc cuts a WARC file at its records.
type warc struct {
	r    *Reader
	file *file
	cut  *cutter

	texts, pages int64            // records of text, and of HTML
	passed       map[string]int64 // records passed over, by what they are

	after int64 // the byte of the decompressed file where the content of the last whole record ended

	// What follows is of the search for the next record.
	lost       bool
	from, line int64 // where the record began behind which there is a search
	left       int64 // bytes that it has by its length; -1 if that is wrong or unknown
	text       bool  // zero bytes are damage, not data of a record
	zeros      int   // of them at the end of what was searched
}

// warcRecord is a record that gives a document.
type warcRecord struct {
	at     int    // in the piece
	record []byte // without the line ends behind it; the first KiB of a bad one
	head   int    // bytes of its header
	web    bool   // the content is an HTTP response
	err    error  // makes it a bad one
}

func openWARC(r *Reader, _ *peeker) (contents, error) {
	w := &warc{r: r, file: r.file, cut: r.cut, passed: map[string]int64{}}
	c := w.cut
	for c.end == nil && len(c.buf)-c.start < sniffWindow {
		if _, found := findRecord(c.buf[c.start:]); found {
			return w, nil
		}
		c.fill()
	}
	pending := c.buf[c.start:]
	_, found := findRecord(pending)
	begins := strings.HasPrefix(warcMagic, string(pending[:min(len(pending), len(warcMagic))])) // and is cut off
	if !found && !begins && (c.end == nil || c.end == io.EOF) && blankRun(pending) < len(pending) {
		return nil, refuse(r.file.path, fmt.Errorf("%w warc (%sN and a header of Name: value begin a record): name the right format with Input.Format. It begins with %s",
			ErrFormat, warcMagic, display.Excerpt(pending)))
	}
	return w, nil
}

// next returns the records that are buffered whole.
func (w *warc) next() (records, error) {
	c := w.cut
	for {
		if w.r.interrupted.Err() != nil {
			return nil, errInterrupted
		}
		if w.lost {
			if err := w.search(); err != nil {
				return nil, err
			}
		}
		if !w.lost {
			found, n := w.take(c.buf[c.start:])
			if len(found) > 0 {
				return w.emit(found, n), nil
			}
			if n > 0 {
				w.skip(n)
				continue
			}
		}
		if c.end == nil {
			c.fill()
			continue
		}
		bad, err := w.ended()
		if err != nil || bad != nil {
			return bad, err
		}
	}
}

// emit hands out n bytes with their records.
func (w *warc) emit(found []warcRecord, n int) records {
	c := w.cut
	p := &warcPiece{
		file: w.file, data: c.buf[c.start : c.start+n : c.start+n], found: found,
		line: c.line, offset: c.offset, memory: c.memory,
	}
	p.memory.share()
	w.skip(n)
	return p
}

// skip leaves n bytes behind.
func (w *warc) skip(n int) {
	c := w.cut
	c.advance(n, bytes.Count(c.buf[c.start:c.start+n], lineFeed))
	c.restart()
}

// take returns the records that are whole in what is buffered, and how many bytes they and those passed over have.
func (w *warc) take(rest []byte) (found []warcRecord, n int) {
	c := w.cut
	for len(found) < c.limit && !w.lost {
		n += blankRun(rest[n:])
		record, all := w.record(rest[n:])
		if all == 0 {
			break
		}
		if w.lost { // from here on
			w.from, w.line, w.zeros = c.offset+int64(n), c.line+int64(bytes.Count(rest[:n], lineFeed)), 0
		}
		if record.record != nil {
			record.at = n
			found = append(found, record)
		}
		n += all
	}
	return found, n
}

// blankRun returns how many line ends data begin with.
func blankRun(data []byte) int { return len(data) - len(bytes.TrimLeft(data, "\r\n")) }

// record returns the record with which rest begins, without one if it is passed over, and how many bytes it has up to
// the line ends behind it: 0 if more must be read to tell. Behind a bad record, a search is under way.
func (w *warc) record(rest []byte) (r warcRecord, n int) {
	c := w.cut
	if len(rest) < len(warcMagic) && strings.HasPrefix(warcMagic, string(rest)) {
		return r, 0
	}
	if !bytes.HasPrefix(rest, []byte(warcMagic)) {
		return w.damaged(rest, 0, true, "something that is no record stands where one should begin")
	}
	h, ok := parseWARC(rest[:min(len(rest), longestHead)])
	switch {
	case h.wrong != "":
		return w.damaged(rest, len(warcMagic), true, h.wrong)
	case !ok && (len(rest) >= longestHead || c.end == io.EOF && nextRecord(rest, len(warcMagic)) < len(rest)):
		return w.damaged(rest, len(warcMagic), true, "the header of the record does not end")
	case !ok:
		return r, 0
	}
	total := int64(h.size) + h.length
	long := total > int64(c.max)
	if need := min(total, int64(h.size+longestHead)); int64(len(rest)) < need && c.end == nil {
		return r, 0 // it is not known yet what it holds
	}
	content := rest[h.size:min(int64(len(rest)), total)]
	what, web := h.holds(content)
	if long {
		w.lost, w.left = true, h.length
		if w.count(what) {
			r.record, r.err = tooLong(rest[:nextRecord(rest[:min(len(rest), h.size+longestHead)], h.size)], c.max)
		}
		return r, h.size
	}
	if int64(len(rest)) < total {
		if c.end == nil || nextRecord(rest, h.size) == len(rest) {
			return r, 0
		}
		return w.badLength(rest, &h, what)
	}
	n = int(total)
	behind := rest[n:]
	blank := blankRun(behind)
	begins, sure := isRecord(behind[blank:])
	end := c.offset + int64(len(c.buf)-c.start-len(rest)) + total
	m := w.r.src.members
	switch ended := c.end == io.EOF || m != nil && m.begin >= end; {
	case !ended && !sure && c.end == nil && len(behind) < longestHead,
		// The checksum of a member of gzip, or other damage, stands behind its data.
		!ended && !begins && m != nil && len(behind) < longestHead:
		return r, 0
	case !begins && blank < len(behind) && !bytes.HasPrefix(behind, []byte(h.end)):
		return w.badLength(rest, &h, what)
	}
	w.after = end
	if w.count(what) {
		r = warcRecord{record: rest[:n:n], head: h.size, web: web}
	}
	return r, n
}

// count counts a record by what it is, and reports whether that is text.
func (w *warc) count(what string) bool {
	switch what {
	case warcText:
		w.texts++
		return true
	case warcPage:
		w.pages++
	}
	w.passed[what]++
	return false
}

func (w *warc) badLength(rest []byte, h *warcHead, what string) (warcRecord, int) {
	return w.damaged(rest, h.size, what == warcText,
		fmt.Sprintf("the record does not end where its Content-Length %d says", h.length))
}

// damaged returns a bad record, behind the first bytes of which the next one is looked for. text says that zero bytes
// do not belong there.
func (w *warc) damaged(rest []byte, from int, text bool, what string) (warcRecord, int) {
	const most = headOfLong + len(warcMagic) + longestField + 16
	if len(rest) < from+most && w.cut.end == nil {
		return warcRecord{}, 0
	}
	record := firstOf(rest[:min(nextRecord(rest[:min(len(rest), from+most)], from), headOfLong)])
	w.lost, w.left, w.text = true, -1, text
	return warcRecord{record: record, err: &fault{reason: damagedRecord, what: what, near: record}}, max(from, 1)
}

// firstOf returns the beginning of a bad record, which is not empty.
func firstOf(data []byte) []byte {
	record := bytes.TrimRight(data[:min(len(data), headOfLong)], "\r\n")
	return record[:len(record):len(record)]
}

// search goes on to the next record, which ends it, or to the end of what can be read.
func (w *warc) search() error {
	c := w.cut
	for {
		if w.r.interrupted.Err() != nil {
			return errInterrupted
		}
		rest := c.buf[c.start:]
		at, found := findRecord(rest)
		if !found && c.end != nil {
			at = len(rest)
		}
		if w.left >= 0 && int64(at) >= w.left { // a record that begins earlier shows that the length is wrong
			at, found = int(w.left), true
		}
		if w.left < 0 && w.text && w.hasHole(rest[:at]) {
			return &FileError{Path: w.file.path, Line: w.line, Offset: w.from, Damaged: true, Err: errHole}
		}
		if w.left > 0 {
			w.left -= int64(at)
		}
		w.skip(at)
		if w.lost = !found; found || c.end != nil {
			return nil
		}
		c.fill()
	}
}

// hasHole reports whether there is a hole in what is searched, which goes on with data.
func (w *warc) hasHole(data []byte) bool {
	first := len(data) - len(bytes.TrimLeft(data, "\x00"))
	if w.zeros += first; w.zeros >= len(hole) {
		return true
	}
	if first < len(data) {
		w.zeros = len(data) - len(bytes.TrimRight(data, "\x00"))
	}
	return bytes.Contains(data, hole)
}

// ended returns what becomes of a file of which no more can be read: an error, or io.EOF; or, if that is damage to a
// member of gzip which holds one record, this as a bad one, if it was not returned before.
func (w *warc) ended() (records, error) {
	c := w.cut
	pending := c.buf[c.start:]
	if damaged, is := errors.AsType[damage](c.end); is && w.r.src.members != nil {
		return w.skipMember(damaged, pending)
	}
	blank := blankRun(pending)
	switch line, offset := c.line+int64(bytes.Count(pending[:blank], lineFeed)), c.offset+int64(blank); {
	case c.end != io.EOF:
		return nil, c.broken(w.file.path, c.end)
	case w.lost && w.left > 0:
		return nil, w.cutOff(w.line, w.from, nil)
	case blank < len(pending):
		return nil, w.cutOff(line, offset, pending[blank:])
	}
	w.skip(blank)
	if w.texts == 0 && w.pages > 0 {
		return nil, refuse(w.file.path, fmt.Errorf("has no text: %s of HTML, from which nbsvm does not extract text: make text of them first, with resiliparse or trafilatura, or take the WET file of the crawl", display.Some(w.pages, "record")))
	}
	if len(w.passed) > 0 {
		w.file.note("has records without text, which are passed over: %s", display.Counts(w.passed))
	}
	return nil, io.EOF
}

func (w *warc) cutOff(line, offset int64, record []byte) error {
	return &FileError{
		Path: w.file.path, Line: line, Offset: offset, Damaged: true,
		Err: fmt.Errorf("the file ends within a record, so it was cut off, or is still being written: %s",
			display.Excerpt(record)),
	}
}

// skipMember goes on behind a damaged member of gzip. If the member holds more than one record, nobody knows how many
// are lost.
func (w *warc) skipMember(damaged damage, pending []byte) (records, error) {
	c, m := w.cut, w.r.src.members
	if m.begin < w.after {
		return nil, c.broken(w.file.path, c.end)
	}
	blank := blankRun(pending)
	var bad []warcRecord
	if !w.lost || m.begin > w.from {
		record := firstOf(pending[blank:])
		bad = []warcRecord{{at: blank, record: record, err: &fault{reason: damagedRecord, err: damaged.error, near: record}}}
	}
	switch err := m.resume(warcMagic); {
	case err == nil:
		c.end = nil
	case err == io.EOF && errors.Is(damaged, io.ErrUnexpectedEOF):
		return nil, c.broken(w.file.path, c.end)
	default:
		c.end = err
	}
	w.lost = false
	if bad == nil {
		w.skip(len(pending))
		return nil, nil
	}
	return w.emit(bad, len(pending)), nil
}

// warcPiece is a run of records.
type warcPiece struct {
	file         *file
	data         []byte
	found        []warcRecord
	line, offset int64
	memory       *buffer
	parsed       arenas
}

func (c *warcPiece) append(dst []Document) []Document {
	p := &parser{file: c.file}
	line, at := c.line, 0
	for i := range c.found {
		r := &c.found[i]
		line += int64(bytes.Count(c.data[at:r.at], lineFeed))
		at = r.at
		dst = append(dst, Document{
			Weight: 1, Record: r.record, EOL: warcEnd, Line: line, Offset: c.offset + int64(at),
		})
		d := &dst[len(dst)-1]
		if err := p.warc(d, r); err != nil {
			c.file.spoil(d, err)
		} else {
			d.Labels = c.file.labels
		}
	}
	c.parsed.add(p.arenas...)
	return dst
}

// first returns nothing: a file of texts from many servers is not judged by its first.
func (c *warcPiece) first(int) (documents []Document, raw []byte) { return nil, nil }

func (c *warcPiece) size() int64 { return int64(len(c.data) + len(c.found)*documentBytes) }

func (c *warcPiece) release() {
	c.memory.release()
	c.parsed.release()
}
