package osfile

import (
	"cmp"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
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

// Compressor compresses what is written to it.
type Compressor struct {
	encoder
	w io.Writer
}

// encoder compresses for a writer.
type encoder interface {
	io.WriteCloser
	Flush() error
}

// NewCompressor compresses with so many threads at most; 0 is for all processors. The bytes are the same for any
// number. Of the kind Uncompressed, they are the text.
func NewCompressor(w io.Writer, kind Compression, threads int) (*Compressor, error) {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	switch kind {
	case Zstd:
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(threads), zstd.WithZeroFrames(true))
		return &Compressor{z, w}, err
	case Gzip:
		const block = 1 << 20
		z := pgzip.NewWriter(w)
		return &Compressor{z, w}, z.SetConcurrency(block, threads)
	}
	return &Compressor{plain{w}, w}, nil
}

// plain compresses nothing.
type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }

// Flush hands on everything written, also by the writer below if that has a method Flush.
func (c *Compressor) Flush() error {
	err := c.encoder.Flush()
	if below, is := c.w.(interface{ Flush() error }); is && err == nil {
		err = below.Flush()
	}
	return err
}

// WriteCompressed runs write on what compresses for w, with so many threads at most, or on w itself for Uncompressed.
func WriteCompressed(kind Compression, threads int, w io.Writer, write func(io.Writer) error) error {
	if kind == Uncompressed {
		return write(w)
	}
	z, err := NewCompressor(w, kind, threads)
	if err != nil {
		return err
	}
	err = write(z)
	return cmp.Or(err, z.Close())
}
