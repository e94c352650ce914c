package hashing

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// byteClass is the class of a byte where a token may begin.
type byteClass uint8

const (
	byteSeparator byteClass = iota
	byteWhite               // a separator; ASCII white space
	byteLetter              // or digit
	bytePunct
	byteTag        // <, where tags are dropped
	byteApostrophe // the word before it may go on
	byteBeyond     // not ASCII
)

func (f *family) classifyByte(b byte) byteClass {
	if b >= utf8.RuneSelf {
		return byteBeyond
	}
	if b == '<' && f.options.StripHTML {
		return byteTag
	}
	switch classify(rune(b)) {
	case letter:
		return byteLetter
	case white:
		return byteWhite
	case apostrophe:
		return byteApostrophe
	case punct:
		if f.options.Punctuation {
			return bytePunct
		}
	}
	return byteSeparator
}

func (f *family) lowerByte(b byte) byte {
	if f.options.Lowercase && 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// newWords returns the kernel for words of ASCII. All characters of a word, and all marks,
// have the bit that makes a letter small, so that setting it leaves others alone.
func (f *family) newWords() *kernels.Words {
	var classes [utf8.RuneSelf]uint8
	for b := range classes {
		switch f.ascii[b] {
		case byteLetter:
			classes[b] = kernels.TextWord
		case byteApostrophe:
			classes[b] = kernels.TextInner
		case bytePunct:
			classes[b] = kernels.TextAlone
		case byteTag:
			classes[b] = kernels.TextStop
		}
	}
	var lower uint8
	if f.options.Lowercase {
		lower = 0x20
	}
	return kernels.NewWords(classes, lower, f.keys.a, f.keys.b)
}

// runs are how far a document is split: into runs of letters, apostrophes between them
// and whatever is not ASCII, and marks by themselves. They are found and hashed many at
// a time; where one is not a short word of ASCII, nextWord says what it is.
type runs struct {
	base        int // where in the document the first begins, or before
	next, count int // of them, the next one, and how many there are
	end         int // where the next are looked for
	// From the position up to exact, tokens are what nextWord finds. It sees the
	// document up to view.
	exact, view int
}

func (f *family) scanWords(c *cursor, doc []byte) int {
	n, r := 0, &c.runs
	for n < len(f.tokens) {
		switch {
		case c.pos < r.exact:
			n = f.scanExact(c, doc[:r.view], n)
		case r.next < r.count:
			if !f.words.Left(r.next) {
				done := f.words.Hash(f.tokens[n:], r.next)
				n += done
				r.next += done
			}
			if n < len(f.tokens) && r.next < r.count {
				n = f.leaveOver(c, doc, n)
			}
		case max(r.end, c.pos) < len(doc):
			f.split(c, doc)
		default:
			return n
		}
	}
	return n
}

// split finds the next runs.
func (f *family) split(c *cursor, doc []byte) {
	base := max(c.runs.end, c.pos) // a tag, or a long word, may have ended later
	count, size := f.words.Split(doc[base:])
	c.runs = runs{base: base, count: count, end: base + size}
	if size == 0 { // a run longer than a block
		c.pos = base
		c.runs.exact, c.runs.view = base+kernels.TextBlock, len(doc)
	}
}

// leaveOver finds the token that the next run is, adding it to the n there are, or leaves the run to nextWord, or jumps
// over the tag that begins with it. A run's tokens don't depend on what stands around it.
func (f *family) leaveOver(c *cursor, doc []byte, n int) int {
	r := &c.runs
	start, end := f.words.Word(r.next)
	start, end = r.base+start, r.base+end
	r.next++
	if f.ascii[doc[start]] != byteTag {
		if size := f.foldWord(doc[start:], end-start); size > 0 {
			f.tokens[n] = f.keys.token(f.folded[:size])
			return n + 1
		}
		c.pos, r.exact, r.view = start, end, end
		return n
	}
	c.pos = max(start+1, c.tagEnd(doc, start))
	for ; r.next < r.count; r.next++ {
		if start, _ := f.words.Word(r.next); r.base+start >= c.pos {
			break
		}
	}
	return n
}

// foldWord writes a run of size bytes to f.folded, if it is one word of letters and marks, and says how many bytes it
// has there.
func (f *family) foldWord(run []byte, size int) int {
	const japanese = 0xe3 // and Chinese: not words
	if japanese <= run[0] && run[0] <= 0xe9 || run[0] >= utf8.RuneSelf && f.classBeyond(run) != letter {
		return 0
	}
	if f.folds == nil { // which take a millisecond to make
		f.folds = ofCase(wordFolds, f.options)
	}
	return f.folds.Word(&f.folded, run, size)
}

// wordFolds are the folds of words, without lowering and with it. What is no letter or mark, or stands alone, is left
// to nextWord, and so are dots, which are dropped after an i.
var wordFolds = [2]func() *kernels.CharFolds{
	sync.OnceValue(func() *kernels.CharFolds { return newWordFolds(false) }),
	sync.OnceValue(func() *kernels.CharFolds { return newWordFolds(true) }),
}

func newWordFolds(lowercase bool) *kernels.CharFolds {
	p := basic()
	return kernels.NewCharFolds(func(r rune) rune {
		switch class := p.classOf(r); {
		case class == apostrophe:
			return '\''
		case r >= utf8.RuneSelf && class != letter && class != mark || lowercase && r == dot:
			return -1
		case lowercase:
			return p.foldOf(r)
		}
		return r
	}, unicode.MaxRune+1)
}

// scanExact finds tokens that begin before c.runs.exact, and adds them to the n there
// are.
func (f *family) scanExact(c *cursor, doc []byte, n int) int {
	for c.pos < c.runs.exact && n < len(f.tokens) {
		if next, m := f.scanAlone(doc, c.pos, n); m > n {
			c.pos, n = next, m
			continue
		}
		if token := f.nextWord(c, doc); token != nil {
			f.tokens[n] = f.keys.token(token)
			n++
		}
	}
	return n
}

// scanAlone finds the characters from i on that are tokens by themselves, up to
// one with marks, and adds them to the n tokens there are. They have no case, and three
// bytes each: a rare one of four ends it as well.
func (f *family) scanAlone(doc []byte, i, n int) (int, int) {
	first, classes := n, &f.plane.class
	for n < len(f.tokens) && i+3 <= len(doc) {
		x := uint32(doc[i]) | uint32(doc[i+1])<<8 | uint32(doc[i+2])<<16
		// What is too long for its character has the class of one that is not alone.
		if r := uint16(x<<12 | x>>2&0xfc0 | x>>16&0x3f); x&0xc0c0f0 != 0x8080e0 || classes[r] != alone {
			break
		}
		f.tokens[n] = f.keys.short(uint64(x), 0, 3)
		n++
		i += 3
	}
	if n > first && f.classBeyond(doc[i:]) == mark {
		return i - 3, n - 1
	}
	return i, n
}

// classBeyond returns the class of the character that p begins with, if it is not ASCII; a
// separator otherwise.
func (f *family) classBeyond(p []byte) class {
	if len(p) == 0 || p[0] < utf8.RuneSelf {
		return separator
	}
	r, _ := utf8.DecodeRune(p)
	return f.plane.classOf(r)
}
