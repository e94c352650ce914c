package hashing

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// words finds the distinct words of a document as CharWB takes words: what stands between white space, after folding.
// They are told apart by 64 bits of a hash whose key is drawn anew for each Extractor, so that nobody can write words
// that are taken for one another.
type words struct {
	f       *family
	split   *kernels.Words // finds words; nil where tags are dropped
	keys    [2]uint64
	seed    maphash.Seed
	found   []FoundWord
	text    []byte // of new words, folded
	ends    []int  // of each one's text
	had     map[uint64]struct{}
	waiting [64]waitingWord
	waits   int        // how many there are
	known   *WordTable // of AppendByWord; nil before the first call
	grams   [][]uint64 // of its words
	gramsAt []int
}

// FoundWord is a word of a document.
type FoundWord struct {
	Place int32 // in a [WordTable]; -1 for none
	New   int32 // its number among those that had no place before; -1 for another
}

// waitingWord is a word of at most 16 bytes that is to be looked up. The places of many are asked for first, so that
// cache misses overlap.
type waitingWord struct{ tag, lo, hi, size uint64 }

// shortWord is the most bytes of a word that are hashed as two numbers.
const shortWord = 16

// mostKnown is the number of words whose n-grams are kept: they take up to 2 MB.
const mostKnown = 1 << 13

func newWords(f *family) *words {
	w := &words{f: f, keys: [2]uint64{rand.Uint64(), rand.Uint64()}, seed: maphash.MakeSeed(), had: map[uint64]struct{}{}}
	if !f.options.StripHTML {
		var classes [utf8.RuneSelf]uint8
		for b := range classes {
			if f.ascii[b] != byteWhite {
				classes[b] = kernels.TextWord
			}
		}
		w.split = kernels.NewWords(classes, 0, 0, 0)
	}
	return w
}

// Words returns the distinct words of a document as CharWB takes words, each with its place in a table, which is of this
// Extractor alone. They are valid until the next call. There must be such a family ([Options.ByWord]).
func (e *Extractor) Words(doc []byte, t *WordTable) []FoundWord {
	w := e.words
	w.found, w.text, w.ends = w.found[:0], w.text[:0], w.ends[:0]
	clear(w.had)
	t.next()
	c := newCursor()
	for {
		if w.split != nil {
			n, size := w.split.Split(doc[c.pos:])
			for i := range n {
				start, end := w.split.Word(i)
				w.take(t, doc[c.pos:], start, end, !w.split.Left(i))
			}
			if c.pos += size; size > 0 {
				continue
			}
		}
		start, end, ascii := w.f.field(&c, doc) // of the kernel, a long one, or the end
		if start == end {
			break
		}
		w.take(t, doc, start, end, ascii)
	}
	w.lookUp(t)
	return w.found
}

// take takes a field of a text: a word if it is ASCII.
func (w *words) take(t *WordTable, text []byte, start, end int, ascii bool) {
	n := end - start
	if !ascii || n > shortWord {
		w.takeLong(t, text[start:end])
		return
	}
	lo, hi := firstBytes(text[start:], n)
	if w.f.options.Lowercase {
		lo, hi = lowerBytes(lo), lowerBytes(hi)
	}
	w.wait(t, lo, hi, n)
}

// wait adds a word of at most 16 bytes to those that wait.
func (w *words) wait(t *WordTable, lo, hi uint64, size int) {
	if w.waits == len(w.waiting) {
		w.lookUp(t)
	}
	h, l := bits.Mul64(lo^w.keys[0], hi^w.keys[1])
	tag := h ^ l + uint64(size)*golden
	kernels.Prefetch(t.set(tag))
	w.waiting[w.waits] = waitingWord{tag, lo, hi, uint64(size)}
	w.waits++
}

// lookUp adds the words that wait, but those that the document has already.
func (w *words) lookUp(t *WordTable) {
	w.found = slices.Grow(w.found, w.waits)
	for i := range w.waiting[:w.waits] {
		word := &w.waiting[i]
		set := t.set(word.tag)
		// Which place it is, and whether the word comes again, is hard to predict, so there is no branch on it.
		way, known := set.find(word.tag)
		if known == 0 {
			if w.add(t, word.tag) {
				w.text = binary.LittleEndian.AppendUint64(w.text, word.lo)
				w.text = binary.LittleEndian.AppendUint64(w.text, word.hi)
				w.text = w.text[:len(w.text)-shortWord+int(word.size)]
				w.ends = append(w.ends, len(w.text))
			}
			continue
		}
		at := &set[way&3]
		n := len(w.found)
		w.found = append(w.found, FoundWord{t.place(word.tag, way), -1})
		again := at.doc ^ t.doc
		w.found = w.found[:n+int((again|-again)>>63)]
		at.doc = t.doc
	}
	w.waits = 0
}

