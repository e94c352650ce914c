package ngrams

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// screen tells, before n-grams are counted, which of them may be in several documents. Of much text, nine of ten are in
// one document alone, and would take most of a Counter's memory.
//
// It has two bits for the n-grams of a cell: that there was one, and that there was another, or the same again. So
// n-grams of several documents pass, and of the others those that share a cell.
type screen struct {
	words  []uint64 // those of a partition side by side
	each   int      // words of a partition
	secret uint64   // makes cells, so that nobody can write documents whose n-grams share one
	free   func()
}

const cells = 32 // of a word

func newScreen(bytes int64, secret uint64) *screen {
	s := &screen{each: int(max(bytes/(8*partitions), 1)), secret: secret}
	s.words, s.free = hugepages.Make[uint64](s.each * partitions)
	return s
}

// close gives the memory back. Of a nil screen, it does nothing.
func (s *screen) close() {
	if s != nil {
		s.free()
		s.words = nil
	}
}

// of is the screen of a partition, in the cache.
func (s *screen) of(p int) []uint64 {
	words := s.words[p*s.each:][:s.each]
	kernels.Fetch(words)
	return words
}

// cell is the word of an n-gram's cell, and where its bits are there.
func (s *screen) cell(entry uint64) (word uint64, shift uint64) {
	x := (entry & restMask) * s.secret
	word, _ = bits.Mul64(x, uint64(s.each))
	return word, x % cells * 2
}

// note notes a run of a partition.
func (s *screen) note(words, run []uint64) {
	for _, entry := range run {
		word, shift := s.cell(entry)
		w := words[word]
		words[word] = w | (1|w>>shift&1<<1)<<shift
	}
}

// passed is scratch memory for entries that pass a screen; each worker has its own.
type passed struct {
	ahead   places
	at      [addAtOnce]uint8 // of entries that pass, in a run
	entries [addAtOnce]uint64
}

// pass finds those that pass of at most addAtOnce entries of a partition.
func (s *screen) pass(words, run []uint64, to *passed) (entries []uint64) {
	n := 0
	for i, entry := range run {
		// Which pass is hard to predict, so there is no branch on it: those that don't are written over.
		word, shift := s.cell(entry)
		to.at[n], to.entries[n] = uint8(i), entry
		n += int(words[word] >> shift >> 1 & 1)
	}
	return to.entries[:n]
}

// Outgrows tells whether the tables will take more memory than they may, and so many n-grams are in one document alone
// that another pass pays. What was counted is this share of all, and so many n-grams, summed over documents. The number
// of distinct n-grams grows as a power of how much text there is (Heaps' law); by the law of Good and Turing, the share
// of them that were counted once is the exponent.
func (c *Counter) Outgrows(ctx context.Context, share float64, entries int64, threads int) (bool, error) {
	const (
		bytes = 14  // that a table has for an n-gram
		pays  = .15 // of all n-grams: .25 saved a tenth of the time or more, .07 cost a twentieth
	)
	if c.memory == 0 || c.screen != nil || share <= 0 {
		return false, nil
	}
	var distinct, once atomic.Int64
	err := eachPartition(ctx, threads, func(_, p int) error {
		n := 0
		for _, e := range c.partitions[p].table.Words {
			if e&fullCount == 1 {
				n++
			}
		}
		distinct.Add(int64(c.partitions[p].used))
		once.Add(int64(n))
		return nil
	})
	n, single := float64(distinct.Load()), float64(once.Load())
	growth := math.Pow(1/share, single/max(n, 1))
	return bytes*n*growth > float64(c.memory) && single*growth > pays*float64(entries)/share, err
}

// Screen begins a first look at all n-grams, for which Note is called. Of those of one document, few are counted
// afterwards. It takes two fifths of the counter's memory, or as much as lets a partition's part stay in the second level
// of cache. What was counted before is dropped.
func (c *Counter) Screen() {
	const most = partitions << 18
	c.tables.Close()
	clear(c.partitions)
	c.distinct.Store(0)
	bytes := min(c.memory*2/5, most)
	c.screen = newScreen(bytes, c.secret)
	c.memory -= bytes
}

// Note notes the n-grams of some blocks.
func (c *Counter) Note(ctx context.Context, blocks []*Block, threads int) error {
	return eachPartition(ctx, threads, func(_, p int) error {
		words := c.screen.of(p)
		return eachRun(blocks, p, func(run []uint64) error {
			c.screen.note(words, run)
			return nil
		})
	})
}
