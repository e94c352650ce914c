package hashing

import (
	"math/rand/v2"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// blockTokens is how many tokens are found before their n-grams are made. Their
// hashes and those of their n-grams stay in the first cache.
const blockTokens = 512

// Extractor makes the n-gram hashes of documents. It holds scratch memory and is
// not for concurrent use; what it returns depends on the document alone.
type Extractor struct {
	options Options
	keys    keys
	ngrams  ngrams
	seen    seen
	batch   batch
	// batchSize is the most n-grams of a document that are made distinct at once.
	batchSize int
	invalid   int64
	valued    bool

	plane *plane
	// ascii is what each byte is to the tokenizer, single the hash of the token
	// that it makes by itself, lowered if letters are.
	ascii  [256]byteClass
	single [256]uint64

	words  *kernels.Words     // of the word tokenizer
	folds  *kernels.CharFolds // of words that are not ASCII; nil before the first one
	folded [2 * kernels.MaxFold]byte
	chars  *kernels.Chars // of the char tokenizer
	normal []byte         // the token under way, as it is hashed
	hashes []uint64       // of a block of a document that is spelled
	counts []uint32       // of the n-grams of a document that is valued
	tokens [blockTokens]uint64
}

// NewExtractor returns an error where the options are not valid.
func NewExtractor(o Options) (*Extractor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Extractor{options: o, counts: []uint32{}, keys: newKeys(o.Seed), seen: newSeen(), batch: batch{key: rand.Uint64() | 1}, batchSize: maxBatch, plane: basic()}
	e.ngrams = ngrams{keys: &e.keys, lo: o.NgramLo, hi: o.NgramHi}
	for c := range e.single {
		e.ascii[c] = e.classifyByte(byte(c))
		e.single[c] = e.keys.token([]byte{e.lowerByte(byte(c))})
	}
	switch o.Tokenizer {
	case Word:
		e.words = e.newWords()
	case Char:
		e.chars = e.newChars()
	}
	return e, nil
}

// cursor is how far a document is tokenized; between two tokens, nothing else
// matters to the words.
type cursor struct {
	pos int
	// noTag: no tag can end before this position, for there is no > between pos
	// and it.
	noTag int
	runs  runs // of the word tokenizer

	// Of the char tokenizer:
	last  rune // the last token; noChar before the first one
	space bool // white space follows it, which is no token yet

	vw vwCursor // of the VW tokenizer
}

const noChar rune = -1

// scan fills e.tokens with the next tokens' hashes and says how many it found;
// 0 at the end.
func (e *Extractor) scan(c *cursor, doc []byte) int {
	switch e.options.Tokenizer {
	case Char:
		return e.scanChars(c, doc)
	case Space:
		return e.scanFields(c, doc)
	case VW:
		return e.scanVW(c, doc)
	default:
		return e.scanWords(c, doc)
	}
}

// next is the next token as it is hashed, valid until the next call; nil at the
// end.
func (e *Extractor) next(c *cursor, doc []byte) []byte {
	switch e.options.Tokenizer {
	case Char:
		return e.nextChar(c, doc)
	case Space:
		return e.nextField(c, doc)
	case VW:
		return e.nextVW(c, doc)
	default:
		return e.nextWord(c, doc)
	}
}

// AppendHashes appends the hash of every n-gram of the document. At each token
// position come the n-grams that end there, shorter ones first.
func (e *Extractor) AppendHashes(dst []uint64, doc []byte) []uint64 {
	e.ngrams.start()
	c := newCursor()
	for {
		n := e.scan(&c, doc)
		if n == 0 {
			e.release()
			return dst
		}
		dst = e.ngrams.append(dst, e.tokens[:n])
	}
}

// AppendDistinct appends the distinct n-gram hashes of the document, in order of
// first occurrence, and, where counts is not nil, how often each occurs. The two
// slices need not be of the same length before.
// It panics where a document has more than about 4 billion distinct n-grams.
func (e *Extractor) AppendDistinct(hashes []uint64, counts []uint32, doc []byte) ([]uint64, []uint32) {
	e.ngrams.start()
	first, firstCount := len(hashes), len(counts)
	batch := e.batchSize
	if counts != nil {
		batch = 0
	}
	long := false // what is before end is distinct, and in e.seen
	c := newCursor()
	for {
		n := e.scan(&c, doc)
		if n == 0 {
			break
		}
		end := len(hashes)
		hashes = e.ngrams.append(hashes, e.tokens[:n])
		if !long {
			if len(hashes)-first <= batch {
				continue
			}
			block := hashes[end:]
			end, long = first+e.batch.distinct(hashes[first:end]), true
			hashes = append(hashes[:end], block...)
			e.seen.adopt(hashes[first:end], e.expected(len(doc)))
		}
		switch {
		case len(hashes) == end: // fewer tokens than the shortest n-gram has
		case counts == nil:
			hashes = e.seen.distinct(hashes, first, end)
		default:
			hashes, counts = e.seen.count(hashes, first, end, counts, firstCount)
		}
	}
	if !long {
		hashes = hashes[:first+e.batch.distinct(hashes[first:])]
	}
	e.release()
	return hashes, counts
}

// expected is about how many n-grams a document of so many bytes has.
func (e *Extractor) expected(size int) int {
	if e.options.Tokenizer != Char {
		size /= 5 // as in English
	}
	return size * (e.options.NgramHi - e.options.NgramLo + 1)
}

// InvalidBytes is the number of bytes so far, in all documents, that were not
// UTF-8. Bytes within tags that StripHTML drops are not looked at.
func (e *Extractor) InvalidBytes() int64 { return e.invalid }

// keep is how many bytes of scratch outlive a document, so that one of many
// megabytes does not bind its memory for good.
const keep = 4 << 20

func (e *Extractor) release() {
	if cap(e.normal) > keep {
		e.normal = nil
	}
	e.seen.release()
}

func newCursor() cursor { return cursor{last: noChar, space: true, vw: vwCursor{scale: 1}} }
