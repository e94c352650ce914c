package tag

import "strings"

// Scheme says which tags may follow each other. Tags of a scheme are O, or a letter and a kind, such as B-NP.
type Scheme string

const (
	// Free lets any tag follow any other.
	Free Scheme = "none"
	// IOB2 marks the first word of every chunk with B-X, the others with I-X, and words outside of chunks with O.
	IOB2 Scheme = "iob2"
	// IOBES is IOB2 with E-X for the last word of a chunk, and S-X for a chunk of one word.
	IOBES Scheme = "iobes"
)

// splitTag takes a tag apart: B-NP into B and NP.
func splitTag(tag string) (place, kind string) {
	place, kind, _ = strings.Cut(tag, "-")
	return place, kind
}

// allows tells whether a tag may follow another; "" is what is before and after a sentence.
func (s Scheme) allows(before, after string) bool {
	if s == Free {
		return true
	}
	place, kind := splitTag(before)
	then, its := splitTag(after)
	inside := then == "I" || s == IOBES && then == "E" // goes on with a chunk
	open := place == "B" || place == "I"               // may be gone on with
	switch {
	case inside:
		return open && kind == its
	case s == IOBES:
		return !open // a chunk ends with E
	}
	return true
}

// chunks tells whether tags are of chunks: all are O, or B, I, E or S with a kind.
func chunks(tags []string) bool {
	any := false
	for _, tag := range tags {
		place, kind := splitTag(tag)
		switch {
		case tag == "O":
		case strings.Contains("BIES", place) && len(place) == 1 && kind != "":
			any = true
		default:
			return false
		}
	}
	return any
}

// schemeOf is the strictest scheme that all sentences keep.
func schemeOf(tags []string, sentences [][]int) Scheme {
	if !chunks(tags) {
		return Free
	}
next:
	for _, s := range []Scheme{IOBES, IOB2} {
		for _, tag := range tags {
			if place, _ := splitTag(tag); s == IOB2 && (place == "E" || place == "S") {
				continue next
			}
		}
		for _, sentence := range sentences {
			before := ""
			for _, tag := range sentence {
				if !s.allows(before, tags[tag]) {
					continue next
				}
				before = tags[tag]
			}
			if !s.allows(before, "") {
				continue next
			}
		}
		return s
	}
	return Free
}
