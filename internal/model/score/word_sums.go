package score

import (
	"context"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// wordSums adds up the words of documents. Where values are by word, a word adds to a document's sums what it would by
// itself, whatever else is there: so the sums of a word are kept, and only words that are not known are hashed and looked
// up. What is kept makes no difference to the result: sums are added in the order of words, and those of a word in the
// order of its n-grams. A wordSums owns scratch memory: one per goroutine.
type wordSums struct {
	t       *table
	outputs int
	extract *hashing.Extractor
	width   int // of the sums of a word
	known   *hashing.WordTable
	kept    []float64 // the sums of known words, by place

	// Of words that are not yet added to their documents:
	sums    []float64
	missing []missingWord
	again   []sameWord
	hashes  []uint64 // of missing words
	ends    []int    // of each one's hashes
	lookup  *lookup
	room    []float64 // for sums by place
	whole   []int32
	doc     int   // that they begin with
	docEnds []int // of each document's words in sums

	totals []float64 // by document
}

// The sums of a word, or of a document's words: the square of its length, its rows, and the weights of each output.
const (
	squareSum = iota
	rowSum
	weightSums
)

// missingWord is one whose sums are to be found. It is a pending one of known, unless place is -1.
type missingWord struct {
	at    int
	place int32
}

// sameWord has the sums of a missing word that came before it.
type sameWord struct{ at, from int }

var (
	// wordBytes is how many bytes the sums of known words take, at most.
	wordBytes = 4 << 20
	// mostWaiting is how many sums, and how many hashes, wait to be found, about.
	mostWaiting = 1 << 15
)

// mostWordOutputs is for how many outputs words are added up: with more, too few words are kept.
const mostWordOutputs = 256

func newWordSums(t *table, outputs int, extract *hashing.Extractor) *wordSums {
	w := &wordSums{
		t: t, outputs: outputs, extract: extract, width: weightSums + outputs,
		room: make([]float64, t.width), whole: make([]int32, t.width),
	}
	places := 1 << 6
	for 2*places*8*w.width <= wordBytes {
		places *= 2
	}
	w.known, w.kept = hashing.NewWordTable(places), make([]float64, places*w.width)
	w.lookup = newLookup(t)
	w.lookup.adds = outputs == 1
	return w
}

// reset forgets all documents.
func (w *wordSums) reset() { w.forget(); w.totals, w.doc = w.totals[:0], 0 }

// forget forgets the words that wait.
func (w *wordSums) forget() {
	for _, m := range w.missing {
		if m.place >= 0 {
			w.known.Forget(m.place)
		}
	}
	w.sums, w.missing, w.again = w.sums[:0], w.missing[:0], w.again[:0]
	w.hashes, w.ends, w.docEnds = w.hashes[:0], w.ends[:0], w.docEnds[:0]
}

// append appends a document.
func (w *wordSums) append(ctx context.Context, text []byte) error {
	isNew := 0 // how many words were
	for words := w.extract.Words(text, w.known); len(words) > 0; {
		some := words[:min(len(words), max(mostWaiting/w.width, 1))]
		words = words[len(some):]
		for _, word := range some {
			if word.New < 0 { // cache misses overlap
				kernels.Prefetch(&w.kept[int(word.Place)*w.width])
			}
		}
		at, first := len(w.sums), isNew
		w.sums = slices.Grow(w.sums, len(some)*w.width)[:at+len(some)*w.width]
		for _, word := range some {
			sums := w.sums[at:][:w.width]
			var kept []float64
			if word.Place >= 0 {
				kept = w.kept[int(word.Place)*w.width:][:w.width]
			}
			switch {
			case word.New >= 0:
				isNew++
				clear(sums)
				w.missing = append(w.missing, missingWord{at, word.Place})
				if kept != nil {
					kept[squareSum] = float64(-1 - at)
				}
			case kept[squareSum] < 0: // it is missing, too
				w.again = append(w.again, sameWord{at, int(-1 - kept[squareSum])})
			case w.width == weightSums+1:
				sums[0], sums[1], sums[2] = kept[0], kept[1], kept[2]
			default:
				copy(sums, kept)
			}
			at += w.width
		}
		w.hashes, w.ends = w.extract.AppendNew(w.hashes, w.ends, first, isNew)
		if len(w.hashes) >= mostWaiting || len(w.sums) >= mostWaiting {
			w.find()
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	w.docEnds = append(w.docEnds, len(w.sums))
	return nil
}

// find finds the sums of words that wait, and adds them to the documents, of which the last may go on.
func (w *wordSums) find() {
	w.lookup.findAll(w.hashes, w.ends)
	first := 0
	for k, m := range w.missing {
		sums := w.sums[m.at:][:w.width]
		if found := &w.lookup.sums[k]; w.lookup.adds {
			sums[squareSum], sums[rowSum], sums[weightSums] = found.squares, float64(found.rows), found.weights
		} else {
			end := w.lookup.ends[k]
			rows := w.lookup.rows[first:end]
			for _, row := range rows {
				r := float64(w.t.entries[row].Ratio)
				sums[squareSum] += float64(r * r)
			}
			sums[rowSum] = float64(len(rows))
			clear(w.room)
			w.t.add(w.room, w.whole, w.lookup.rows[first:], len(rows))
			for i := range w.outputs {
				sums[weightSums+i] = w.room[w.t.place(uint32(i))]
			}
			first = end
		}
		if m.place >= 0 { // if another word has taken the place, its sums follow
			copy(w.kept[int(m.place)*w.width:], sums)
		}
	}
	w.missing = w.missing[:0]
	for _, s := range w.again {
		copy(w.sums[s.at:][:w.width], w.sums[s.from:])
	}
	at := 0
	w.docEnds = append(w.docEnds, len(w.sums)) // of one that may go on
	for k, end := range w.docEnds {
		total := w.total(w.doc + k)
		for ; at < end; at += w.width {
			for i, sum := range w.sums[at:][:w.width] {
				total[i] += sum
			}
		}
	}
	w.doc += len(w.docEnds) - 1
	w.forget()
}

// total returns the sums of a document's words, which begin with zeros.
func (w *wordSums) total(doc int) []float64 {
	for len(w.totals) < (doc+1)*w.width {
		w.totals = append(w.totals, 0)
	}
	return w.totals[doc*w.width:][:w.width]
}
