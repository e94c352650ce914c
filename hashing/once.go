package hashing

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unicode/utf8"
)

// firstWords leaves words out of documents that come again. A word is what stands between ASCII white space: no n-gram
// of the tokenizer CharWB reaches beyond it, so that one that comes again adds no n-gram to those that the document
// has. A table has the last word of each place. One that has lost its place stays where it comes again, which costs
// time and changes nothing.
type firstWords struct {
	table  [1 << wordBits]shortWord
	a, b   uint64 // keys of a word's place, drawn anew for every table, as those of seen
	serial uint64 // of the document: 1 to 255, as the last byte of a word's rest
	text   []byte // what is left of it
}

// shortWord is a word of 1 to 15 bytes of valid UTF-8, none of them below the space, and its document.
type shortWord struct {
	first, rest uint64 // its bytes; those behind the word are 0
}

const (
	wordBits  = 11 // so that the table stays in the first cache or close by
	pieceSize = 16
)

func newFirstWords() *firstWords { return &firstWords{a: rand.Uint64(), b: rand.Uint64()} }

// start begins a document.
func (w *firstWords) start() {
	const first = 1 << 56
	if w.serial += first; w.serial == 0 {
		w.serial = first
		clear(w.table[:])
	}
}

// below has the top bit of the bytes of x that are below ! and, maybe, of some behind the first of these.
func below(x uint64) uint64 {
	const ones = 0x0101010101010101
	return (x - '!'*ones) &^ x & (0x80 * ones)
}

// of returns a text that has the same distinct n-grams as the document, in the same order of first occurrence. It is
// valid until the next call.
func (w *firstWords) of(doc []byte, ascii *[256]byteClass) []byte {
	w.start()
	// Words are copied in pieces of 16 bytes, and what is behind the word is overwritten by the next.
	w.text = slices.Grow(w.text, len(doc)+2*pieceSize)
	text, n := w.text[:cap(w.text)], 0
	for i := 0; i < len(doc); i++ {
		if ascii[doc[i]] == byteWhite {
			continue
		}
		var end [pieceSize]byte
		piece := end[:]
		if i+pieceSize <= len(doc) {
			piece = doc[i : i+pieceSize]
		} else {
			copy(piece, doc[i:])
		}
		first, rest := binary.LittleEndian.Uint64(piece), binary.LittleEndian.Uint64(piece[8:])
		binary.LittleEndian.PutUint64(text[n:], first)
		binary.LittleEndian.PutUint64(text[n+8:], rest)
		size := pieceSize
		if m := below(first); m != 0 {
			size = bits.TrailingZeros64(m) / 8
			first &= 1<<(8*size) - 1
			rest = 0
		} else if m := below(rest); m != 0 {
			size = 8 + bits.TrailingZeros64(m)/8
			rest &= 1<<(8*size-64) - 1
		}
		if size < pieceSize && (i+size >= len(doc) || ascii[doc[i+size]] == byteWhite) {
			text[n+size] = ' '
			// Bytes that are not UTF-8 are counted wherever they are.
			if (first|rest)&asciiMask == 0 || utf8.Valid(doc[i:i+size]) {
				// Whether a word comes again is hard to predict, so there is no branch on it.
				rest |= w.serial
				e := &w.table[mum(first^w.a, rest^w.b)*golden>>(64-wordBits)]
				other := (e.first ^ first) | (e.rest ^ rest)
				*e = shortWord{first, rest}
				n += (size + 1) & int(int64(other|-other)>>63)
			} else {
				n += size + 1
			}
			i += size
			continue
		}
		size = min(size, len(doc)-i)
		for i+size < len(doc) && ascii[doc[i+size]] != byteWhite {
			size++
		}
		n += copy(text[n:], doc[i:i+size])
		text[n] = ' '
		n++
		i += size
	}
	return text[:n]
}

// asciiMask has the bits that are 0 in ASCII.
const asciiMask = 0x8080808080808080

func (w *firstWords) release() {
	if cap(w.text) > keep {
		w.text = nil
	}
}

// fewWords is the size in bytes of a text that has too few words for some to come again.
const fewWords = 400

// firsts returns a document for the n-grams of tokenizer CharWB where each counts once: shorter, if there is much of
// it.
func (e *Extractor) firsts(doc []byte) []byte {
	f := e.families[len(e.families)-1]
	switch {
	case f.Tokenizer != CharWB || len(doc) < fewWords:
		return doc
	case f.options.StripHTML && bytes.IndexByte(doc, '<') >= 0: // tags may reach over white space
		return doc
	}
	if e.words == nil {
		e.words = newFirstWords()
	}
	return e.words.of(doc, &f.ascii)
}

// AppendPieces is like AppendHashes, except that it may leave out repetitions of an n-gram, which is faster, and takes
// documents of any length, which may have more n-grams than fit into memory: unless full is nil, it calls full with dst
// whenever that has PieceHashes or more. full takes what it wants, and returns what to go on appending to. Its error ends
// the document and is returned.
func (e *Extractor) AppendPieces(
	dst []uint64, doc []byte, full func(dst []uint64) ([]uint64, error),
) ([]uint64, error) {
	defer e.release()
	p := e.start()
	p.firsts = e.firsts(doc)
	for more := true; more; {
		if dst, more = e.append(dst, &p, doc); full != nil && len(dst) >= PieceHashes {
			var err error
			if dst, err = full(dst); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}
