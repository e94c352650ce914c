package main

import (
	"context"
	"io"
)

// interruptible is a reader whose reads return when ctx is done, even while the
// one below is waiting for input.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleReader{ctx: ctx, r: r}
}

type interruptibleReader struct {
	ctx   context.Context
	r     io.Reader
	reads chan read
	rest  []byte
	err   error
}

type read struct {
	data []byte
	err  error
}

func (i *interruptibleReader) Read(p []byte) (int, error) {
	if i.reads == nil {
		i.reads = make(chan read)
		go i.pump()
	}
	for len(i.rest) == 0 {
		if i.err != nil {
			return 0, i.err
		}
		select {
		case next := <-i.reads:
			i.rest, i.err = next.data, next.err
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// pump reads on until the end, an error, or the context's end. While one buffer
// is being filled the other is with Read, which asks for the next only when it
// has used up the last.
func (i *interruptibleReader) pump() {
	var buffers [2][256 << 10]byte
	for turn := 0; ; turn ^= 1 {
		n, err := i.r.Read(buffers[turn][:])
		select {
		case i.reads <- read{buffers[turn][:n], err}:
		case <-i.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
