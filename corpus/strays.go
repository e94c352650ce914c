package corpus

import (
	"bytes"
	"fmt"
	"sync"
)

// strays are the records of a file that are odd, but good. Chunks may be parsed side by side.
type strays struct {
	mutex sync.Mutex
	path  string
	what  string // is odd about them
	count int64
	first Document
}

func (s *strays) add(d *Document) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.count++; s.count == 1 || d.Offset < s.first.Offset {
		s.first = Document{Line: d.Line, Offset: d.Offset}
	}
}

// tell tells of them.
func (s *strays) tell(note func(path, what string)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.count == 0 || note == nil {
		return
	}
	where := fmt.Sprintf("line %d", s.first.Line)
	if s.first.Line == 0 {
		where = fmt.Sprintf("at byte %d", s.first.Offset)
	}
	note(s.path, fmt.Sprintf("has %s: the first of %d is %s", s.what, s.count, where))
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
