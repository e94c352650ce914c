package tag

// Sentence is a sequence of words, with the text that it stands in.
type Sentence struct {
	Path  string
	Line  int64    // of its first line
	Words [][]byte // never empty
	Tags  [][]byte // as many; nil if the file has none

	fields [][]byte // the columns of all words, one word after the other
	width  int      // columns of a word
	lines  []int64  // of each word
	spans  [][2]int // of fields in the text
	text   []byte   // the sentence as it stands in the file, with comments and the line that ends it
	slots  []slot   // where the words' tags are
}

// slot is where a tag stands in the text of a sentence, or belongs.
type slot struct {
	from, to int
	lead     byte // what goes before a tag that the text lacks; 0 where it has one
}

// column is a word's column, from 1; empty if there is none.
func (s *Sentence) column(word, column int) []byte {
	if column > s.width {
		return nil
	}
	return s.fields[word*s.width+column-1]
}

// AppendText appends the sentence as it stands in its file, with these tags.
func (s *Sentence) AppendText(dst []byte, tags []string) []byte {
	at := 0
	for i, place := range s.slots {
		dst = append(dst, s.text[at:place.from]...)
		if place.lead != 0 {
			dst = append(dst, place.lead)
		}
		dst = append(dst, tags[i]...)
		at = place.to
	}
	return append(dst, s.text[at:]...)
}
