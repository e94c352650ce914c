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
	err    error
	offset int64 // of the rest that is lost, in bytes of the decompressed file
	at     int64 // how many bytes of the file itself were taken
	row    int64 // that is lost first, from 1, of formats that have rows
}

func (d *damage) Error() string {
	if d.row > 0 {
		return fmt.Sprintf("%v; the rest of the file is lost", d.err)
	}
	return fmt.Sprintf("%v; the rest of the file is lost (byte %d counts decompressed data: in the file itself it is about byte %d)", d.err, d.offset, d.at)
}

func (d *damage) Unwrap() error { return d.err }

// decompressed marks errors of decompression as damage.
type decompressed struct {
	io.Reader
	file *counter
	raw  *bufio.Reader
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.file.damage(err, d.raw)
	}
	return n, err
}

// damage is what an error of a decompressor means, unless it comes from the file itself.
func (c *counter) damage(err error, raw *bufio.Reader) error {
	if c.err != nil {
		return err
	}
	return &damage{err: err, at: c.n - int64(raw.Buffered())}
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
	case errors.Is(err, zstd.ErrMagicMismatch):
		return n, errGarbage("zstd")
	}
	return n, damaged("zstd", err)
}

func openGzip(s *source, r *bufio.Reader) error {
	g := &gzipReader{raw: r}
	var err error
	if g.z, err = gzip.NewReader(r); err != nil {
		return damaged("gzip", noEOF(err))
	}
	g.z.Multistream(false)
	s.closers = append(s.closers, g.z)
	s.Reader = g
	return nil
}

// gzipReader reads one member after the other. The library would do so, too, but
// takes a member whose header is cut off for the end of the file.
type gzipReader struct {
	z   *gzip.Reader
	raw *bufio.Reader
	end bool
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for !g.end {
		n, err := g.z.Read(p)
		switch {
		case err != nil && err != io.EOF:
			return n, damaged("gzip", err)
		case err == io.EOF:
			err = g.nextMember()
			fallthrough
		default:
			if n > 0 || err != nil {
				return n, err
			}
		}
	}
	return 0, io.EOF
}

// nextMember begins what follows a member: another one, nothing, or zeros, with
// which tapes and some disks fill their last block.
func (g *gzipReader) nextMember() error {
	first, err := g.raw.Peek(1)
	switch {
	case err == io.EOF:
		g.end = true
		return nil
	case err != nil:
		return damaged("gzip", err)
	case first[0] == 0:
		g.end = true
		return g.skipZeros()
	case first[0] != 0x1f:
		return errGarbage("gzip")
	}
	if err := g.z.Reset(g.raw); errors.Is(err, gzip.ErrHeader) {
		return errGarbage("gzip")
	} else if err != nil {
		return damaged("gzip", noEOF(err))
	}
	g.z.Multistream(false)
	return nil
}

func (g *gzipReader) skipZeros() error {
	for {
		switch c, err := g.raw.ReadByte(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return damaged("gzip", err)
		case c != 0:
			return errGarbage("gzip")
		}
	}
}

// noEOF is for where data must not end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
