package main

import (
	"context"
	"io"
	"sync"
)

// interruptible is a reader whose reads return when ctx is done, even while the
// one below is waiting for input. Nothing is read before the first read.
func interruptible(ctx context.Context, below io.Reader) io.Reader {
	read, write := io.Pipe()
	context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })
	pump := sync.OnceFunc(func() {
		go func() {
			// A file would copy itself, in smaller pieces.
			_, err := io.CopyBuffer(write, struct{ io.Reader }{below}, make([]byte, 256<<10))
			write.CloseWithError(err)
		}()
	})
	return readerFunc(func(p []byte) (int, error) {
		pump()
		return read.Read(p)
	})
}

// readerFunc is a function that reads.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
