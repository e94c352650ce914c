package score

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// lookup finds the rows of many n-grams at a time, in stages. A stage reads one thing for every n-gram and does not
// branch on what it finds, so the cache misses of many n-grams overlap, also across short documents. A lookup owns
// scratch memory: one per goroutine.
type lookup struct {
	t    *table
	seen *kernels.Seen
	adds bool     // rows are added up at once, of a model with one output
	rows []uint32 // of the documents, else
	ends []int    // of each document's rows
	sums []docSums
	sum  docSums // of the document under way

	found     *kernels.Found // of a block of hashes
	hashes    []uint64       // of the block
	following *kernels.Found // of the next block
}

// docSums are what is added up of a document's distinct rows: their weights and the squares of their ratios.
type docSums struct {
	weights, squares float64
	rows             int
}

func newLookup(t *table) *lookup {
	return &lookup{
		t: t, seen: kernels.NewSeen(len(t.entries)), found: new(kernels.Found),
		following: new(kernels.Found),
	}
}

// find finds the distinct rows of the n-grams of documents, in order of first occurrence, or adds them up. N-grams that
// the model does not know have no row. The hashes of the documents lie one behind the other and end at ends. base is
// how many hashes of the documents were looked up before: 0 begins anew.
func (l *lookup) find(base int, hashes []uint64, ends []int) {
	if base == 0 {
		l.seen.Next() // after a document that a fault in a truncated file cut short
		l.rows, l.ends, l.sums, l.sum = l.rows[:0], l.ends[:0], l.sums[:0], docSums{}
	}
	next := l.block(hashes, 0)
	for begin := 0; begin < len(hashes); begin += kernels.LookupBlock {
		end := min(begin+kernels.LookupBlock, len(hashes))
		l.hashes = hashes[begin:end]
		l.found, l.following = l.following, l.found
		n := next
		next = l.block(hashes, end)
		rows, queries := l.found.Rows[:n], l.found.Queries[:n]
		first := 0
		for len(l.ends) < len(ends) && ends[len(l.ends)] <= base+end {
			behind := ends[len(l.ends)] - base - begin
			own, _ := slices.BinarySearch(queries[:min(behind-first, len(queries))], kernels.Query(behind, 0))
			l.take(rows[:own], queries[:own])
			l.end()
			rows, queries, first = rows[own:], queries[own:], behind
		}
		l.take(rows, queries) // of a document that goes on in the next block
	}
	for len(l.ends) < len(ends) { // they have no n-grams
		l.end()
	}
}

// findAll is find for words, of which n-grams count as often as they occur. The hashes of each word end at one of ends.
func (l *lookup) findAll(hashes []uint64, ends []int) {
	l.rows, l.ends, l.sums = l.rows[:0], l.ends[:0], l.sums[:0]
	var sum docSums
	word, entries := 0, l.t.entries
	next := l.block(hashes, 0)
	for begin := 0; begin < len(hashes); begin += kernels.LookupBlock {
		end := min(begin+kernels.LookupBlock, len(hashes))
		l.found, l.following = l.following, l.found
		n := next
		next = l.block(hashes, end)
		if !l.adds {
			l.rows = slices.Grow(l.rows, n)
		}
		queries := l.found.Queries[:n]
		for i, row := range l.found.Rows[:n] {
			place := begin + kernels.QueryPlace(queries[i])
			for ; place >= ends[word]; word++ {
				l.ends, l.sums, sum = append(l.ends, len(l.rows)), append(l.sums, sum), docSums{}
			}
			if int(row) >= len(entries) || entries[row].Tag != uint32(kernels.QueryTag(queries[i])) {
				var ok bool
				if row, ok = l.t.more[hashing.Key(hashes[place], l.t.keyBits)]; !ok {
					continue
				}
			}
			if !l.adds {
				l.rows = append(l.rows, row)
				continue
			}
			r := float64(entries[row].Ratio)
			sum.squares += float64(r * r)
			sum.weights += float64(math.Float32frombits(entries[row].Content))
			sum.rows++
		}
	}
	for ; word < len(ends); word++ {
		l.ends, l.sums, sum = append(l.ends, len(l.rows)), append(l.sums, sum), docSums{}
	}
}

// block looks up the block of hashes that begins at begin, and asks for the entries of the rows that were found of the
// block before. It returns the number of rows found.
func (l *lookup) block(hashes []uint64, begin int) (n int) {
	hashes = hashes[begin:min(begin+kernels.LookupBlock, len(hashes))]
	return l.following.Find(hashes, l.t.keyBits, l.t.bucketBits, l.t.lines, l.t.entries, l.found)
}

// take takes rows that were found of a document.
func (l *lookup) take(rows, queries []uint32) {
	for {
		done := l.takeSome(rows, queries)
		if rows, queries = rows[done:], queries[done:]; len(rows) == 0 {
			return
		}
		key := hashing.Key(l.hashes[kernels.QueryPlace(queries[0])], l.t.keyBits)
		if row, ok := l.t.more[key]; ok {
			rows[0] = row
			continue
		}
		rows, queries = rows[1:], queries[1:]
	}
}

// takeSome ends where a key may have a row that is in no line.
func (l *lookup) takeSome(rows, queries []uint32) (done int) {
	var n int
	if l.adds {
		s := &l.sum
		s.weights, s.squares, n, done = l.seen.SumDistinct(rows, queries, l.t.entries, s.weights, s.squares)
		s.rows += n
		return done
	}
	have := len(l.rows)
	all := slices.Grow(l.rows, len(rows))
	n, done = l.seen.KeepDistinct(all[have:have+len(rows)], rows, queries, l.t.entries)
	l.rows = all[:have+n]
	return done
}

// end ends a document.
func (l *lookup) end() {
	l.seen.Next()
	l.ends = append(l.ends, len(l.rows))
	l.sums, l.sum = append(l.sums, l.sum), docSums{}
}
