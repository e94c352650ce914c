package corpus

import (
	"errors"
	"io"
)

var errInterrupted = errors.New("corpus: reading was interrupted")

// interruptible is a source of bytes that may be long in coming. A read that waits for them
// ends when the reader is interrupted, and what it waited for is lost.
type interruptible struct {
	r    io.Reader
	stop <-chan struct{}
	done chan readResult
}

type readResult struct {
	n   int
	err error
}

func newInterruptible(r io.Reader, stop <-chan struct{}) *interruptible {
	return &interruptible{r, stop, make(chan readResult, 1)}
}

// Read may leave a read behind that writes to p later: nobody looks at p once reading was
// interrupted.
func (i *interruptible) Read(p []byte) (int, error) {
	select {
	case <-i.stop:
		return 0, errInterrupted
	default:
	}
	if len(p) == 0 {
		return 0, nil
	}
	go func() {
		n, err := i.r.Read(p)
		i.done <- readResult{n, err}
	}()
	select {
	case <-i.stop:
		return 0, errInterrupted
	case result := <-i.done:
		return result.n, result.err
	}
}
