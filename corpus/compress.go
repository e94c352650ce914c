package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/gunzip"
)

// maxWindow is what zstd -d takes without being asked for more: level 22 and
// --long fit, --long=28 does not.
const maxWindow = 128 << 20

// openZstd decodes in the reading goroutine: parsing goes on beside it anyway,
// and nothing is left behind if the reader is dropped.
func openZstd(s *source, r *bufio.Reader) error {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return &fileError{Path: s.name, Err: damaged("zstd", err)}
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
	case errors.Is(err, zstd.ErrMagicMismatch):
		return n, errGarbage("zstd")
	}
	return n, damaged("zstd", err)
}

func openGzip(s *source, r *bufio.Reader) error {
	s.Reader = &gzipReader{gunzip.NewReader(r)}
	return nil
}

type gzipReader struct{ r *gunzip.Reader }

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case err == gunzip.ErrGarbage:
		return n, errGarbage("gzip")
	}
	return n, damaged("gzip", err)
}
