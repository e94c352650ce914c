package corpus

import (
	"sync"
	"sync/atomic"
)

// buffer is memory that is read into. The cutter that fills it and the chunks that are
// views of it share it; the last of them to let go gives it back. A buffer of which
// one never does is the garbage collector's.
type buffer struct {
	room  []byte
	users atomic.Int32
	spare *spareBuffers // where it goes at last; nil if nowhere
}

// share counts n more users.
func (b *buffer) share(n int) {
	if b != nil {
		b.users.Add(int32(n))
	}
}

// release is a user's last word.
func (b *buffer) release() {
	if b != nil && b.users.Add(-1) == 0 && b.spare != nil {
		b.spare.put(b)
	}
}

// spareBuffers are those of the usual size that nobody uses. There are never more than
// were in use at once.
type spareBuffers struct {
	mu   sync.Mutex
	free []*buffer
}

// get is a buffer of a size, with one user. It will be used again if the size is the
// usual one; there may be no spare buffers to begin with.
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

func (s *spareBuffers) put(b *buffer) {
	s.mu.Lock()
	s.free = append(s.free, b)
	s.mu.Unlock()
}
