package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
)

var errClosed = errors.New("corpus: the reader is closed")

// file is what parsing has to know of a file.
type file struct {
	path    string
	format  *format
	columns *columns // nil if records are not taken apart by column
	header  []byte   // with its terminator; nil if there is none
	last    bool     // no other follows
	liked   bool     // it is read as Input.Like says
	labels  [][]byte // of every record, if the file has a class
	o       *Input
	keeps   []string   // the options'
	raters  int        // how many of these, the last, have labels
	arenas  *sync.Pool // the reader's
}

// openFile opens a file, finds its format and reads its header.
func (r *Reader) openFile(path string) (err error) {
	if r.src, err = openSource(path, r); err != nil {
		r.src = nil
		return err
	}
	r.cut = &cutter{
		src: r.src, stream: r.src.stream, plain: r.src.plain != nil, spare: &r.spare,
		block: r.block, limit: r.limit, max: r.o.maxRecord(), line: 1,
	}
	if r.cut.plain && r.src.plain.size+minRead < int64(r.block) { // a small file does not take a large buffer
		r.cut.block, r.cut.spare = int(r.src.plain.size)+minRead, nil
	}
	r.own = r.o.ofFile(len(r.o.Paths) - len(r.paths) - 1)
	r.file = &file{
		path: r.src.name, o: r.own, keeps: r.own.keeps(), raters: len(r.own.raters()), last: len(r.paths) == 0,
		arenas: &r.arenas,
	}
	if r.src.of == Auto {
		err = r.skipBOM()
	}
	var p *peeker
	switch {
	case err != nil:
	case r.src.of != Auto:
		err = r.checkKnown(r.src.of.find())
	default:
		p, err = r.sniff(path)
	}
	if err != nil {
		return err
	}
	r.file.labels = r.file.classLabels()
	if r.contents, err = r.file.format.open(r, p); err != nil {
		return err
	}
	return r.joins(r.file)
}

// bom is the UTF-8 byte order mark.
const bom = "\xef\xbb\xbf"

// skipBOM skips the mark, and finds WARC, and refuses what is no text even once decompressed.
func (r *Reader) skipBOM() error {
	c := r.cut
	within := func(mark string) bool { return len(c.buf) < len(mark) && strings.HasPrefix(mark, string(c.buf)) }
	for c.end == nil && (within(bom) || within(warcMagic)) {
		c.fill()
	}
	if bytes.HasPrefix(c.buf, []byte(warcMagic)) {
		r.src.of = WARC
		return nil
	}
	if err := checkText(c.buf, r.src.word()); err != nil {
		return refuse(r.src.name, err)
	}
	if bytes.HasPrefix(c.buf, []byte(bom)) {
		c.advance(len(bom), 0)
		c.restart()
	}
	return nil
}

// sniff looks at the first line that is not blank, and decides on the format.
func (r *Reader) sniff(path string) (*peeker, error) {
	f, c := r.file, r.cut
	f.format = r.own.formatOf(path)
	f.likeOthers(r.own)
	if f.format == &warcFormat {
		return nil, r.checkKnown(f.format)
	}
	p := &peeker{file: f, cut: c, word: r.src.word()}
	first, ok := p.next()
	for ok && isBlank(first) {
		first, ok = p.next()
	}
	if !ok {
		return p, r.sniffNothing()
	}
	p.first, p.number = bytes.Clone(first), p.count
	first = p.first
	if f.format == &parquetFormat {
		return nil, p.refuse(notParquet)
	}
	isText := f.format == nil || f.format.parse != nil
	if refusal := binaryHead(first); refusal != "" && isText && f.o.Format == Auto {
		return nil, p.refuseAs(refusal)
	}
	const fewReturns = 3 // in a line, of text that has such bytes for no reason
	if isText && f.o.Format == Auto && bytes.Count(first, []byte{'\r'}) >= fewReturns {
		return nil, p.refuse("has lines that end in CR alone, as old Macs wrote them: convert them first, tr '\\r' '\\n' < " + r.src.word() + " | nbsvm ... -, or insist with Input.Format")
	}
	array, is := bytes.CutPrefix(first, []byte("["))
	if is && (f.format == &jsonlFormat || f.format == nil && (isBlank(array) || jsonObject(array, f.o))) {
		return nil, p.refuse("is a JSON array, not one JSON object a line: make it lines, jq -c '.[]' " + r.src.word() + ", or Input.Format lines if it is text")
	}
	if err := p.guess(); err != nil {
		return nil, err
	}
	f.likeOthers(r.own)
	if err := f.o.checkFields(f.format); err != nil {
		return nil, refuse(f.path, err)
	}
	if r.o.Header != nil && f.format.columns == nil {
		f.note("is %s, which has no columns, and so no header that names them: Input.Header has no effect",
			f.format.name)
	}
	return p, nil
}

