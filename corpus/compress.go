package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is what zstd -d takes without being asked for more: level 22 and
// --long fit, --long=28 does not.
const maxWindow = 128 << 20

// damage is an error of compressed data, or of what a program reads. What the file has behind it is lost, and nothing
// else.
type damage struct {
	err error
	row int64 // that is lost first, from 1, of formats that have rows
}

func (d *damage) Error() string { return fmt.Sprintf("%v; the rest of the file is lost", d.err) }

func (d *damage) Unwrap() error { return d.err }

// decompressed marks errors of decompression as damage.
type decompressed struct {
	io.Reader
	file *counter
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.file.damage(err)
	}
	return n, err
}

// damage is what an error of a decompressor means, unless it comes from the file itself.
func (c *counter) damage(err error) error {
	if c.err != nil {
		return err
	}
	return &damage{err: err}
}

// openZstd decodes in the reading goroutine: parsing goes on beside it anyway,
// and nothing is left behind if the reader is dropped.
func openZstd(s *source, r *bufio.Reader) error {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return damaged("zstd", err)
	}
	s.closers = append(s.closers, d.IOReadCloser())
	s.Reader = &zstdReader{d, s.path}
	return nil
}

type zstdReader struct {
	d    *zstd.Decoder
	path string
}

func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.d.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return n, fmt.Errorf("the zstd data need more than %d MiB of memory: decompress the file first, zstd --long=31 -dc %s | nbsvm ... -: %w", maxWindow>>20, z.path, err)
	}
	return n, damaged("zstd", err)
}

func openGzip(s *source, r *bufio.Reader) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return damaged("gzip", err)
	}
	s.closers = append(s.closers, z)
	s.Reader = &gzipReader{z}
	return nil
}

// gzipReader reads all members, one after the other.
type gzipReader struct{ z *gzip.Reader }

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = damaged("gzip", err)
	}
	return n, err
}
