package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// The parts of a text that are scored by themselves. A number stands for pieces of so many bytes.
const (
	perDocument  = "document"
	perParagraph = "paragraph"
	perSentence  = "sentence"
)

// divided says what of a text is scored.
type divided struct {
	window window
	end    func(text []byte) int // where the first part of a text ends; nil if texts are scored as a whole
	trim   bool                  // parts are without white space at both ends
}

// tagsParts reports whether parts have scores, and records none: there are only rows of dolma.
func (o *Options) tagsParts() bool { return o.OutputFormat == "dolma" && !o.Records() }

// divided returns what the options say of texts; nil if they are scored as they are.
func (o *Options) divided() (d *divided, err error) {
	d = &divided{}
	switch o.Per {
	case "", perDocument:
	case perParagraph:
		d.end = lineEnd
	case perSentence:
		d.end, d.trim = sentenceEnd, true
	default:
		n, err := strconv.Atoi(o.Per)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--per %s: give document, paragraph, sentence, or a number of bytes, 1 or more", display.Label(o.Per))
		}
		d.end = func(text []byte) int {
			if len(text) > n && len(text) < 2*n { // the last two are about equally long
				return pieceEnd(text, (len(text)+1)/2)
			}
			return pieceEnd(text, n)
		}
	}
	switch {
	case o.Over == "":
	case d.end == nil:
		return nil, errors.New("--over combines the scores of parts: give --per paragraph, sentence or a number of bytes")
	case !slices.Contains([]string{"mean", "min", "max"}, o.Over):
		return nil, fmt.Errorf("--over must be mean, min or max, got %s", display.Label(o.Over))
	}
	if d.window, err = parseWindow(o.Window); err != nil {
		return nil, err
	}
	if d.end == nil && d.window == (window{}) {
		return nil, nil
	}
	return d, nil
}

// divide has parts of texts scored, if the options say so.
func (s *Scoring) divide() error {
	d, err := s.options.divided()
	if err != nil || d == nil {
		return err
	}
	if s.models[0].TakesFeatures() {
		return errors.New("--per and --window are for texts, and the model takes ready-made features (svmlight)")
	}
	s.parts = &nbsvm.Parts{Split: d.split, Over: s.options.Over}
	if s.row.combined = d.end != nil; !s.row.combined {
		return nil
	}
	if s.options.tagsParts() {
		s.parts.Over = "none"
	} else {
		clear(s.only) // scores of all classes are combined
	}
	if parts := partRows[s.options.OutputFormat]; parts != nil && (s.options.beside || !s.options.Records()) {
		s.parts.Render = parts(&s.row)
	}
	return nil
}

// split yields the parts of a text, in order, without those that have nothing but white space. If it is not divided,
// that is what the window shows of it.
func (d *divided) split(text []byte) iter.Seq2[hashing.Span, []byte] {
	return func(yield func(hashing.Span, []byte) bool) {
		begin, end := d.window.of(text)
		if d.end == nil {
			seen := text[:begin]
			if begin == 0 {
				seen = text[end:]
			} else if end < len(text) {
				seen = slices.Concat(seen, []byte{'\n'}, text[end:])
			}
			yield(hashing.Span{Begin: 0, End: len(text)}, seen)
			return
		}
		for _, shown := range [][2]int{{0, begin}, {end, len(text)}} {
			for at := shown[0]; at < shown[1]; {
				part := text[at:shown[1]]
				part = part[:d.end(part)]
				span := hashing.Span{Begin: at, End: at + len(part)}
				at = span.End
				words := bytes.TrimSpace(part)
				if len(words) == 0 {
					continue
				}
				if d.trim {
					span.Begin += len(part) - len(bytes.TrimLeftFunc(part, unicode.IsSpace))
					span.End, part = span.Begin+len(words), words
				}
				if !yield(span, part) {
					return
				}
			}
		}
	}
}

// window is how much of a text is looked at: so many bytes from its begin and up to its end.
type window struct{ begin, end int }

// parseWindow reads begin:N,end:N, or one of both.
func parseWindow(given string) (w window, err error) {
	if given == "" {
		return w, nil
	}
	for part := range strings.SplitSeq(given, ",") {
		side, number, _ := strings.Cut(strings.TrimSpace(part), ":")
		to := map[string]*int{"begin": &w.begin, "end": &w.end}[side]
		n, err := strconv.Atoi(number)
		if to == nil || *to > 0 || err != nil || n < 1 {
			return w, fmt.Errorf("--window %s: give begin:N, end:N or both, as begin:5000,end:5000, with numbers of bytes", display.Label(given))
		}
		*to = n
	}
	return w, nil
}

// of returns what is seen of a text: all before begin and from end on, cut at white space if there is some near.
func (w window) of(text []byte) (begin, end int) {
	if w == (window{}) || len(text)-w.begin <= w.end {
		return len(text), len(text)
	}
	if end = len(text); w.begin > 0 {
		begin = pieceEnd(text, w.begin)
	}
	if w.end > 0 {
		end = tailBegin(text, w.end)
	}
	return begin, end
}

