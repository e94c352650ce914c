package corpus

import (
	"bytes"
	"cmp"
	"errors"
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
	heads    map[string]bool // what stands before the tab
	looks    map[*format]int // lines that look like a format
	labelled int64           // first line that begins with a label of fastText, 0 for none
	behind   int             // lines with such a label behind words
	behindAt int64           // the first of them
	quoted   int64           // first line with a field that needs its quotes if it is CSV, 0 for none
	noQuotes bool            // some field has text behind its quotes, so quotes are text
	binary   int             // bytes of lines that are no text
	refusal  string          // what the first of them is refused with
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
	if f := looksLike(line, s.o); f != nil {
		s.looks[f]++
	}
	s.quotes(line)
	return s.lines < sampleLines
}

// looksLike is the first format that a line looks like, nil if it looks like none.
func looksLike(line []byte, o *Input) *format {
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

// guess is the format of a file whose name says nothing, given that of the first line, and why; nil if it can't be
// told, and why not.
func (s *sample) guess(first *format) (f *format, why string) {
	if s.labelled > 0 {
		return &fastTextFormat, fmt.Sprintf("line %d begins with __label__", s.labelled)
	}
	for _, strict := range formats {
		if !vague(strict) && s.looks[strict] > 0 && s.most(s.looks[strict]) {
			return strict, fmt.Sprintf("%d of its first %d lines look like %s", s.looks[strict], s.lines, strict.shape)
		}
	}
	switch {
	case first == &tsvFormat && (s.lines == 0 || !s.o.Unlabelled), s.tabs > 0 && s.lines == 1:
		return &tsvFormat, "its first line has a tab"
	case first == &linesFormat && s.lines == 0, s.looks[&linesFormat] > 0 && s.lines == 1:
		return &linesFormat, "its first line has no tab, and looks like no other format"
	case s.tabs > 0 && (s.most(s.tabs) || s.o.Unlabelled), s.looks[&linesFormat] > 0:
		return s.textOrPairs()
	}
	return nil, "looks like no known format; name the format with --format"
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

// ofName is the format of a file whose name says text, or label<TAB>text, and why if users should know; nil if the
// lines may be either.
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

// A text file has labels before its tabs if there are so many tabs, and if each label occurs so often on average.
const (
	fewToCompare = 10
	labelRepeats = 2
)

// quotes looks for fields in quotes, as CSV with tabs has them: around doubled quotes.
func (s *sample) quotes(line []byte) {
	if bytes.IndexByte(line, '"') < 0 {
		return
	}
	for i := 0; i <= len(line); {
		f, ok := csvFieldAt(line, i, '\t')
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

// guess decides on the format of a file whose name says nothing, or not enough.
func (p *peeker) guess() error {
	f := p.file
	named, first := f.format, f.format
	if first == nil {
		first = looksLike(p.first, f.o)
	}
	s := &sample{o: f.o, at: p.number - 1}
	settled := f.o.format() != nil || !vague(first)
	if !settled || first == &fastTextFormat && !p.cut.stream { // whose records are wanted as they come
		p.sample(s)
	}
	if settled {
		if f.format = first; named == nil {
			f.note("is read as %s: its first line looks like %s (--format says otherwise)", first.name, first.shape)
		}
		return p.refused(s.checkLabels(first))
	}
	why, err := "", error(nil)
	if f.format, why, err = s.verdict(named, first, p.word); err == nil && why != "" {
		f.note("is read as %s: %s (--format says otherwise)", f.format.name, why)
	}
	return p.refused(err)
}

// vague tells whether a file may be of another format than its first line looks like.
func vague(first *format) bool { return first == nil || first == &tsvFormat || first == &linesFormat }

// refused is the refusal of the file for an error, if there is one.
func (p *peeker) refused(err error) error {
	if err == nil {
		return nil
	}
	return p.refuse(err.Error())
}

// verdict is the format of the lines, given that of the file's name, or else of the first line, and why, if users
// should know. word is the file in commands that messages advise.
func (s *sample) verdict(named, first *format, word string) (f *format, why string, err error) {
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
		return nil, "", fmt.Errorf(s.refusal, word)
	case f == nil:
		return nil, "", errors.New(why)
	case f == &tsvFormat && s.quoted > 0 && !s.noQuotes:
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
		s.counted(s.behind, "them"), s.behindAt, labelsFirst)
}

// sample takes a sample of lines: of a stream whose records are wanted as they come, only the first.
func (p *peeker) sample(s *sample) {
	hurry := p.cut.stream && p.file.o.Unlabelled
	for q, ok := *p, true; ok && s.add(q.line) && !hurry; {
		_, ok = q.next()
	}
	p.line = p.cut.buf[p.cut.start+p.begin:][:len(p.line)] // which may have moved
}

// note tells what was taken of the file from its content.
func (f *file) note(format string, args ...any) {
	if f.o.Note != nil {
		f.o.Note(f.path, fmt.Sprintf(format, args...))
	}
}
