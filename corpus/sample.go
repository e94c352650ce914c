package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
)

// sampleLines is how many lines are looked at to tell what a file is.
const sampleLines = 1000

// sample counts what the first lines of a file look like, from the first that is not blank on. What it says
// depends on the lines alone, and not on how they came.
type sample struct {
	o         *Input
	formats   []*format // to look like
	lines     int       // that are not blank
	bytes     int
	at        int64           // line of the file
	tabs      int             // lines with one
	heads     map[string]bool // what stands before it
	looks     map[*format]int
	labelled  int64  // the first line that begins with a label of fastText, 0 for none
	behind    int    // lines with such a label behind words
	behindAt  int64  // the first of them
	quoted    int64  // the first line with a field in quotes, 0 for none
	needed    int    // lines with a field in quotes that it needs if it is CSV
	needless  int    // lines with others
	noQuotes  bool   // some field has text behind its quotes
	path      string // for messages
	binary    int    // bytes of lines that are no text
	refusal   string // what the first of them is refused with
	openQuote int64  // the line with a quoted field that does not end in it, until that ends; else 0
}

// add looks at a line, with its terminator; false once it has seen enough.
func (s *sample) add(raw []byte) bool {
	line := trimEOL(raw)
	s.at++
	switch s.bytes += len(raw); {
	case isBlank(line) && s.lines == 0:
		s.bytes = 0
		return true
	case s.lines == sampleLines || s.bytes > sniffWindow || len(line) > s.o.maxRecord():
		return false
	}
	s.quotes(line)
	if isBlank(line) {
		return true
	}
	if refusal := binaryLine(line); refusal != "" && len(line) < len(raw) { // of a line that goes on, any part may be there
		s.binary, s.refusal = s.binary+len(raw), cmp.Or(s.refusal, refusal)
	}
	s.lines++
	if s.looks == nil {
		s.looks, s.heads = map[*format]int{}, map[string]bool{}
	}
	if head, _, tab := bytes.Cut(line, tabs); tab {
		s.tabs++
		s.heads[string(head)] = true
	}
	if labelBehind(line) {
		if s.behind++; s.behind == 1 {
			s.behindAt = s.at
		}
	}
	if s.labelled == 0 && fastTextLabel(line, s.o) {
		s.labelled = s.at
	}
	if f := looksLike(line, s.o, s.formats); f != nil {
		s.looks[f]++
	}
	return s.lines < sampleLines
}

// looksLike is the first format that a line looks like, nil if it looks like none.
func looksLike(line []byte, o *Input, formats []*format) *format {
	for _, f := range formats {
		if f.sniff != nil && f.sniff(line, o.of(f)) {
			return f
		}
	}
	return nil
}

// most tells whether nine in ten lines are so.
func (s *sample) most(lines int) bool { return 10*lines >= 9*s.lines }

// counted says how many lines have something.
func (s *sample) counted(lines int, what string) string {
	switch lines {
	case 0:
		return fmt.Sprintf("none of its first %d lines has %s", s.lines, what)
	case s.lines:
		return fmt.Sprintf("all of its first %d lines have %s", s.lines, what)
	}
	return fmt.Sprintf("%d of its first %d lines have %s", lines, s.lines, what)
}

// guess is the format of the lines, given that of the first, and why; nil if it can't be told, and why not.
func (s *sample) guess(first *format) (f *format, why string) {
	switch {
	case !vague(first) || first != nil && s.lines == 0: // even the first line was too long
		return first, "its first line looks like " + first.shape
	case s.labelled > 0:
		return &fastTextFormat, fmt.Sprintf("line %d begins with __label__", s.labelled)
	}
	for _, strict := range s.formats {
		if strict != &tsvFormat && strict != &linesFormat && s.looks[strict] > 0 && s.most(s.looks[strict]) {
			return strict, fmt.Sprintf("%d of its first %d lines look like %s", s.looks[strict], s.lines, strict.shape)
		}
	}
	switch {
	case first == &tsvFormat && !s.o.Unlabelled, s.tabs > 0 && s.lines == 1:
		return &tsvFormat, "its first line has a tab"
	case s.looks[&linesFormat] > 0 && s.lines == 1:
		return &linesFormat, "its first line has no tab, and looks like no other format"
	case s.tabs > 0 && s.most(s.tabs), s.tabs > 0 && s.o.Unlabelled, s.looks[&linesFormat] > 0:
		return s.textOrPairs()
	}
	return nil, "looks like no format known; name it with --format"
}

