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
	spare *sync.Pool // where it goes when it is released; nil for one of an unusual size
}

// newBuffer returns a buffer of a size, with one user. A spare one is of the usual size.
func newBuffer(spare *sync.Pool, size int, usual bool) *buffer {
	b := &buffer{}
	if usual && spare != nil {
		if old, ok := spare.Get().(*buffer); ok {
			b = old
		}
		b.spare = spare
	}
	if len(b.room) < size {
		b.room = make([]byte, size)
	}
	b.users.Store(1)
	return b
}

// share adds a user.
func (b *buffer) share() {
	if b != nil {
		b.users.Add(1)
	}
}

// release takes one user away.
func (b *buffer) release() {
	if b != nil && b.users.Add(-1) == 0 && b.spare != nil {
		b.spare.Put(b)
	}
}