// add adds a word that has no place yet, and reports whether the document does not have it already.
func (w *words) add(t *WordTable, tag uint64) bool {
	place := t.replace(tag)
	if place < 0 {
		if _, again := w.had[tag]; again {
			return false
		}
		w.had[tag] = struct{}{}
	}
	w.found = append(w.found, FoundWord{place, int32(len(w.ends))})
	return true
}

// takeLong takes the words of a field that is long or not ASCII, in which white space and invalid bytes separate.
func (w *words) takeLong(t *WordTable, field []byte) {
	w.lookUp(t)
	f, begin := w.f, len(w.text)
	finish := func() {
		word := w.text[begin:]
		switch n := len(word); {
		case n == 0:
			return
		case n <= shortWord:
			lo, hi := firstBytes(word, n)
			w.text = w.text[:begin]
			w.wait(t, lo, hi, n)
			w.lookUp(t)
		default:
			tag := maphash.Bytes(w.seed, word)
			set := t.set(tag)
			way, known := set.find(tag)
			switch {
			case known == 0 && w.add(t, tag):
				w.ends = append(w.ends, len(w.text))
			case known != 0 && set[way].doc != t.doc:
				set[way].doc = t.doc
				w.found = append(w.found, FoundWord{t.place(tag, way), -1})
				fallthrough
			default:
				w.text = w.text[:begin]
			}
		}
		begin = len(w.text)
	}
	for i := 0; i < len(field); {
		r, size := utf8.DecodeRune(field[i:])
		i += size
		switch {
		case invalid(r, size):
			f.invalid++
			finish()
		case f.plane.classOf(r) == white:
			finish()
		case !f.isDot(r, w.text[begin:]):
			w.text = utf8.AppendRune(w.text, f.lower(r))
		}
	}
	finish()
}

// firstBytes returns the first n bytes of p, at most 16, as two words padded with zeros.
func firstBytes(p []byte, n int) (lo, hi uint64) {
	if len(p) >= shortWord {
		lo, hi = binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
	} else {
		var padded [shortWord]byte
		copy(padded[:], p)
		lo, hi = binary.LittleEndian.Uint64(padded[:]), binary.LittleEndian.Uint64(padded[8:])
	}
	if n <= 8 {
		return lo << (64 - 8*n) >> (64 - 8*n), 0
	}
	return lo, hi << (128 - 8*n) >> (128 - 8*n)
}

// release gives back the memory of a document much longer than usual.
func (w *words) release() {
	if cap(w.text) > keep || 8*cap(w.found) > keep {
		w.text, w.ends, w.found, w.had = nil, nil, nil, map[uint64]struct{}{}
	}
}

// AppendNew appends the n-gram hashes of words that were new to the table of the last [Extractor.Words], those with the
// numbers from first to end, and where each one's end.
func (e *Extractor) AppendNew(dst []uint64, ends []int, first, end int) ([]uint64, []int) {
	w, begin := e.words, len(dst)
	if first == end {
		return dst, ends
	}
	f := w.f
	f.ngrams.start()
	f.tokens[0] = f.ngrams.boundary
	n, at, all := 1, 0, begin
	if first > 0 {
		at = w.ends[first-1]
	}
	add := func(token uint64) {
		if n == len(f.tokens) {
			dst, n = f.ngrams.append(dst, f.tokens[:]), 0
		}
		f.tokens[n] = token
		n++
	}
	for _, stop := range w.ends[first:end] {
		word, tokens := w.text[at:stop], 0
		for i := 0; i < len(word); tokens++ {
			if b := word[i]; b < utf8.RuneSelf {
				add(f.single[b])
				i++
				continue
			}
			_, size := utf8.DecodeRune(word[i:])
			add(f.keys.token(word[i : i+size]))
			i += size
		}
		add(f.ngrams.boundary)
		at = stop
		all += f.ngramsOf(tokens)
		ends = append(ends, all)
	}
	dst = f.ngrams.append(dst, f.tokens[:n])
	if f.NgramLo == 1 { // the space before the first word; each has the one behind it
		dst = slices.Delete(dst, begin, begin+1)
	}
	for i, h := range dst[begin:] {
		dst[begin+i] = e.key(f, h)
	}
	return dst, ends
}

