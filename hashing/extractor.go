package hashing

import (
	"iter"
	"math"
	"math/rand/v2"
)

// Extractor computes the n-gram hashes of documents. What it returns depends on the options and the document alone. It
// keeps scratch memory, so each goroutine needs its own.
type Extractor struct {
	options  Options
	mask     uint64 // has the bits of hashes that are kept
	mark     uint64 // the lowest of them, where it tells n-grams of CharWB from others; else 0
	families []*family
	words    *words // of CharWB; nil without
	seen     seen
	batch    batch
	// batchSize is the most n-grams of a document that are made distinct at once.
	batchSize int
	counts    []uint32 // of the n-grams of a piece
	piece     []uint64
	uncounted []uint32 // of a long document whose counts are not asked for
}

// NewExtractor returns an extractor, or an error if the options are not valid.
func NewExtractor(o Options) (*Extractor, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Extractor{
		options: o, mask: math.MaxUint64 << (MaxBits - o.Bits), counts: []uint32{}, seen: newSeen(),
		batch: batch{key: rand.Uint64() | 1}, batchSize: maxBatch,
	}
	for k, f := range o.Families.List() {
		e.families = append(e.families, newFamily(o, f, k == 0))
	}
	if o.ByWord() {
		e.mark = 1 << (MaxBits - o.Bits)
		e.words = newWords(e.families[len(e.families)-1])
	}
	return e, nil
}

// key returns the bits of the hash of a family's n-gram that are kept.
func (e *Extractor) key(f *family, hash uint64) uint64 {
	hash &^= e.mark
	if f.Tokenizer == CharWB {
		hash |= e.mark
	}
	return hash & e.mask
}

// progress is the state of hashing a document, family by family.
type progress struct {
	family, end int
	cursor
}

// start begins a document.
func (e *Extractor) start() progress {
	for _, f := range e.families {
		f.ngrams.start()
	}
	return progress{end: len(e.families), cursor: newCursor()}
}

// append appends the hashes of the n-grams of the next tokens; false at the end of the document.
func (e *Extractor) append(dst []uint64, p *progress, doc []byte) ([]uint64, bool) {
	for ; p.family < p.end; *p = (progress{p.family + 1, p.end, newCursor()}) {
		f := e.families[p.family]
		if n := f.scan(&p.cursor, doc); n > 0 {
			first := len(dst)
			dst = f.ngrams.append(dst, f.tokens[:n])
			switch {
			case e.mark != 0:
				for i, h := range dst[first:] {
					dst[first+i] = e.key(f, h)
				}
			case e.mask != math.MaxUint64:
				for i := range dst[first:] {
					dst[first+i] &= e.mask
				}
			}
			return dst, true
		}
	}
	return dst, false
}

// AppendHashes appends the hash of every n-gram of a document, family by family. N-grams that end at one token are
// together, shorter ones first.
func (e *Extractor) AppendHashes(dst []uint64, doc []byte) []uint64 {
	dst, _ = e.AppendPieces(dst, doc, nil) // which has no error of its own
	return dst
}

// AppendPieces is AppendHashes for documents of any length, which may have more n-grams than fit into memory: unless
// full is nil, it calls full with dst whenever that has PieceHashes or more. full takes what it wants, and returns what
// to go on appending to. Its error ends the document and is returned.
func (e *Extractor) AppendPieces(
	dst []uint64, doc []byte, full func(dst []uint64) ([]uint64, error),
) ([]uint64, error) {
	p := e.start()
	return e.appendPieces(dst, &p, doc, full)
}

func (e *Extractor) appendPieces(
	dst []uint64, p *progress, doc []byte, full func(dst []uint64) ([]uint64, error),
) ([]uint64, error) {
	defer e.release()
	for more := true; more; {
		if dst, more = e.append(dst, p, doc); full != nil && len(dst) >= PieceHashes {
			var err error
			if dst, err = full(dst); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// Blocks yields the hashes that AppendHashes appends, in the same order, some at a time. A block is valid until the
// next.
func (e *Extractor) Blocks(doc []byte) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		defer e.release()
		var block []uint64
		p, more := e.start(), true
		for more {
			if block, more = e.append(block[:0], &p, doc); !yield(block) {
				return
			}
		}
	}
}

// AppendDistinct appends the distinct n-gram hashes of a document, in order of first occurrence, and, if counts is not
// nil, how often each occurs. The two slices may have different lengths before. It panics if a document has more than
// about 4 billion distinct n-grams.
func (e *Extractor) AppendDistinct(hashes []uint64, counts []uint32, doc []byte) ([]uint64, []uint32) {
	first, firstCount := len(hashes), len(counts)
	batch := e.batchSize
	if counts != nil {
		batch = 0
	}
	long := false // what is before end is distinct, and in e.seen
	p := e.start()
	for {
		end, more := len(hashes), false
		if hashes, more = e.append(hashes, &p, doc); !more {
			break
		}
		if !long {
			if len(hashes)-first <= batch {
				continue
			}
			block := hashes[end:]
			end, long = first+e.batch.distinct(hashes[first:end]), true
			hashes = append(hashes[:end], block...)
			e.seen.start(hashes[first:end], min(e.expected(len(doc)), mostExpected))
			e.uncounted = appendZeros(e.uncounted[:0], end-first)
		}
		switch {
		case len(hashes) == end: // fewer tokens than the shortest n-gram has
		case counts == nil:
			hashes, e.uncounted = e.seen.count(hashes, first, end, e.uncounted, 0)
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

// mostExpected limits the table that is made for a long document before its distinct n-grams are known.
const mostExpected = 1 << 18

// expected estimates the number of n-grams of a document of this many bytes.
func (e *Extractor) expected(size int) int {
	n := 0
	for _, f := range e.families {
		n += f.expected(size)
	}
	return n
}

// InvalidBytes returns the number of bytes of all documents so far that were not UTF-8, without those in tags that
// StripHTML dropped.
func (e *Extractor) InvalidBytes() int64 { return e.families[0].invalid }

// PieceHashes is about how many n-gram hashes of a long document are in memory at a time where it is taken in pieces.
const PieceHashes = 1 << 14

// CountedPieces is like AppendDistinct with counts for a document of any length: it yields its distinct n-gram hashes
// and how often each occurs, one part of the document after the other. An n-gram of several parts comes with each. A
// piece is valid until the next.
func (e *Extractor) CountedPieces(doc []byte) iter.Seq2[[]uint64, []uint32] {
	return func(yield func([]uint64, []uint32) bool) {
		defer e.release()
		p, more := e.start(), true
		for more {
			hashes, counts := e.piece[:0], e.counts[:0]
			e.seen.start(nil, min(e.expected(len(doc)), PieceHashes))
			for more && len(hashes) < PieceHashes {
				end := len(hashes)
				if hashes, more = e.append(hashes, &p, doc); len(hashes) > end {
					hashes, counts = e.seen.count(hashes, 0, end, counts, 0)
				}
			}
			if e.piece, e.counts = hashes, counts; !yield(hashes, counts) {
				return
			}
		}
	}
}

// keep is the number of bytes of scratch that outlive a document, so that one of many
// megabytes does not bind its memory for good.
const keep = 4 << 20

func (e *Extractor) release() {
	for _, f := range e.families {
		f.release()
	}
	e.seen.release()
	if e.words != nil {
		e.words.release()
	}
	if 4*cap(e.uncounted) > keep {
		e.uncounted = nil
	}
}
