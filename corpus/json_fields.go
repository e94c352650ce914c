package corpus

import (
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/base/jsonstring"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// AppendField appends a good record of JSONL to dst, with a field more as the last one of its object. The value is JSON.
// Dots in the path descend into objects, which are added where they are missing. It returns an error if the record
// already has the field, or has something else where an object is needed. A blank record stays one.
func AppendField(dst, record []byte, path string, value []byte) ([]byte, error) {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return append(dst, record...), nil
	}
	if jsonField(record[s.pos:], path) != nil {
		return dst, fmt.Errorf("it has a field %s already", wording.Excerpt(path))
	}
	names, members := strings.Split(path, "."), 0
	for ; ; names = names[1:] {
		at := -1 // of the last member of the name, in which the field belongs
		var within []byte
		members = 0
		s.elements(1, func(key, value []byte) {
			members++
			if string(key) == names[0] {
				at, within = s.pos-len(value), value
			}
		})
		if at < 0 {
			break
		}
		if within[0] != '{' {
			return dst, fmt.Errorf("its field %s is %s, not an object to add %s to",
				wording.Excerpt(strings.TrimSuffix(path, "."+strings.Join(names[1:], "."))), wording.Excerpt(within), wording.Excerpt(path))
		}
		s.pos = at
	}
	end := s.pos - 1 // of the object
	dst = append(dst, record[:end]...)
	if members > 0 {
		dst = append(dst, ',')
	}
	for i, name := range names {
		if i > 0 {
			dst = append(dst, '{')
		}
		dst = append(jsonstring.Append(dst, name), ':')
	}
	dst = append(dst, value...)
	dst = append(dst, strings.Repeat("}", len(names)-1)...)
	return append(dst, record[end:]...), nil
}
