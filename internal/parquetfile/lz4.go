package parquetfile

import (
	"errors"
	"reflect"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/compress/lz4"
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

// useLZ4Codec sets the codec of a column, for which parquet-go has no function.
func useLZ4Codec(column *parquet.Column) {
	if codec := column.Compression(); codec != nil && codec.CompressionCodec() == format.Lz4Raw {
		field := reflect.ValueOf(column).Elem().FieldByName("compression")
		*(*compress.Codec)(unsafe.Pointer(field.UnsafeAddr())) = &lz4Codec{}
	}
}
