package corpus

import (
	"bytes"
	"cmp"
	"fmt"
)

// sampleLines is how many lines a sample has at most.
const sampleLines = 1000

// sample counts what the first lines of a file look like, from the first line on that is not blank. It decides on the
// format of files whose name does not tell it. What it says depends on the lines alone, not on how they are read.
type sample struct {
	o        *Input
	lines    int // that are not blank
	bytes    int
	at       int64           // line of the file
	tabs     int             // lines with a tab
	looks    map[*format]int // lines that look like a format
	binary   int             // bytes of lines that are no text
	quoted   int64           // first line with a field that needs its quotes if it is CSV, 0 for none
	noQuotes bool            // some field has text behind its quotes, so quotes are text
}

// add takes a line, with its terminator, into the sample. It returns false once the sample is large enough.
func (s *sample) add(raw []byte) bool {
	line := trimEOL(raw)
	s.at++
	switch s.bytes += len(raw); {
	case isBlank(line):
		return s.bytes <= sniffWindow
	case s.bytes > sniffWindow || len(line) > s.o.maxRecord():
		return false
	}
	if binaryLine(line) != "" && len(line) < len(raw) { // of a line that goes on, any part may be there
		s.binary += len(raw)
	}
	s.lines++
	if bytes.IndexByte(line, '\t') >= 0 {
		s.tabs++
	}
	if f := looksLike(line, s.o); f != nil {
		s.looks[f]++
	}
	s.quotes(line)
	return s.lines < sampleLines
}

// quotes looks for fields in quotes, as CSV with tabs has them: around doubled quotes.
func (s *sample) quotes(line []byte) {
	if bytes.IndexByte(line, '"') < 0 {
		return
	}
	for i := 0; i <= len(line); {
		f, ok := fieldAt(line, i, '\t', true)
		switch {
		case !ok:
			s.noQuotes = s.noQuotes || f.end > 0
			return
		case f.escaped && s.quoted == 0:
			s.quoted = s.at
		}
		i = f.end + 1
	}
}

// looksLike returns the first format that a line looks like, nil if it looks like none.
func looksLike(line []byte, o *Input) *format {
	for _, f := range formats {
		if f.sniff != nil && f.sniff(line, o.of(f)) {
			return f
		}
	}
	return nil
}

// vague reports whether a file may be of another format than its first line looks like.
func vague(first *format) bool { return first == nil || first == &tsvFormat || first == &linesFormat }

// most reports whether nine in ten lines are so.
func (s *sample) most(lines int) bool { return 10*lines >= 9*s.lines }

// format returns the format of the lines, given that of the file's name, nil if it tells none, and that of the first
// line; and what speaks for it, or against that of the name, if users should know. It is nil if it can't be told, and
// why not.
func (s *sample) format(named, first *format) (f *format, why string) {
	if s.lines == 0 || named == &tsvFormat && (!s.o.Unlabelled || s.o.fieldsGiven() || s.o.hasHeader()) {
		return cmp.Or(named, first), ""
	}
	for _, strict := range formats {
		n := s.looks[strict]
		if n > 0 && (strict == &fastTextFormat && named != &tsvFormat || !vague(strict) && named == nil && s.most(n)) {
			return strict, fmt.Sprintf("%d of its first %d lines look like %s", n, s.lines, strict.shape)
		}
	}
	have := fmt.Sprintf("%d of its first %d lines have a tab", s.tabs, s.lines)
	if s.lines == 1 {
		have = "its first line has " + map[bool]string{false: "no", true: "a"}[s.tabs == 1] + " tab"
	}
	switch {
	case named == &linesFormat && s.tabs > 0 && !s.o.fieldsGiven():
		return named, have
	case s.tabs > 0 && s.most(s.tabs), s.tabs > 0 && first == &tsvFormat && !s.o.Unlabelled:
		return &tsvFormat, have
	case named == &linesFormat:
		return named, ""
	case !s.o.Unlabelled || s.o.fieldsGiven():
		return nil, "looks like no known format; name the format with Input.Format"
	case s.most(s.lines - s.tabs):
		return &linesFormat, have
	}
	return nil, "may be lines of text or label<TAB>text, since " + have + ": say which, Input.Format lines or Input.Format tsv"
}

// guess decides on the format of a file whose name says nothing, or not enough.
func (p *peeker) guess() error {
	f := p.file
	named, first := f.format, f.format
	if first == nil {
		first = looksLike(p.first, f.o)
	}
	if f.o.format() != nil || !vague(first) {
		if f.format = first; named == nil {
			f.note("is read as %s, because its first line looks like %s; Input.Format names another format",
				first.name, first.shape)
		}
		return nil
	}
	s := &sample{o: f.o, at: p.number - 1, looks: map[*format]int{}}
	p.sample(s)
	is, why := s.format(named, first)
	switch {
	case f.o.Format == Auto && 2*s.binary > s.bytes:
		return p.refuseAs(binaryRefusal)
	case is == nil:
		return p.refuse(cmp.Or(why,
			"begins with a line that is too long to tell its format; name the format with Input.Format"))
	case is == &tsvFormat && s.quoted > 0 && !s.noQuotes:
		return p.refuse(fmt.Sprintf("has fields in quotes, as pandas and spreadsheets write them, the first in line %d: read them with Input.Format csv and Input.Delimiter tab; or insist with Input.Format tsv that quotes are text", s.quoted))
	case is == &linesFormat && named == nil && s.tabs == 0: // which is what is scored, if nothing speaks against it
	case is == named && is == &linesFormat && why != "":
		f.note("is read as %s, as its name says, although %s; Input.Format names another format", is.name, why)
	case is != named:
		f.note("is read as %s, because %s; Input.Format names another format",
			is.name, cmp.Or(why, "its first line looks like "+is.shape))
	}
	f.format = is
	return nil
}

// sample takes a sample of lines: of a stream whose records are wanted as they come, only the first.
func (p *peeker) sample(s *sample) {
	hurry := p.cut.stream && p.file.o.Unlabelled
	for q, ok := *p, true; ok && s.add(q.line) && !hurry; {
		_, ok = q.next()
	}
	p.line = p.cut.buf[p.cut.start+p.begin:][:len(p.line)] // which may have moved
}

// note reports what was concluded from the content of the file.
func (f *file) note(format string, args ...any) {
	if f.o.Note != nil {
		f.o.Note(f.path, fmt.Sprintf(format, args...))
	}
}
