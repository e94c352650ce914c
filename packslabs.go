package nbsvm

import (
	"sync"
)

// slabWords is the size of a slab: 8 MiB.
const slabWords = 1 << 20

// slab is memory that several blocks share.
type slab struct {
	words  []uint64
	used   int // words
	blocks int // that are in use
}

// slabs are the memory of blocks. What blocks give back is used again: memory that is fresh
// from the system costs as much as all that is done with an entry.
type slabs struct {
	mu    sync.Mutex
	open  *slab // has room left
	spare []*slab
}

// take returns n words, and the slab to give back when they are used no more.
func (a *slabs) take(n int) ([]uint64, *slab) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil || a.open.used+n > len(a.open.words) {
		a.next(n)
	}
	s := a.open
	words := s.words[s.used : s.used+n : s.used+n]
	s.used += n
	s.blocks++
	return words, s
}

// next opens a slab of n words or more.
func (a *slabs) next(n int) {
	if last := a.open; last != nil && last.blocks == 0 {
		a.retire(last)
	}
	if k := len(a.spare); k > 0 && n <= slabWords {
		a.open, a.spare = a.spare[k-1], a.spare[:k-1]
		return
	}
	a.open = &slab{words: make([]uint64, max(n, slabWords))}
}

// give takes back the words of a block.
func (a *slabs) give(s *slab) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.blocks--; s.blocks == 0 && s != a.open {
		a.retire(s)
	}
}

// retire keeps a slab that is in use no more, unless a document beyond measure made it large.
func (a *slabs) retire(s *slab) {
	if s.used = 0; len(s.words) == slabWords {
		a.spare = append(a.spare, s)
	}
}
