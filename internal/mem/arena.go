// Package mem has memory that the garbage collector does not manage: tables in large pages or mapped from files, an
// arena, and views of numbers as the bytes that they are in files, little-endian.
package mem

import (
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// slabWords is the size of a slab: 8 MiB, or more for what is larger.
const slabWords = 1 << 20

// Arena hands out memory from large slabs. What is given back is used again, and all of it is in large pages: memory
// that is fresh from the system costs as much as much of the work that is done in it. Its methods may be called from
// several goroutines at once; the zero value is ready.
type Arena struct {
	mu    sync.Mutex
	all   map[*slab]struct{}
	open  *slab // has room left
	spare []*slab
	bytes int64
}

// Memory is some words of an arena.
type Memory struct {
	Words []uint64
	slab  *slab
}

// slab is memory that several share.
type slab struct {
	words []uint64
	free  func()
	used  int  // words
	parts int  // that are in use
	dirty bool // was used before
}

// Take returns n words, which hold anything.
func (a *Arena) Take(n int) Memory { m, _ := a.take(n); return m }

// TakeZeros returns n zeros.
func (a *Arena) TakeZeros(n int) Memory {
	m, dirty := a.take(n)
	if dirty {
		clear(m.Words)
	}
	return m
}

func (a *Arena) take(n int) (m Memory, dirty bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil || a.open.used+n > len(a.open.words) {
		a.next(n)
	}
	s := a.open
	words := s.words[s.used : s.used+n : s.used+n]
	s.used += n
	s.parts++
	return Memory{words, s}, s.dirty
}

// next opens a slab of n words or more.
func (a *Arena) next(n int) {
	if last := a.open; last != nil && last.parts == 0 {
		a.retire(last)
	}
	if k := len(a.spare); k > 0 && n <= slabWords {
		a.open, a.spare = a.spare[k-1], a.spare[:k-1]
		return
	}
	s := new(slab)
	s.words, s.free = MakeHuge[uint64](max(n, slabWords))
	if a.all == nil {
		a.all = map[*slab]struct{}{}
	}
	a.all[s] = struct{}{}
	a.bytes += 8 * int64(len(s.words))
	a.open = s
}

// Give takes memory back.
func (a *Arena) Give(m Memory) {
	if m.slab == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.slab.parts--; m.slab.parts == 0 && m.slab != a.open {
		a.retire(m.slab)
	}
}

// retire keeps a slab that is in use no more, unless something beyond measure made it large.
func (a *Arena) retire(s *slab) {
	if s.used, s.dirty = 0, true; len(s.words) == slabWords {
		a.spare = append(a.spare, s)
		return
	}
	a.drop(s)
}

func (a *Arena) drop(s *slab) {
	s.free()
	delete(a.all, s)
	a.bytes -= 8 * int64(len(s.words))
}

// Trim gives memory that waits to be used again back to the system.
func (a *Arena) Trim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != nil && a.open.parts == 0 {
		a.drop(a.open)
		a.open = nil
	}
	for _, s := range a.spare {
		a.drop(s)
	}
	a.spare = nil
}

// Bytes returns how much memory the arena holds, without what waits to be used again.
func (a *Arena) Bytes() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bytes - 8*slabWords*int64(len(a.spare))
}

// Close gives all memory back, in use or not.
func (a *Arena) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.all {
		s.free()
	}
	a.open, a.all, a.spare, a.bytes = nil, nil, nil, 0
}

// MakeInFile returns n zeros that lie in an empty file and are mapped, for tables that
// may be larger than memory, and a function that gives them up. On other systems than Linux, they
// are in memory. T must hold no pointers.
func MakeInFile[T any](n int, f *os.File) (table []T, free func(), err error) {
	size := max(n, 1) * int(unsafe.Sizeof(*new(T)))
	if err := f.Truncate(int64(size)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	memory, free, err := mapForWriting(f, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if memory == nil {
		return make([]T, n), func() {}, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), free, nil
}
