package corpus

import (
	"bytes"
	"fmt"
	"sync"
)

// FastText is __label__x __label__y text: every leading label is one. Where labels are needed,
// [BadRecords] passes over lines without one.
const FastText Format = "fasttext"

var fastTextFormat = format{
	name:       FastText,
	extensions: []string{".ft", ".fasttext"},
	shape:      "__label__x text",
	sniff:      fastTextLabel,
	open:       openText,
	parse:      (*parser).fastText,
	plausible: func(line []byte, o *Options) bool {
		return o.Unlabelled || o.LabelSep != "" || fastTextLabel(line, o)
	},
	empty: onlyBlanks,
}

var fastTextPrefix = []byte("__label__")

// fastTextLabel tells whether a line begins with a label.
func fastTextLabel(line []byte, _ *Options) bool {
	return bytes.HasPrefix(trimBlanks(line), fastTextPrefix)
}

// fastText is a record of fastText: labels, then text.
func (p *parser) fastText(d *Document, record []byte) error {
	start := len(p.labels)
	rest := trimBlanks(record)
	for bytes.HasPrefix(rest, fastTextPrefix) {
		var label []byte
		label, rest = cutField(rest)
		if len(label) == len(fastTextPrefix) {
			return &fault{what: "__label__ without a label", near: record}
		}
		p.labels = append(p.labels, label[len(fastTextPrefix):])
	}
	if o := p.file.o; len(p.labels) == start && !o.Unlabelled && o.LabelSep == "" {
		return &fault{err: errPassedOver, near: record}
	}
	if labelWithin(rest) {
		p.strays.add(1, d.Line, d.Offset)
	}
	d.Text = rest
	return p.finish(d, start, record)
}

// strays are records with labels behind words, which are read as words.
type strays struct {
	count        int64
	line, offset int64 // of the first
}

// add adds some of one file, the first of which is known.
func (s *strays) add(count, line, offset int64) {
	if s.count == 0 || offset < s.offset {
		s.line, s.offset = line, offset
	}
	s.count += count
}

// straysOf are those of a file, whose chunks may be parsed side by side.
type straysOf struct {
	mutex sync.Mutex
	path  string
	strays
}

func (s *straysOf) take(of *strays) {
	if of.count > 0 {
		s.mutex.Lock()
		s.add(of.count, of.line, of.offset)
		s.mutex.Unlock()
	}
}

// tell tells of them.
func (s *straysOf) tell(note func(path, what string)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.count == 0 || note == nil {
		return
	}
	where := fmt.Sprintf("line %d", s.line)
	if s.line == 0 {
		where = fmt.Sprintf("at byte %d", s.offset)
	}
	note(s.path, fmt.Sprintf("has labels behind words, which are read as words, since labels stand in front: the first of %d is %s", s.count, where))
}

// labelBehind tells whether a line has a label behind words.
func labelBehind(line []byte) bool {
	rest := trimBlanks(line)
	for bytes.HasPrefix(rest, fastTextPrefix) {
		_, rest = cutField(rest)
	}
	return labelWithin(rest)
}

// labelWithin tells whether some word of a text behind the first is a label.
func labelWithin(text []byte) bool {
	for {
		i := bytes.Index(text, fastTextPrefix)
		if i < 0 {
			return false
		}
		if i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
			return true
		}
		text = text[i+len(fastTextPrefix):]
	}
}
