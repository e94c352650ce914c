package nbsvm

import (
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/hugepages"
)

// slabWords is the size of a slab: 8 MiB.
const slabWords = 1 << 20

// slab is memory that several blocks share.
type slab struct {
	words  []uint64
	free   func()
	used   int // words
	blocks int // that are in use
}

// slabs are the memory of blocks. What blocks give back is used again, and all of it is in
// huge pages: memory that is fresh from the system costs as much as all that is done with an
// entry. It is not the collector's, which would go through everything again and again
// when there is as much as it may keep.
type slabs struct {
	mu    sync.Mutex
	all   map[*slab]struct{}
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
	a.open = new(slab)
	a.open.words, a.open.free = hugepages.Make[uint64](max(n, slabWords))
	if a.all == nil {
		a.all = map[*slab]struct{}{}
	}
	a.all[a.open] = struct{}{}
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
		return
	}
	s.free()
	delete(a.all, s)
}

// close gives all memory back, in use or not.
func (a *slabs) close() {
	for s := range a.all {
		s.free()
	}
	*a = slabs{}
}
