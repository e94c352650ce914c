package parquetfile

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/lz4"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
	pierrec "github.com/pierrec/lz4/v4"
)

// lz4Codec decompresses LZ4_RAW. The codec of parquet-go 0.32 returns other memory than it was given where a page
// shrinks to more than a third, and parquet-go then reads what it gave: the wrong bytes. On damaged pages, that codec
// never returns.
type lz4Codec struct{ lz4.Codec }

func (lz4Codec) Decode(dst, src []byte) ([]byte, error) {
	n, err := pierrec.UncompressBlock(src, dst)
	if err != nil {
		err = errors.New("a page does not decompress as LZ4_RAW; the file is damaged")
	}
	return dst[:max(n, 0)], err
}

// useOwnCodec sets the codec of a column, for which parquet-go has no function: ours of LZ4_RAW, and the fastest level of
// Zstandard, at which files with long texts are written anew in two thirds of the time.
func useOwnCodec(column *parquet.Column) {
	codec := column.Compression()
	if codec == nil {
		return
	}
	switch codec.CompressionCodec() {
	case format.Lz4Raw:
		codec = &lz4Codec{}
	case format.Zstd:
		codec = &zstd.Codec{Level: zstd.SpeedFastest}
	}
	set(column, "compression", codec)
	// Files list several encodings of a column, of which parquet-go takes the first, which may be that of levels.
	if column.Encoding() == nil || column.Encoding().Encoding() != format.RLEDictionary {
		set[encoding.Encoding](column, "encoding", &parquet.Plain)
	}
}

// set sets a field of a column.
func set[T any](column *parquet.Column, name string, value T) {
	*(*T)(unsafe.Pointer(reflect.ValueOf(column).Elem().FieldByName(name).UnsafeAddr())) = value
}
