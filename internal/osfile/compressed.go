// Package compressed writes text that is compressed with zstd or gzip, in frames (members, as
// gzip calls them) of a fixed size of text that need nothing of each other: they are made on
// several threads, can be read so, and may follow those of another file.
package osfile

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is a way to compress.
type Compression string

// The kinds that there are.
const (
	Uncompressed Compression = "none"
	Zstd         Compression = "zstd"
	Gzip         Compression = "gzip"
)

var suffixes = map[string]Compression{".zst": Zstd, ".gz": Gzip}

// CompressionOf returns the kind that a file's name stands for.
func CompressionOf(path string) Compression {
	if kind, ok := suffixes[filepath.Ext(path)]; ok {
		return kind
	}
	return Uncompressed
}

// TrimCompression returns a path without extensions that tell a compression, in lower or upper case.
func TrimCompression(path string) string {
	for _, end := range []string{".gz", ".zst"} {
		if n := len(path) - len(end); n > 0 && strings.EqualFold(path[n:], end) {
			path = path[:n]
		}
	}
	return path
}

// Suffix returns the end of the names of compressed files; empty for Uncompressed.
func (k Compression) Suffix() string {
	for suffix, kind := range suffixes {
		if kind == k {
			return suffix
		}
	}
	return ""
}

// frameText is how much text is in a frame, but for the last one.
const frameText = 4 << 20

// mostThreads is how many threads are worth their memory: they compress some 100 MB a second
// each.
const mostThreads = 8

// Compressor compresses what is written to it. Frames are made by other goroutines; the writer
// below is only ever written to by the one that calls. Memory is 4 MiB of text a thread, and
// what becomes of it.
type Compressor struct {
	w       io.Writer
	encode  func(dst *bytes.Buffer, text []byte) error
	text    []byte
	threads int
	pending []*frame // being made, oldest first
	frames  int
	failed  error
}

// frame is one that is made of text.
type frame struct {
	text []byte
	data bytes.Buffer
	done chan error
}

// NewCompressor compresses with so many threads at most; 0 is for all processors. The bytes are
// the same for any number. CompressionOf the kind Uncompressed, they are the text.
func NewCompressor(w io.Writer, kind Compression, threads int) (*Compressor, error) {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	c := &Compressor{w: w, threads: min(threads, mostThreads), encode: gzipFrame}
	switch kind {
	case Uncompressed:
		c.encode = func(dst *bytes.Buffer, text []byte) error {
			_, err := dst.Write(text)
			return err
		}
	case Zstd:
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(c.threads), zstd.WithZeroFrames(true),
			zstd.WithSingleSegment(true))
		if err != nil {
			return nil, err
		}
		c.encode = func(dst *bytes.Buffer, text []byte) error {
			dst.Grow(len(text)/2 + 1<<10)
			_, err := dst.Write(z.EncodeAll(text, dst.AvailableBuffer()))
			return err
		}
	}
	return c, nil
}

func gzipFrame(dst *bytes.Buffer, text []byte) error {
	z := gzip.NewWriter(dst)
	if _, err := z.Write(text); err != nil {
		return err
	}
	return z.Close()
}

// WriteCompressed compresses p.
func (c *Compressor) Write(p []byte) (n int, err error) {
	for len(p) > 0 && c.failed == nil {
		k := min(len(p), frameText-len(c.text))
		c.text = append(c.text, p[:k]...)
		n, p = n+k, p[k:]
		if len(c.text) == frameText {
			c.begin()
		}
	}
	return n, c.failed
}

// Flush ends the frame and hands on everything written, also by the writer below if that
// has a method Flush.
func (c *Compressor) Flush() error {
	if len(c.text) > 0 {
		c.begin()
	}
	c.finish(0)
	if below, ok := c.w.(interface{ Flush() error }); ok && c.failed == nil {
		c.failed = below.Flush()
	}
	return c.failed
}

// Close ends the last frame. Without any text there is one that is empty: a file of no bytes
// is not compressed. The writer below stays open.
func (c *Compressor) Close() error {
	if len(c.text) > 0 || c.frames == 0 {
		c.begin()
	}
	c.finish(0)
	return c.failed
}

// begin has a frame made of the text, once there is a thread for it.
func (c *Compressor) begin() {
	c.finish(c.threads - 1)
	f := &frame{text: c.text, done: make(chan error, 1)}
	c.text = make([]byte, 0, cap(f.text))
	c.frames++
	c.pending = append(c.pending, f)
	go func() { f.done <- c.encode(&f.data, f.text) }()
}

// finish writes the oldest frames, once they are made, until no more than some are pending.
func (c *Compressor) finish(pending int) {
	for ; len(c.pending) > pending; c.pending = c.pending[1:] {
		f := c.pending[0]
		err := <-f.done
		if err == nil && c.failed == nil {
			_, err = c.w.Write(f.data.Bytes())
		}
		c.failed = cmp.Or(c.failed, err)
	}
}

// WriteCompressed runs write on what compresses for w, with so many threads at most, or on w itself for Uncompressed.
func WriteCompressed(kind Compression, threads int, w io.Writer, write func(io.Writer) error) error {
	if kind == Uncompressed {
		return write(w)
	}
	z, err := NewCompressor(w, kind, threads)
	if err == nil {
		err = write(z)
	}
	if err != nil {
		return err
	}
	return z.Close()
}
