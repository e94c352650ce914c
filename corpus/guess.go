package corpus

import (
	"bytes"
	"fmt"
)

// looksLike returns the first format that a line looks like, nil if it looks like none.
func looksLike(line []byte, o *Input) *format {
	for _, f := range formats {
		if f.sniff != nil && f.sniff(line, o.of(f)) {
			return f
		}
	}
	return nil
}

// guess decides on the format of a file whose name says nothing, or not enough, by its first line.
func (p *peeker) guess() error {
	f := p.file
	if f.o.format() != nil {
		return nil
	}
	if head := p.rest(); !bytes.Contains(head, hole) { // which is damage, as the parser says
		if refusal := binaryHead(head); refusal != "" {
			return p.refuseAs(refusal)
		}
	}
	asLines := f.format == &linesFormat
	if asLines && (f.o.fieldsGiven() || fastTextLabel(p.first, f.o)) { // which lines of text don't have
		f.format = nil
	}
	switch named := f.format; {
	case named == nil:
		f.format = looksLike(p.first, f.o)
		if f.format == nil && asLines { // which have no fields
			f.format = &linesFormat
		} else if f.format == nil {
			return p.refuse("looks like no known format; name the format with Input.Format")
		}
		if f.format == &tsvFormat || f.format == &linesFormat && !asLines {
			if err := p.checkTabs(); err != nil || f.format == &linesFormat {
				return err
			}
		}
		if f.format != &linesFormat || f.o.class != "" { // which is what is scored, if nothing speaks against it
			f.note("is read as %s, because its first line looks like %s; Input.Format names another format",
				f.format.name, f.format.shape)
		}
	case asLines && bytes.IndexByte(p.first, '\t') >= 0:
		f.note("is read as lines, as its name says, although its first line has a tab; Input.Format names another format")
	case named == &tsvFormat:
		return p.checkTabs()
	}
	return nil
}

// checkTabs refuses label<TAB>text with fields in quotes, as CSV with tabs has them: around doubled quotes. What is scored
// is lines of text if hardly any has a tab, and refused if some have one and others none. It looks at the first lines,
// unless they come from a stream whose records are wanted as they come.
func (p *peeker) checkTabs() error {
	const most = 1000
	quoted, asText := int64(0), false // the first line with such a field; whether quotes are text
	lines, tabs := 0, 0
	q := *p
	for ok := true; ok && q.count < most && !(p.cut.stream && p.file.o.scored()); {
		line := trimEOL(q.line)
		if !isBlank(line) {
			if lines++; bytes.IndexByte(line, '\t') >= 0 {
				tabs++
			}
		}
		for i := 0; i <= len(line) && !asText && bytes.IndexByte(line, '"') >= 0; {
			field, whole := fieldAt(line, i, '\t', true)
			if !whole {
				asText = field.end > 0 // there is text behind its quotes
				break
			}
			if field.escaped && quoted == 0 {
				quoted = q.count
			}
			i = field.end + 1
		}
		_, ok = q.next()
	}
	p.line = p.cut.buf[p.cut.start+p.begin:][:len(p.line)] // which may have moved
	text := p.file.format == &linesFormat
	if quoted > 0 && !asText && !text {
		return p.refuse(fmt.Sprintf("has fields in quotes, as pandas and spreadsheets write them, the first in line %d: read them with Input.Format csv and Input.Delimiter tab; or insist with Input.Format tsv that quotes are text", quoted))
	}
	switch f := p.file; {
	case !text && 10*tabs >= 9*lines || !f.o.Unlabelled || f.o.fieldsGiven() || f.o.hasHeader():
	case 10*tabs > lines:
		return p.refuse(fmt.Sprintf("may be lines of text or label<TAB>text, since %d of its first %d lines have a tab: say which, Input.Format lines or Input.Format tsv", tabs, lines))
	case !text:
		f.format = &linesFormat
		f.note("is read as lines, because %d of its first %d lines have a tab; Input.Format names another format", tabs, lines)
	}
	return nil
}

// note reports what was concluded from the content of the file.
func (f *file) note(format string, args ...any) {
	if f.o.Note != nil {
		f.o.Note(f.path, fmt.Sprintf(format, args...))
	}
}