// ngramsOf returns the number of n-grams of a word of so many characters with the space behind it, and of those that
// begin with the space before it.
func (f *family) ngramsOf(characters int) (n int) {
	for order := f.NgramLo; order <= f.NgramHi; order++ {
		if n += max(characters+3-order, 0); order == 1 {
			n--
		}
	}
	return n
}

// AppendByWord appends the distinct n-gram hashes of a document, in some order, and what each counts: an n-gram of CharWB
// as often as it occurs in the document's distinct words, each taken once, and another once. So a document counts as the
// sum of its distinct words, whatever n-grams they share. There must be such a family ([Options.ByWord]).
func (e *Extractor) AppendByWord(hashes []uint64, counts []uint32, doc []byte) ([]uint64, []uint32) {
	first, firstCount := len(hashes), len(counts)
	e.seen.start(nil, min(e.expected(len(doc)), mostExpected))
	add := func(end int) { // hashes from there on
		hashes, counts = e.seen.count(hashes, first, end, counts, firstCount)
	}
	p := e.start()
	p.end-- // CharWB comes last
	for more := true; more; {
		end := len(hashes)
		if hashes, more = e.append(hashes, &p, doc); len(hashes) > end {
			add(end)
		}
	}
	for i := range counts[firstCount:] {
		counts[firstCount+i] = 1
	}
	w := e.words
	if w.known == nil {
		w.known, w.grams = NewWordTable(mostKnown), make([][]uint64, mostKnown)
	}
	for _, word := range e.Words(doc, w.known) {
		end := len(hashes)
		if word.New < 0 {
			hashes = append(hashes, w.grams[word.Place]...)
		} else {
			hashes, w.gramsAt = e.AppendNew(hashes, w.gramsAt[:0], int(word.New), int(word.New)+1)
			if word.Place >= 0 {
				w.grams[word.Place] = append(w.grams[word.Place][:0], hashes[end:]...)
			}
		}
		add(end)
	}
	e.release()
	return hashes, counts
}

// AppendAcross is [Extractor.AppendPieces] without the n-grams of CharWB.
func (e *Extractor) AppendAcross(
	dst []uint64, doc []byte, full func(dst []uint64) ([]uint64, error),
) ([]uint64, error) {
	p := e.start()
	p.end--
	return e.appendPieces(dst, &p, doc, full)
}

// WordTable gives words a place each, so that what is known of them can be kept. A new word takes the place of another,
// but not that of a word of the same document.
type WordTable struct {
	sets  []wordSet
	shift int
	doc   uint64
}

// wordSet is a line of the cache: four words, and the document that had each last.
type wordSet [4]struct{ tag, doc uint64 }

// NewWordTable returns a table of so many places, a power of 2 from 4 on.
func NewWordTable(places int) *WordTable {
	return &WordTable{sets: make([]wordSet, places/4), shift: 66 - bits.TrailingZeros(uint(places))}
}

// next begins a document.
func (t *WordTable) next() { t.doc++ }

// Forget makes a place free.
func (t *WordTable) Forget(place int32) {
	at := &t.sets[place/4][place%4]
	at.tag, at.doc = 0, 0
}

// set returns the set where a word has its place.
func (t *WordTable) set(tag uint64) *wordSet { return &t.sets[tag>>(t.shift&63)] }

// place returns the number of a place in the set of a word.
func (t *WordTable) place(tag, way uint64) int32 { return int32(4*(tag>>(t.shift&63)) + way) }

// find returns where in the set a word is, and 1 if it is there, or else 0.
func (s *wordSet) find(tag uint64) (way, known uint64) {
	is := func(k int) uint64 {
		x := s[k].tag ^ tag
		return ^(x | -x) >> 63
	}
	b, c, d := is(1), is(2), is(3)
	return b | c<<1 | d<<1 | d, is(0) | b | c | d
}

// replace gives a new word the place of the one that no document has had for longest, and returns it; -1 if the document
// has all words of the set.
func (t *WordTable) replace(tag uint64) int32 {
	set, way := t.set(tag), 0
	for k := range set {
		if set[k].doc < set[way].doc {
			way = k
		}
	}
	if set[way].doc == t.doc {
		return -1
	}
	set[way].tag, set[way].doc = tag, t.doc
	return t.place(tag, uint64(way))
}