// pieceEnd returns where the first piece of a text ends, of n bytes at most: where white space begins, else behind the
// last in its second half, else at the end of a character.
func pieceEnd(text []byte, n int) int {
	if len(text) <= n {
		return len(text)
	}
	if atBlank(text[n:]) {
		return n
	}
	half := n / 2
	if at := bytes.LastIndexFunc(text[half:n], unicode.IsSpace); at >= 0 {
		_, size := utf8.DecodeRune(text[half+at:])
		return half + at + size
	}
	end := n
	for n-end < utf8.UTFMax && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	switch _, first := utf8.DecodeRune(text); {
	case end == 0: // the first character is longer
		return first
	case !utf8.RuneStart(text[end]): // no character is that long
		return n
	}
	return end
}

// tailBegin returns where the last piece of a text begins, of n bytes at most, as pieceEnd does where the first ends.
func tailBegin(text []byte, n int) int {
	from := len(text) - n
	if before, _ := utf8.DecodeLastRune(text[:from]); unicode.IsSpace(before) {
		return from
	}
	if at := bytes.IndexFunc(text[from:from+(n+1)/2], unicode.IsSpace); at >= 0 {
		_, size := utf8.DecodeRune(text[from+at:])
		return from + at + size
	}
	begin := from
	for begin-from < utf8.UTFMax && begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin++
	}
	if begin < len(text) && !utf8.RuneStart(text[begin]) {
		return from
	}
	return begin
}

// lineEnd returns where the first line of a text ends, behind its line break.
func lineEnd(text []byte) int {
	if at := bytes.IndexByte(text, '\n'); at >= 0 {
		return at + 1
	}
	return len(text)
}

// sentenceEnd returns where the first sentence of a text ends: behind a line break; or behind marks that end sentences,
// and quotes and brackets that close behind these, if the sentence has a letter and white space follows. Marks of
// Chinese and Japanese need no white space. A full stop behind a single capital letter, or before a small one, ends
// none.
func sentenceEnd(text []byte) int {
	letters := 0 // there are none before here, or one lies here
	for at := 0; at < len(text); {
		if !mayEnd[text[at]] {
			at++
			continue
		}
		r, size := utf8.DecodeRune(text[at:])
		if r == '\n' {
			return at + 1
		}
		if !endsSentence(r) {
			at += size
			continue
		}
		end, stop, wide := at+size, isStop(r), isWide(r)
		for end < len(text) {
			next, more := utf8.DecodeRune(text[end:])
			if endsSentence(next) {
				stop, wide = stop && isStop(next), isWide(next)
			} else if !closes(next) {
				break
			}
			end += more
		}
		if wide || atBlank(text[end:]) {
			if found := bytes.IndexFunc(text[letters:at], unicode.IsLetter); found >= 0 {
				letters += found
				if !stop || !initial(text[:at]) && !smallFollows(text[end:]) {
					return end
				}
			} else {
				letters = at
			}
		}
		at = end
	}
	return len(text)
}

// mayEnd tells the first bytes of line breaks and of characters that end sentences.
var mayEnd = func() (is [256]bool) {
	is['\n'], is["…"[0]] = true, true
	for _, r := range unicode.STerm.R16 {
		for mark := rune(r.Lo); mark <= rune(r.Hi); mark += rune(r.Stride) {
			is[string(mark)[0]] = true
		}
	}
	for _, r := range unicode.STerm.R32 {
		is[string(rune(r.Lo))[0]], is[string(rune(r.Hi))[0]] = true, true
	}
	return is
}()

// endsSentence reports whether a character is a mark at the end of sentences.
func endsSentence(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '.' || r == '!' || r == '?'
	}
	return r == '…' || unicode.Is(unicode.STerm, r)
}

// initial reports whether the last word of a text is a single capital letter.
func initial(text []byte) bool {
	r, size := utf8.DecodeLastRune(text)
	before, _ := utf8.DecodeLastRune(text[:len(text)-size])
	return unicode.IsUpper(r) && !unicode.In(before, unicode.L, unicode.M, unicode.N)
}

// isStop reports whether a mark is a full stop or an ellipsis, which stand within sentences, too.
func isStop(r rune) bool { return r == '.' || r == '…' }

// isWide reports whether a mark is one of Chinese or Japanese, behind which there is no white space.
func isWide(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '．' || r == '｡'
}

// closes reports whether a character may close a sentence behind its mark.
func closes(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '"' || r == '\'' || r == ')' || r == ']' || r == '}'
	}
	return unicode.In(r, unicode.Pe, unicode.Pf) || r == '“' // which closes in German
}

// atBlank reports whether a text begins with white space, or is at its end.
func atBlank(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return len(text) == 0 || unicode.IsSpace(r)
}

// smallFollows reports whether the next word of a text, on the same line, begins with a small letter.
func smallFollows(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || !unicode.IsSpace(r) {
			return unicode.IsLower(r)
		}
		text = text[size:]
	}
	return false
}
