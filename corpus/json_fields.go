package corpus

import (
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// FieldPlace is a place in a JSON object where a field can be added.
type FieldPlace struct {
	At    int      // offset of the closing brace; the field goes in front of it
	First bool     // the object has no other members, so no comma is needed
	Names []string // of the objects that have to be added, from the outside in, and of the field
}

// PlaceField finds where to add a field to a good record of JSONL. Dots in the path descend into objects. It returns an
// error if the record already has the field, or has something else where an object is needed. ok is false if the
// record is blank.
func PlaceField(record []byte, path string) (place FieldPlace, ok bool, err error) {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return place, false, nil
	}
	if s.lookup(path) != nil {
		return place, false, fmt.Errorf("it has a field %s already", wording.Excerpt(path))
	}
	place.Names = strings.Split(path, ".")
	for at := 0; ; place.Names = place.Names[1:] {
		s = jsonScanner{data: record, pos: at}
		s.space()
		members, value := s.members(place.Names[0])
		if value < 0 {
			place.At, place.First = s.pos, members == 0
			return place, true, nil
		}
		if record[value] != '{' {
			s.pos = value
			raw, _ := s.value(1)
			return place, false, fmt.Errorf("its field %s is %s, not an object to add %s to",
				wording.Excerpt(strings.TrimSuffix(path, "."+strings.Join(place.Names[1:], "."))), wording.Excerpt(raw), wording.Excerpt(path))
		}
		at = value
	}
}

// members counts the members of the object that begins here, and finds where the value of the last
// one of a name begins, -1 if there is none. It stops at the object's closing brace.
func (s *jsonScanner) members(name string) (count, value int) {
	value = -1
	for s.pos++; s.more('}'); count++ {
		key, err := s.key()
		if err != nil { // no good record
			break
		}
		at := s.pos
		if _, err := s.value(1); err != nil {
			break
		}
		if string(key) == name {
			value = at
		}
	}
	return count, value
}

// lookup is the value of a field, as it stands, of the object that begins here; nil if there is
// none. Names in which there are dots may be members, too; the last of several counts, as for
// the fields of a document.
func (s *jsonScanner) lookup(path string) (raw []byte) {
	for s.pos++; s.more('}'); {
		key, err := s.key()
		if err != nil { // no good record
			break
		}
		n := len(key)
		within := strings.HasPrefix(path, string(key))
		value, err := s.value(1)
		switch {
		case err != nil:
			return raw
		case within && len(path) == n:
			raw = value
		case within && len(path) > n+1 && path[n] == '.' && value[0] == '{':
			inner := jsonScanner{data: value}
			if found := inner.lookup(path[n+1:]); found != nil {
				raw = found
			}
		}
	}
	return raw
}
