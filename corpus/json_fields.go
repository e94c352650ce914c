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
	if jsonField(record[s.pos:], path) != nil {
		return place, false, fmt.Errorf("it has a field %s already", wording.Excerpt(path))
	}
	for place.Names = strings.Split(path, "."); ; place.Names = place.Names[1:] {
		members, at := 0, -1 // the last member of the name, in which the field belongs
		var within []byte
		s.elements(1, func(key, value []byte) {
			members++
			if string(key) == place.Names[0] {
				at, within = s.pos-len(value), value
			}
		})
		if at < 0 {
			place.At, place.First = s.pos-1, members == 0
			return place, true, nil
		}
		if within[0] != '{' {
			return place, false, fmt.Errorf("its field %s is %s, not an object to add %s to",
				wording.Excerpt(strings.TrimSuffix(path, "."+strings.Join(place.Names[1:], "."))), wording.Excerpt(within), wording.Excerpt(path))
		}
		s.pos = at
	}
}
