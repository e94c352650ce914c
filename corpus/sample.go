package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// sampleLines is how many lines are looked at to tell what a file is.
const sampleLines = 1000

// sample counts what the first lines of a file look like, from the first that is not blank on. What it says
// depends on the lines alone, and not on how they came.
type sample struct {
	o         *Options
	formats   []*format // to look like
	lines     int       // that are not blank
	bytes     int
	at        int64 // line of the file
	tabs      int   // lines with one
	looks     map[*format]int
	labelled  int64 // the first line with a label of fastText, 0 for none
	quoted    int64 // the first line with a field in quotes, 0 for none
	needed    int   // lines with a field in quotes that it needs if it is CSV
	needless  int   // lines with others
	noQuotes  bool  // some field has text behind its quotes
	openQuote int64 // the line with a quoted field that does not end in it, until that ends; else 0
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
	s.lines++
	if bytes.IndexByte(line, '\t') >= 0 {
		s.tabs++
	}
	if s.labelled == 0 && fastTextLabel(line, s.o) {
		s.labelled = s.at
	}
	if f := looksLike(line, s.o, s.formats); f != nil {
		if s.looks == nil {
			s.looks = map[*format]int{}
		}
		s.looks[f]++
	}
	return s.lines < sampleLines
}

// looksLike is the first format that a line looks like, nil if it looks like none.
func looksLike(line []byte, o *Options, formats []*format) *format {
	for _, f := range formats {
		if f.sniff != nil && f.sniff(line, o.of(f)) {
			return f
		}
	}
	return nil
}

// most tells whether nine in ten lines are so.
func (s *sample) most(lines int) bool { return 10*lines >= 9*s.lines }

// guess is the format of the lines, given that of the first, and why; nil if it can't be told, and why not.
func (s *sample) guess(first *format) (f *format, why string) {
	vague := first == nil || first == &tsvFormat || first == &linesFormat
	switch {
	case !vague || first != nil && s.lines == 0: // even the first line was too long
		return first, "its first line looks like " + first.shape
	case s.labelled > 0:
		return &fastTextFormat, fmt.Sprintf("line %d begins with __label__", s.labelled)
	}
	for _, strict := range s.formats {
		if strict != &tsvFormat && strict != &linesFormat && s.looks[strict] > 0 && s.most(s.looks[strict]) {
			return strict, fmt.Sprintf("%d of its first %d lines look like %s", s.looks[strict], s.lines, strict.shape)
		}
	}
	all := fmt.Sprintf("%d of its first %d lines have a tab", s.tabs, s.lines)
	if s.tabs == 0 {
		all = fmt.Sprintf("none of its first %d lines has a tab, or looks like another format", s.lines)
	}
	switch {
	case first == &tsvFormat && !s.o.Unlabelled:
		return first, "its first line has a tab"
	case s.tabs > 0 && s.lines == 1:
		return &tsvFormat, "its first line has a tab"
	case s.tabs > 0 && s.most(s.tabs):
		return &tsvFormat, all
	case s.looks[&linesFormat] > 0 && s.lines == 1:
		return &linesFormat, "its first line has no tab, and looks like no other format"
	case s.looks[&linesFormat] > 0 && s.most(s.lines-s.tabs):
		return &linesFormat, all
	case s.o.Unlabelled && s.tabs > 0:
		return nil, "may be lines of text or label<TAB>text, since " + all + ": say which, --format lines or --format tsv"
	}
	return nil, "looks like no format known; name it with --format"
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
	first := f.format
	byContent := first == nil
	unsure := f.o.format() == nil && (byContent || first == &linesFormat || first == &tsvFormat)
	if !unsure && f.format.columns == nil {
		return nil
	}
	s := &sample{o: f.o, formats: formats, at: p.number - 1}
	hurry := p.cut.stream && f.o.Unlabelled
	p.sample(s, hurry)
	if hurry && unsure {
		f.doubt, f.byContent = &sample{o: f.o, formats: formats}, byContent
	}
	if !unsure {
		return nil
	}
	if byContent {
		first = looksLike(p.first, f.o, formats)
	}
	why, err := "", error(nil)
	if f.format, why, err = s.verdict(first, byContent); err != nil {
		return p.refuse(err.Error())
	}
	if byContent || f.format != first {
		f.note("is read as %s: %s (--format says otherwise)", f.format.name, why)
	}
	return nil
}

// verdict is the format of the lines, given that of the first line, or else of the file's name.
func (s *sample) verdict(first *format, byContent bool) (f *format, why string, err error) {
	switch {
	case byContent:
		f, why = s.guess(first)
	case first == &linesFormat && s.labelled > 0: // text has any shape, but hardly this one
		f, why = s.guess(first)
	default:
		f = first
	}
	switch {
	case f == nil:
		return nil, "", errors.New(why)
	case f == &tsvFormat && s.isQuoted():
		flags := "--format csv --delimiter tab"
		if !s.o.fieldsGiven() {
			flags += ", with --label-field 1 --text-field 2 if there is no header"
		}
		return nil, "", fmt.Errorf("has fields in quotes, as pandas and spreadsheets write them, the first in line %d: read them with %s; or insist with --format tsv that quotes are text", s.quoted, flags)
	}
	return f, why, nil
}

// sample takes a sample of lines, only the first if there is no time.
func (p *peeker) sample(s *sample, hurry bool) {
	type span struct{ begin, n int }
	var spans []span
	for q, ok := *p, true; ok; _, ok = q.next() {
		more := s.add(q.line)
		if !isBlank(trimEOL(q.line)) {
			spans = append(spans, span{q.begin, len(trimEOL(q.line))})
		}
		if !more || hurry {
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

// doubtful goes on with the sample of a stream, whose format was needed before there were more lines. It is an
// error if the format would have been another.
func (t *text) doubtful(p *piece, end error) error {
	f := t.file
	more := end == nil && p.err == nil
	if more {
		more = f.doubt.addAll(p.data)
		if settled := f.doubt.labelled > 0 && (f.byContent || f.format == &linesFormat); settled {
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
	format, why, err := s.verdict(f.format, f.byContent)
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
