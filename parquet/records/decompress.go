package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/seed-167f963f/nbsvm/parquet/internal/snappy"
)

var errSize = errors.New("it does not decompress to as many bytes as its header says")

// behindPage is how much memory there should be behind a page. Near the end of what it is given, the decoder of
// Zstandard copies a whole block of 128 KiB with more care: without, pages of 1 MiB of text take a tenth longer.
const behindPage = 32

// decompress decompresses a page into memory for exactly the bytes that its header says, and never takes more. Some
// bytes behind them may be written, up to the capacity of dst.
// parquet-go's codecs go by the data, which may say anything; that of LZ4 gives wrong bytes where these are more than a
// third of the decompressed ones, and does not return from damaged data.
func decompress(codec format.CompressionCodec, dst, src []byte) error {
	switch codec {
	case format.Snappy:
		return snappy.Decode(dst, src)
	case format.Zstd:
		d := zstdDecoders.Get().(*zstd.Decoder)
		defer zstdDecoders.Put(d)
		out, err := d.DecodeAll(src, dst[:0:min(cap(dst), len(dst)+behindPage)])
		if err == nil && len(out) != len(dst) {
			err = errSize
		}
		return err
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		if err == nil && n != len(dst) {
			err = errSize
		}
		return err
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return err
		}
		defer r.Close()
		return readExactly(r, dst)
	case format.Brotli:
		return readExactly(brotli.NewReader(bytes.NewReader(src)), dst)
	}
	return refuse("is compressed with %s, which is not read here: write it with Snappy, Zstandard, gzip, Brotli or LZ4_RAW", codec)
}

var zstdDecoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(fmt.Sprint("options of zstd contradict each other: ", err))
	}
	return d
}}

func readExactly(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var more [1]byte
	if n, err := r.Read(more[:]); n > 0 {
		return errSize
	} else if err != io.EOF {
		return err
	}
	return nil
}
