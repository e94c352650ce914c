package corpus

import (
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

// openZstd decodes in the reading goroutine: parsing goes on beside it anyway,
// and nothing is left behind if the reader is dropped.
func openZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

func openGzip(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }

// decompressed reads what compressed data mean.
type decompressed struct {
	io.Reader // the decompressor
	kind      string
	file      *counter // of compressed bytes
	source    *source
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = d.damage(err)
	}
	return n, err
}

// damage is what an error of the decompressor means, unless it comes from the file itself.
func (d *decompressed) damage(err error) error {
	switch {
	case d.file.err != nil:
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		err = fmt.Errorf("the zstd data need more than %d MiB of memory: decompress the file first, zstd --long=31 -dc %s | nbsvm ... -: %w", maxWindow>>20, d.source.word(), err)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("the %s data end too early, so the file was cut off: %w", d.kind, io.ErrUnexpectedEOF)
	case errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrMagicMismatch):
		err = fmt.Errorf("something that is not %s follows the %[1]s data: the file is damaged or was appended to", d.kind)
	default:
		err = fmt.Errorf("the %s data cannot be read: %w", d.kind, err)
	}
	return &damage{err: err}
}
