package corpus

// Members counts the members of the JSON object that a good record is, and tells
// whether one has the name. Of an object below it nothing counts.
func Members(record []byte, name string) (count int, has bool) {
	s := jsonScanner{data: record}
	if s.space(); s.peek() != '{' {
		return 0, false // no good record, as below
	}
	s.pos++
	for s.more('}') {
		key, err := s.name()
		if err != nil {
			break
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
