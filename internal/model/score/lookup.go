package score

import (
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// lookup finds the rows of many n-grams at a time, in stages. A stage reads one thing for every n-gram and does not
// branch on what it finds, so the cache misses of many n-grams overlap, also across short documents. A lookup owns
// scratch memory: one per goroutine.
type lookup struct {
	m    *model.Model
	rows []uint32 // of the documents
	ends []int    // of each document's rows
	seen *kernels.Seen

	sums []docSums // of documents, where rows are added up at once
	sum  docSums   // of the document under way

	found     *kernels.Found // of a block of hashes
	hashes    []uint64       // of the block
	following *kernels.Found // of the next block
}

// docSums are what is added up of a document's distinct rows: their weights and the squares of their ratios.
type docSums struct {
	weights, squares float64
	rows             int
}

// newLookup returns a lookup of a model's rows.
func newLookup(m *model.Model) *lookup {
	return &lookup{m: m, seen: kernels.NewSeen(m.Keys.Size()), found: new(kernels.Found), following: new(kernels.Found)}
}

// rowsOf returns the distinct rows of the n-grams of documents, in order of first occurrence. N-grams that the model
// does not know have no row. The hashes of the documents lie one behind the other and end at ends, their rows at
// rowEnds. base is how many hashes of the documents were looked up before: 0 begins anew. They are looked up in the
// model itself if the table is nil, and else in the table of a model with several outputs, which has its own numbers of
// rows. What is returned is valid until the next call.
func (l *lookup) rowsOf(t *table, base int, hashes []uint64, ends []int) (rows []uint32, rowEnds []int) {
	take := l.add
	if t != nil {
		take = l.inTable(t, func(rows, queries []uint32) (done int) {
			n := len(l.rows)
			all := slices.Grow(l.rows, len(rows))
			kept, done := l.seen.KeepDistinct(all[n:n+len(rows)], rows, queries, t.entries)
			l.rows = all[:n+kept]
			return done
		})
	}
	l.each(t, base, hashes, ends, take)
	runtime.KeepAlive(t)
	return l.rows, l.ends
}

// sumsOf returns the sums of each document in the table of a model with one output, as sums gives them of its rows.
func (l *lookup) sumsOf(t *table, base int, hashes []uint64, ends []int) []docSums {
	l.each(t, base, hashes, ends, l.inTable(t, func(rows, queries []uint32) (done int) {
		s := &l.sum
		var n int
		s.weights, s.squares, n, done = l.seen.SumDistinct(rows, queries, t.entries, s.weights, s.squares)
		s.rows += n
		return done
	}))
	runtime.KeepAlive(t)
	return l.sums
}

// inTable returns what takes rows that were found in a table by something that ends where a key may have a row that is
// in no line.
func (l *lookup) inTable(t *table, take func(rows, queries []uint32) (done int)) func(rows, queries []uint32) {
	return func(rows, queries []uint32) {
		for {
			done := take(rows, queries)
			if rows, queries = rows[done:], queries[done:]; len(rows) == 0 {
				return
			}
			key := hashing.Key(l.hashes[kernels.QueryPlace(queries[0])], t.keyBits)
			if row, ok := t.more[key]; ok {
				rows[0] = row
				continue
			}
			rows, queries = rows[1:], queries[1:]
		}
	}
}

// each looks up the n-grams of documents, and has take take the rows that are found with their queries, of one document
// after the other. The last one may go on in the next call.
func (l *lookup) each(t *table, base int, hashes []uint64, ends []int, take func(rows, queries []uint32)) {
	if base == 0 {
		l.begin()
	}
	next := l.find(t, hashes, 0)
	for begin := 0; begin < len(hashes); begin += kernels.LookupBlock {
		end := min(begin+kernels.LookupBlock, len(hashes))
		l.hashes = hashes[begin:end]
		l.found, l.following = l.following, l.found
		n := next
		next = l.find(t, hashes, end)
		rows, queries := l.found.Rows[:n], l.found.Queries[:n]
		first := 0
		for len(l.ends) < len(ends) && ends[len(l.ends)] <= base+end {
			behind := ends[len(l.ends)] - base - begin
			own, _ := slices.BinarySearch(queries[:min(behind-first, len(queries))], kernels.Query(behind, 0))
			take(rows[:own], queries[:own])
			l.end()
			rows, queries, first = rows[own:], queries[own:], behind
		}
		take(rows, queries) // of a document that goes on in the next block
	}
	for len(l.ends) < len(ends) { // they have no n-grams
		l.end()
	}
}

// begin begins with the first document.
func (l *lookup) begin() {
	l.seen.Next() // after a document that a fault in a truncated file cut short
	l.rows, l.ends, l.sums, l.sum = l.rows[:0], l.ends[:0], l.sums[:0], docSums{}
}

// end ends a document.
func (l *lookup) end() {
	l.seen.Next()
	l.ends = append(l.ends, len(l.rows))
	l.sums, l.sum = append(l.sums, l.sum), docSums{}
}

// find looks up the block of hashes that begins at begin, and asks for the entries of the rows that were found of the
// block before. It returns the number of rows found.
func (l *lookup) find(t *table, hashes []uint64, begin int) (n int) {
	hashes = hashes[begin:min(begin+kernels.LookupBlock, len(hashes))]
	if t != nil {
		return l.following.Find(hashes, t.keyBits, t.bucketBits, t.lines, t.entries, l.found)
	}
	return l.ranked(hashes)
}

// ranked finds the rows of the hashes whose keys have one, some keys at a time.
func (l *lookup) ranked(hashes []uint64) (n int) {
	f, bits := l.following, l.m.Meta.Text.Bits
	var keys [ahead]uint64
	for begin := 0; begin < len(hashes); begin += ahead {
		some := hashes[begin:min(begin+ahead, len(hashes))]
		for i, h := range some {
			keys[i] = hashing.Key(h, bits)
		}
		l.m.Keys.Touch(keys[:len(some)])
		for i, key := range keys[:len(some)] {
			if row, ok := l.m.Keys.Rank(key); ok {
				f.Rows[n], f.Queries[n] = uint32(row), kernels.Query(begin+i, key)
				n++
			}
		}
	}
	return n
}

// add adds the rows that the document does not have yet.
func (l *lookup) add(rows, _ []uint32) {
	n := len(l.rows)
	all := slices.Grow(l.rows, len(rows))[:n+len(rows)]
	l.rows = all[:n+l.seen.Keep(all[n:], rows)]
}
