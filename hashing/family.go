package hashing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Family is one kind of n-grams: a tokenizer and a range of orders.
type Family struct {
	Tokenizer Tokenizer
	NgramLo   int // length of the shortest n-grams in tokens, 1 to 8
	NgramHi   int // length of the longest, NgramLo to 8
}

// String returns the family as UnmarshalText reads it, such as word:1-2, or word if NgramHi is 0.
func (f Family) String() string {
	if f.NgramHi == 0 {
		return f.Tokenizer.String()
	}
	return fmt.Sprintf("%s:%d-%d", f.Tokenizer, f.NgramLo, f.NgramHi)
}

// MarshalText returns the same as String, or an error if there is no such tokenizer.
func (f Family) MarshalText() ([]byte, error) {
	if _, err := f.Tokenizer.MarshalText(); err != nil {
		return nil, err
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads a tokenizer and a range of lengths, such as word:1-2 or char:3. Without a range, as in word,
// NgramLo and NgramHi are 0.
func (f *Family) UnmarshalText(text []byte) error {
	tokenizer, orders, given := strings.Cut(string(text), ":")
	var read Family
	if err := read.Tokenizer.UnmarshalText([]byte(tokenizer)); err != nil {
		return err
	}
	if given {
		lo, hi, ranged := strings.Cut(orders, "-")
		if !ranged {
			hi = lo
		}
		var err error
		if read.NgramLo, err = strconv.Atoi(lo); err == nil {
			read.NgramHi, err = strconv.Atoi(hi)
		}
		if err != nil {
			return fmt.Errorf("hashing: %q has no orders of n-grams behind the colon: write %s:1-2",
				shorten(text), read.Tokenizer)
		}
	}
	*f = read
	return nil
}

func (f Family) validate() error {
	switch {
	case int(f.Tokenizer) >= len(tokenizerNames):
		return f.Tokenizer.unknown()
	case f.NgramLo < 1 || f.NgramLo > maxNgram:
		return fmt.Errorf("hashing: the shortest n-gram must be 1 to %d tokens, got %d", maxNgram, f.NgramLo)
	case f.NgramHi < f.NgramLo || f.NgramHi > maxNgram:
		return fmt.Errorf("hashing: the longest n-gram must be %d (the shortest) to %d tokens, got %d",
			f.NgramLo, maxNgram, f.NgramHi)
	}
	return nil
}

const maxFamilies = 4 // as many as there are tokenizers

// Families are 1 to 4 families of n-grams, each of another tokenizer, in the order of these; the rest is zero. Get them
// from [NewFamilies].
type Families [maxFamilies]Family

// NewFamilies returns the given families of n-grams, 1 to 4 in any order, each of another tokenizer.
func NewFamilies(families ...Family) (Families, error) {
	if len(families) < 1 || len(families) > maxFamilies {
		return Families{}, fmt.Errorf("hashing: there must be 1 to %d families of n-grams, got %d",
			maxFamilies, len(families))
	}
	var all Families
	copy(all[:], families)
	used := all[:len(families)]
	slices.SortFunc(used, func(a, b Family) int { return cmp.Compare(a.Tokenizer, b.Tokenizer) })
	for k, f := range used[1:] {
		if f.Tokenizer == used[k].Tokenizer {
			return all, fmt.Errorf("hashing: the tokenizer %s occurs twice among the families: give one range of n-grams",
				f.Tokenizer)
		}
	}
	return all, nil
}

// List returns the families that are used.
func (f Families) List() []Family {
	n := len(f)
	for n > 0 && f[n-1] == (Family{}) {
		n--
	}
	return f[:n]
}

// String joins the families by commas, such as word:1-2,char-wb:2-5.
func (f Families) String() string {
	var all []string
	for _, one := range f.List() {
		all = append(all, one.String())
	}
	return strings.Join(all, ",")
}

// MarshalJSON writes an array such as ["word:1-2","char-wb:2-5"].
func (f Families) MarshalJSON() ([]byte, error) { return json.Marshal(f.List()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Families) UnmarshalJSON(data []byte) error {
	var list []Family
	err := json.Unmarshal(data, &list)
	if err == nil && len(list) > maxFamilies {
		err = fmt.Errorf("hashing: there must be at most %d families of n-grams, got %d", maxFamilies, len(list))
	}
	*f = Families{}
	copy(f[:], list)
	return err
}

// blockTokens is the number of tokens that are found before their n-grams are made. Their
// hashes and those of their n-grams stay in the first cache.
const blockTokens = 512

// family makes the n-grams of one family.
type family struct {
	Family
	options Options
	prefix  string // of its n-grams' names
	keys    keys
	ngrams  ngrams
	invalid int64

	plane *plane
	// ascii is what each byte is to the tokenizer, single the hash of the token
	// that it makes by itself, lowered if letters are.
	ascii  [256]byteClass
	single [256]uint64

	words  *kernels.Words     // of the word tokenizer
	folds  *kernels.CharFolds // of words that are not ASCII; nil before the first one
	folded [2 * kernels.MaxFold]byte
	chars  *kernels.Chars // of characters
	normal []byte         // the token under way, as it is hashed
	tokens [blockTokens]uint64
}

// newFamily makes a family of valid options. The first one's n-grams have the hashes and names that they have
// without others.
func newFamily(o Options, of Family, first bool) *family {
	f := &family{Family: of, options: o, keys: newKeys(o.Seed), plane: basic()}
	if !first {
		f.prefix = of.Tokenizer.String() + ":"
		f.keys = newKeys(familySeed(o.Seed, of.Tokenizer))
	}
	for c := range f.single {
		f.ascii[c] = f.classifyByte(byte(c))
		f.single[c] = f.keys.token([]byte{f.lowerByte(byte(c))})
	}
	f.ngrams = ngrams{keys: &f.keys, lo: of.NgramLo, hi: of.NgramHi}
	switch of.Tokenizer {
	case Word:
		f.words = f.newWords()
	case Char:
		f.chars = f.newChars()
	case CharWB:
		f.chars = f.newChars()
		f.ngrams.bounded, f.ngrams.boundary = true, f.single[' ']
	}
	return f
}

// cursor is the position up to which a document is tokenized; between two tokens, nothing else
// matters to the words.
type cursor struct {
	pos   int
	begin int // of the token that was found last by itself; it ends at pos
	// noTag: no tag can end before this position, for there is no > between pos
	// and it.
	noTag int
	runs  runs // of the word tokenizer

	// Of characters:
	last  rune // the last token; noChar before the first one
	space bool // white space follows it, which is no token yet
}

const noChar rune = -1

func newCursor() cursor { return cursor{last: noChar, space: true} }

// scan fills f.tokens with the next tokens' hashes and says how many it found;
// 0 at the end.
func (f *family) scan(c *cursor, doc []byte) int {
	switch f.Tokenizer {
	case Char, CharWB:
		return f.scanChars(c, doc)
	case Space:
		return f.scanFields(c, doc)
	default:
		return f.scanWords(c, doc)
	}
}

// next returns the next token as it is hashed, valid until the next call; nil at the
// end.
func (f *family) next(c *cursor, doc []byte) []byte {
	switch f.Tokenizer {
	case Char, CharWB:
		return f.nextChar(c, doc)
	case Space:
		return f.nextField(c, doc)
	default:
		return f.nextWord(c, doc)
	}
}

// joint separates the tokens in the name of an n-gram.
func (f *family) joint() string {
	if f.chars != nil {
		return ""
	}
	return " "
}

// expected estimates the number of n-grams of a document of this many bytes.
func (f *family) expected(size int) int {
	if f.chars == nil {
		size /= 5 // as in English
	}
	return size * (f.NgramHi - f.NgramLo + 1)
}

func (f *family) release() {
	if cap(f.normal) > keep {
		f.normal = nil
	}
}

// maxTag is the length up to which something in angle brackets is taken for a tag.
const maxTag = 1024

// tagEnd returns the end of the tag that begins with the < at i, or i if none does.
func (c *cursor) tagEnd(doc []byte, i int) int {
	if i+1 >= len(doc) {
		return i
	}
	if b := doc[i+1]; b|0x20 < 'a' || b|0x20 > 'z' {
		if b != '/' && b != '!' {
			return i
		}
	}
	limit := min(i+maxTag, len(doc))
	// Many < without a > must not be searched for it over and over.
	from := max(i+2, c.noTag)
	if from >= limit {
		return i
	}
	k := bytes.IndexByte(doc[from:limit], '>')
	if k < 0 {
		c.noTag = limit
		return i
	}
	return from + k + 1
}
