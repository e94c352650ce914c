package corpus

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/file/hugepages"
)

// buffer is memory that is read into. The cutter that fills it and the chunks that are
// views of it share it. The last of them to release it puts it among the spare ones. If one
// of them never does, the garbage collector frees the buffer.
type buffer struct {
	room  []byte
	users atomic.Int32
	spare *spareBuffers // where it goes when it is released; may be nil
}

// share adds n users.
func (b *buffer) share(n int) {
	if b != nil {
		b.users.Add(int32(n))
	}
}

// release takes one user away.
func (b *buffer) release() {
	if b != nil && b.users.Add(-1) == 0 && b.spare != nil {
		b.spare.mu.Lock()
		b.spare.free = append(b.spare.free, b)
		b.spare.mu.Unlock()
	}
}

// spareBuffers are the buffers of the usual size that nobody uses. There are never more of
// them than were in use at once.
type spareBuffers struct {
	mu   sync.Mutex
	free []*buffer
	made int    // buffers of the usual size
	slab []byte // memory for more of them
}

// Where more than slabFrom buffers are in use at once, chunks are kept: more come from slabs of several, in large
// pages, which are soon touched.
const (
	slabFrom  = 8
	slabBytes = 8 << 20
)

// room is memory for one more buffer.
func (s *spareBuffers) room(size int) []byte {
	if s.made++; s.made <= slabFrom || size > slabBytes/2 {
		return make([]byte, size)
	}
	if len(s.slab) < size {
		s.slab = make([]byte, slabBytes)
		hugepages.Advise(s.slab)
	}
	room := s.slab[:size:size]
	s.slab = s.slab[size:]
	return room
}

// get returns a buffer of a size, with one user. A buffer of the usual size comes from the
// spare ones, if there are any, and returns to them. The receiver may be nil.
func (s *spareBuffers) get(size int, usual bool) *buffer {
	b := &buffer{}
	if usual && s != nil {
		s.mu.Lock()
		if n := len(s.free); n > 0 {
			b = s.free[n-1]
			s.free = s.free[:n-1]
		} else {
			b.room = s.room(size)
		}
		s.mu.Unlock()
		b.spare = s
	}
	if b.room == nil {
		b.room = make([]byte, size)
	}
	b.users.Store(1)
	return b
}