// joins refuses a file whose records can't stand in one output with those before.
func (r *Reader) joins(f *file) error {
	switch {
	case !r.o.Headers:
	case r.before == nil:
		r.before = f
	case r.before.format != f.format:
		return refuse(f.path, fmt.Errorf("is %s, and %s is %s: records of several formats can't stand in one file, so take them apart, or name the format of all with Input.Format",
			f.format.name, r.before.path, r.before.format.name))
	}
	return nil
}

// likeOthers takes the options for the file's format, if that is known.
func (f *file) likeOthers(o *Input) {
	if f.format != nil {
		f.o = o.of(f.format)
		f.keeps, f.raters = f.o.keeps(), len(f.o.raters())
		f.liked = f.o != o || o.format() == nil && o.Like.Format == f.format.name
	}
}

// sniffNothing is for files of which no line can be looked at: they cannot be
// read, or hold nothing but blank lines, which are documents at most.
func (r *Reader) sniffNothing() error {
	f, c := r.file, r.cut
	needed := f.format == nil || f.format.needsFirst(f.o)
	if f.format == &parquetFormat && c.end == io.EOF {
		return refuse(f.path, errors.New(notParquet))
	}
	switch {
	case c.end != nil && c.end != io.EOF:
		return c.broken(f.path, c.end)
	case needed && c.end == nil:
		return refuse(f.path,
			errors.New("begins with a mebibyte of blank lines: remove them, or give the format with Input.Format"))
	case needed:
		f.format = &linesFormat
	}
	return nil
}

// peeker looks at the first lines of a file without taking them, reading no
// further than it must, and never beyond the sniffing window.
type peeker struct {
	file   *file
	cut    *cutter
	begin  int    // of the line, from the cutter's start
	line   []byte // with its terminator
	count  int64
	first  []byte // the first line that is not blank, without its terminator; nil if there is none
	number int64  // of that line
	word   string // for the file in commands that messages advise
}

// refuse returns the error that a file is not what it was said to be.
func (p *peeker) refuse(why string) error { return p.refuseFor(errors.New(why)) }

// refuseFor returns refuse with an error that callers may ask for.
func (p *peeker) refuseFor(why error) error {
	if wide := doubt.CheckWide(p.cut.buf[p.cut.start:], p.word); wide != nil {
		why = wide // whatever its first lines look like
	}
	liked := ""
	if p.file.liked {
		liked = " (it is read like the files that the model was trained on; Input.Format and Input.TextField say otherwise)"
	}
	return refuse(p.file.path, fmt.Errorf("%w%s. Line %d is %s", why, liked, p.number, display.Excerpt(p.first)))
}

// refuseAs returns refuse with a refusal that names the file in commands.
func (p *peeker) refuseAs(refusal string) error { return p.refuse(named(refusal, p.word)) }

// next returns the next line without its terminator, or as much of it as the window
// has; false if there is none, or its end could not be read.
func (p *peeker) next() ([]byte, bool) {
	p.begin += len(p.line)
	for looked := 0; ; {
		rest := p.rest()
		end := looked + bytes.IndexByte(rest[looked:], '\n') + 1
		if end == looked && p.more() {
			looked = len(rest)
			continue
		}
		if p.line = rest[:end]; end == looked {
			if p.line = rest; len(rest) == 0 || p.cut.end != nil && p.cut.end != io.EOF {
				return nil, false
			}
		}
		p.count++
		return trimEOL(p.line), true
	}
}

// rest returns what was read from the line on, and more reads more of the window, if there is more.
func (p *peeker) rest() []byte { return p.cut.buf[p.cut.start+p.begin:] }

func (p *peeker) more() bool {
	if p.cut.end != nil || p.begin+len(p.rest()) >= sniffWindow {
		return false
	}
	p.cut.fill()
	return true
}

// record returns the record that begins where the line does, with its terminator;
// false if it does not end within the window.
func (p *peeker) record(quoted bool, delimiter byte) ([]byte, bool) {
	for {
		rest := p.rest()
		state := fieldStart
		if !quoted {
			state = broken // where quotes mean nothing
		}
		n, whole := state.scan(rest, delimiter)
		if whole || !p.more() {
			return rest[:n], whole || p.cut.end == io.EOF && state != inQuotes
		}
	}
}

// isBlank tells lines of nothing but spaces.
func isBlank(line []byte) bool { return len(bytes.TrimLeft(line, " ")) == 0 }
