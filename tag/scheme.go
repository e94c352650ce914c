package tag

import (
	"fmt"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

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

// splitTag splits a tag: B-NP into B and NP.
func splitTag(tag string) (place, kind string) {
	place, kind, _ = strings.Cut(tag, "-")
	return place, kind
}

// allows reports whether a tag may follow another; "" stands for the edge of a sentence.
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

// breaks returns the place of the first of n tags that breaks the scheme, n if the last one may not end a sentence, and
// -1 if they keep it.
func (s Scheme) breaks(n int, tag func(i int) string) int {
	before := ""
	for i := range n {
		now := tag(i)
		place, _ := splitTag(now)
		if s != Free && (!isChunk(now) && now != "O" || s == IOB2 && (place == "E" || place == "S")) ||
			!s.allows(before, now) {
			return i
		}
		before = now
	}
	if n > 0 && !s.allows(before, "") {
		return n
	}
	return -1
}

// check returns an error if the tags of a sentence break the scheme, if there is one.
func (s Scheme) check(of *Sentence) error {
	if s == "" {
		return nil
	}
	tag := func(i int) string { return string(of.Tags[i]) }
	at := s.breaks(len(of.Tags), tag)
	if at < 0 {
		return nil
	}
	what := ""
	switch {
	case at == len(of.Tags):
		at--
		what = fmt.Sprintf("%s ends the sentence, but in %s its chunk must go on", display.Excerpt(tag(at)), s)
	case !isChunk(tag(at)) && tag(at) != "O":
		what = fmt.Sprintf("%s is no tag of %s", display.Excerpt(tag(at)), s)
	case at == 0:
		what = fmt.Sprintf("%s can't begin a sentence in %s", display.Excerpt(tag(at)), s)
	default:
		what = fmt.Sprintf("%s can't follow %s in %s", display.Excerpt(tag(at)), display.Excerpt(tag(at-1)), s)
	}
	return fmt.Errorf("%s:%d: %s; the sentence begins in line %d: correct its tags, or give Options.Scheme auto",
		of.Path, of.lines[at], what, of.Line)
}

// isChunk reports whether a tag marks a word of a chunk: B, I, E or S with a kind.
func isChunk(tag string) bool {
	place, kind := splitTag(tag)
	return strings.Contains("BIES", place) && len(place) == 1 && kind != ""
}

// chunks reports whether all tags mark words of chunks or are O, and one does.
func chunks(tags []string) bool {
	any := false
	for _, tag := range tags {
		chunk := isChunk(tag)
		if !chunk && tag != "O" {
			return false
		}
		any = any || chunk
	}
	return any
}

// schemeOf returns the strictest scheme that all sentences keep.
func schemeOf(tags []string, sentences [][]int) Scheme {
	if !chunks(tags) {
		return Free
	}
next:
	for _, s := range []Scheme{IOBES, IOB2} {
		for _, sentence := range sentences {
			if s.breaks(len(sentence), func(i int) string { return tags[sentence[i]] }) >= 0 {
				continue next
			}
		}
		return s
	}
	return Free
}
