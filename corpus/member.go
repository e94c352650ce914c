package corpus

import "bytes"

// Members counts the members of the JSON object that a good record is, and tells
// whether one has the name. Of an object below it nothing counts.
func Members(record []byte, name string) (count int, has bool) {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return 0, false // no good record, as below
	}
	s.pos++
	for s.more('}') {
		key, err := s.string("")
		if err != nil {
			break
		}
		key = key[1 : len(key)-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = unescapeJSON(nil, key)
		}
		if s.space(); s.peek() != ':' {
			break
		}
		s.pos++
		s.space()
		if _, err := s.value(1); err != nil {
			break
		}
		count++
		has = has || string(key) == name
	}
	return count, has
}