// textOrPairs is the format of lines that are text or label<TAB>text, and why; nil if one is as likely as the other.
func (s *sample) textOrPairs() (f *format, why string) {
	have := s.counted(s.tabs, "a tab")
	switch {
	case s.tabs > 0 && s.most(s.tabs):
		return &tsvFormat, have
	case s.most(s.lines - s.tabs):
		return &linesFormat, have
	}
	return nil, "may be lines of text or label<TAB>text, since " + have + ": say which, --format lines or --format tsv"
}

// ofName is the format of a file whose name says text, or label<TAB>text, and why if it is to be told; nil if the lines
// may be either.
func (s *sample) ofName(named *format) (f *format, why string) {
	plain := s.o.Unlabelled && !s.o.fieldsGiven() && !s.o.hasHeader()
	switch {
	case named == &linesFormat && s.labelled > 0: // text has any shape, but hardly this one
		return s.guess(named)
	case named == &tsvFormat && plain && s.lines > 0 && !s.most(s.tabs):
		return s.textOrPairs()
	case named == &linesFormat && s.tabs >= fewToCompare && s.most(s.tabs) && labelRepeats*len(s.heads) <= s.tabs:
		return &tsvFormat, s.counted(s.tabs, fmt.Sprintf("a tab, and before it one of %d labels", len(s.heads)))
	case named == &linesFormat && s.tabs > 0:
		return named, "as its name says, although " + s.counted(s.tabs, "a tab")
	}
	return named, ""
}

// quotes looks for fields in quotes, as CSV with tabs has them.
func (s *sample) quotes(line []byte) {
	if s.openQuote > 0 {
		// It goes on over lines that have no tab, and ends with one.
		switch ends := bytes.HasSuffix(line, []byte{'"'}); {
		case bytes.IndexByte(line, '\t') >= 0:
			s.openQuote = 0
		case ends:
			s.sawQuoted(s.openQuote, true)
			s.openQuote = 0
			return
		default:
			return
		}
	}
	if bytes.IndexByte(line, '"') < 0 {
		return
	}
	needed, needless := false, false
	for i := 0; i <= len(line); {
		f, ok := csvFieldAt(line, i, '\t')
		switch {
		case !ok && f.end == 0:
			s.openQuote = s.at
			return
		case !ok:
			s.noQuotes = true
			return
		case i == len(line) || line[i] != '"':
		case f.escaped || i == 0 || bytes.IndexByte(f.value, '\t') >= 0:
			needed = true
		default:
			needless = true
		}
		i = f.end + 1
	}
	if needed || needless {
		s.sawQuoted(s.at, needed)
	}
}

func (s *sample) sawQuoted(line int64, needed bool) {
	if needed {
		s.needed++
	} else {
		s.needless++
	}
	if s.quoted == 0 {
		s.quoted = line
	}
}

// isQuoted tells whether the lines are CSV with tabs: fields are in quotes that would be other fields, or other lines,
// without, or some field of every line is.
func (s *sample) isQuoted() bool {
	return !s.noQuotes && (s.needed > 0 && s.needless == 0 || s.lines >= fewToCompare && s.needed+s.needless == s.lines)
}

// guess decides on the format of a file whose name says nothing, or not enough.
func (p *peeker) guess() error {
	f := p.file
	f.named = f.format
	first := f.named
	if first == nil {
		first = looksLike(p.first, f.o, formats)
	}
	unsure := f.o.format() == nil && vague(first)
	switch {
	case !unsure && f.named == nil:
		f.note("is read as %s: its first line looks like %s (--format says otherwise)", first.name, first.shape)
		fallthrough
	case !unsure:
		f.format = first
		if first != &fastTextFormat || p.cut.pipe { // of which records are told as they come
			return nil
		}
		s := &sample{o: f.o, at: p.number - 1, path: p.word}
		p.sample(s)
		return p.refused(s.checkLabels(first))
	}
	s := &sample{o: f.o, formats: formats, at: p.number - 1, path: p.word}
	p.sample(s)
	if p.hurry() {
		f.doubt = &sample{o: f.o, formats: formats, path: p.word}
	}
	why, err := "", error(nil)
	if f.format, why, err = s.verdict(f.named, first); err == nil && why != "" {
		f.note("is read as %s: %s (--format says otherwise)", f.format.name, why)
	}
	return p.refused(err)
}

