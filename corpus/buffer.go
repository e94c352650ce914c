package corpus

import (
	"sync"
	"sync/atomic"
)

// buffer is memory that is read into. The cutter that fills it and the chunks that are
// views of it share it. When the last of them has released it, it can be used again. If one
// of them never does, the garbage collector frees the buffer.
type buffer struct {
	room  []byte
	users atomic.Int32
	spare *spareBuffers // where it goes when it is released; nil for one of an unusual size
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
}

// get returns a buffer of a size, with one user. A buffer of the usual size comes from the
// spare ones, if there are any, and returns to them.
func (s *spareBuffers) get(size int, usual bool) *buffer {
	b := &buffer{}
	if usual && s != nil {
		s.mu.Lock()
		if n := len(s.free); n > 0 {
			b = s.free[n-1]
			s.free = s.free[:n-1]
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