// vague tells whether a first line that looks like a format, or like none, may be of another.
func vague(first *format) bool { return first == nil || first == &tsvFormat || first == &linesFormat }

// hurry tells whether the first record is needed before more lines may come.
func (p *peeker) hurry() bool { return p.cut.stream && p.file.o.Unlabelled }

// refused is the refusal of the file for an error, if there is one.
func (p *peeker) refused(err error) error {
	if err == nil {
		return nil
	}
	return p.refuse(err.Error())
}

// verdict is the format of the lines, given that of the file's name, or else of the first line, and why, if that is
// to be told.
func (s *sample) verdict(named, first *format) (f *format, why string, err error) {
	if named == nil {
		f, why = s.guess(first)
	} else {
		f, why = s.ofName(named)
	}
	if err := s.checkLabels(f); err != nil {
		return nil, "", err
	}
	switch {
	case s.o.Format == Auto && 2*s.binary > s.bytes:
		return nil, "", fmt.Errorf(s.refusal, s.path)
	case f == nil:
		return nil, "", errors.New(why)
	case f == &tsvFormat && s.isQuoted():
		flags := "--format csv --delimiter tab"
		if !s.o.fieldsGiven() {
			flags += ", and if there is no header, with the numbers of its columns for --label-field and --text-field"
		}
		return nil, "", fmt.Errorf("has fields in quotes, as pandas and spreadsheets write them, the first in line %d: read them with %s; or insist with --format tsv that quotes are text", s.quoted, flags)
	}
	return f, why, nil
}

// checkLabels is an error if most lines have labels of fastText that would be read as words.
func (s *sample) checkLabels(f *format) error {
	if s.lines == 1 || s.behind == 0 || 2*s.behind < s.lines || f != nil && f != &fastTextFormat && f != &linesFormat {
		return nil
	}
	return fmt.Errorf("has labels behind words, as %s, the first line %d, and would be read with these labels as words: %s",
		s.counted(s.behind, "them"), s.behindAt, labelsFirst(nil))
}

// sample takes a sample of lines, only the first if there is no time.
func (p *peeker) sample(s *sample) {
	type span struct{ begin, n int }
	var spans []span
	for q, ok := *p, true; ok; _, ok = q.next() {
		more := s.add(q.line)
		if !isBlank(trimEOL(q.line)) {
			spans = append(spans, span{q.begin, len(trimEOL(q.line))})
		}
		if !more || p.hurry() {
			break
		}
	}
	rest := p.cut.buf[p.cut.start:] // which may have moved
	for _, at := range spans {
		p.lines = append(p.lines, rest[at.begin:at.begin+at.n:at.begin+at.n])
	}
	p.line = rest[p.begin : p.begin+len(p.line)]
	p.first = p.lines[0]
}

// others are the lines of a sample behind the first. What was seen of the file before may have moved.
func (p *peeker) others() [][]byte {
	if p.lines == nil {
		p.line = p.cut.buf[p.cut.start+p.begin:][:len(p.line)]
		p.sample(&sample{o: p.file.o})
	}
	return p.lines[min(1, len(p.lines)):]
}

// doubtful goes on with the sample of a stream, whose format was needed before there were more lines. It is an
// error if the format would have been another.
func (t *text) doubtful(p *piece, end error) error {
	f := t.file
	more := end == nil && p.err == nil
	if more {
		more = f.doubt.addAll(p.data)
		if settled := f.doubt.labelled > 0 && (f.named == nil || f.named == &linesFormat); settled {
			more = false
		}
	}
	if more {
		return nil
	}
	s := f.doubt
	f.doubt = nil
	if end != nil && end != io.EOF {
		return nil
	}
	format, why, err := s.verdict(f.named, f.format)
	if err == nil && format != f.format {
		err = fmt.Errorf("was read as %s, since its first line looks so, but %s: say which it is, --format %[1]s or --format %[3]s", f.format.name, why, format.name)
	}
	if err != nil {
		return &fileError{Path: f.path, Err: err}
	}
	return nil
}

// addAll adds lines; false once they are enough.
func (s *sample) addAll(data []byte) bool {
	for line := range bytes.Lines(data) {
		if !s.add(line) {
			return false
		}
	}
	return true
}

// note tells what was taken of the file from its content.
func (f *file) note(format string, args ...any) {
	if f.o.Note != nil {
		f.o.Note(f.path, fmt.Sprintf(format, args...))
	}
}
