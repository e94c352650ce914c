package parquetfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Limits of a footer, which bound the stack that reading it takes.
const (
	mostDepth  = 32      // of structs and lists in each other
	mostSchema = 100_000 // elements of the schema
)

const magic = "PAR1"

// Beginning is how Parquet files begin: the magic bytes, and the type of the first page, or of the footer.
const Beginning = magic + "\x15"

// Is reports whether a file begins like a Parquet file. A missing file does not; one that can't be read is an error.
func Is(path string) (bool, error) {
	head, err := osfile.ReadHead(path)
	return bytes.HasPrefix(head, []byte(Beginning)), err
}

// endBytes is the length of what follows the footer: its length and the magic bytes.
const endBytes = 4 + int64(len(magic))

// checkFooter walks over the footer before parquet-go reads it, which makes room for as many elements as a list claims
// to have; here the footer ends first if they are not there. It also gives empty values to metadata without one:
// parquet-go requires values, which the format does not.
func checkFooter(r io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	var end [endBytes]byte
	if _, err := r.ReadAt(end[:], size-endBytes); err != nil {
		return nil, 0, err
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if string(end[4:]) != magic || length > size-endBytes {
		return r, size, nil // parquet-go says so
	}
	data := make([]byte, length)
	at := size - endBytes - length
	if _, err := r.ReadAt(data, at); err != nil {
		return nil, 0, err
	}
	f := footer{data: data}
	if f.value(thrift.STRUCT, 0, inFile); f.err != nil {
		return nil, 0, f.err
	}
	if f.valueless == nil {
		return r, size, nil
	}
	for _, stop := range slices.Backward(f.valueless) {
		data = slices.Insert(data, stop, 1<<4|byte(thrift.BINARY), 0)
	}
	tail := append(binary.LittleEndian.AppendUint32(data, uint32(len(data))), magic...)
	return &retailed{r, at, tail}, at + int64(len(tail)), nil
}

// retailed is a file with another footer.
type retailed struct {
	io.ReaderAt
	at   int64 // where the other one begins
	tail []byte
}

func (r *retailed) ReadAt(p []byte, off int64) (n int, err error) {
	if off < r.at {
		n, err = r.ReaderAt.ReadAt(p[:min(int64(len(p)), r.at-off)], off)
		if err != nil || n == len(p) {
			return n, err
		}
	}
	from := min(off+int64(n)-r.at, int64(len(r.tail)))
	if n += copy(p[n:], r.tail[from:]); n < len(p) {
		err = io.EOF
	}
	return n, err
}

// place says which struct of a footer is being walked over.
type place int

const (
	elsewhere place = iota
	inFile
	inRowGroup
	inColumn
	inColumnMetadata
	inKeyValue
	inSchema
)

// below is where a field of a struct leads to.
var below = map[place]map[int64]place{
	inFile:           {2: inSchema, 4: inRowGroup, 5: inKeyValue},
	inRowGroup:       {1: inColumn},
	inColumn:         {3: inColumnMetadata},
	inColumnMetadata: {8: inKeyValue},
}

// footer walks over values in Thrift's compact protocol, up to the first error.
type footer struct {
	data      []byte
	at        int
	valueless []int // where structs of a key without a value end
	err       error
}

// skip goes ahead by n bytes, and returns the last of them.
func (f *footer) skip(n uint64) byte {
	if f.err != nil || n == 0 {
		return 0
	}
	if n > uint64(len(f.data)-f.at) {
		f.err = io.ErrUnexpectedEOF
		return 0
	}
	f.at += int(n)
	return f.data[f.at-1]
}

func (f *footer) number() uint64 {
	n, length := binary.Uvarint(f.data[f.at:])
	if length <= 0 {
		length = len(f.data) + 1 // beyond the end
	}
	f.skip(uint64(length))
	return n
}

// value goes behind a value of a type.
func (f *footer) value(kind thrift.Type, depth int, in place) {
	if depth > mostDepth {
		f.err = cmp.Or(f.err, errFooterDepth)
	}
	switch {
	case f.err != nil:
	case kind == thrift.TRUE || kind == thrift.FALSE || kind == thrift.I8: // of lists
		f.skip(1)
	case kind > thrift.I8 && kind <= thrift.I64:
		f.number()
	case kind == thrift.DOUBLE:
		f.skip(8)
	case kind == thrift.UUID:
		f.skip(16)
	case kind == thrift.BINARY:
		f.skip(f.number())
	case kind == thrift.LIST || kind == thrift.SET:
		head := f.skip(1)
		n := uint64(head >> 4)
		if n == 15 {
			n = f.number()
		}
		if n > mostSchema && in == inSchema && f.err == nil {
			f.err = fmt.Errorf("the schema has %d elements, more than %d", n, mostSchema)
		}
		f.repeated(n, depth+1, in, thrift.Type(head&15))
	case kind == thrift.MAP:
		if n := f.number(); n > 0 {
			kinds := f.skip(1)
			f.repeated(n, depth+1, elsewhere, thrift.Type(kinds>>4), thrift.Type(kinds&15))
		}
	case kind == thrift.STRUCT:
		f.fields(depth+1, in)
	default:
		f.err = fmt.Errorf("a value has the unknown type %d", kind)
	}
}

// repeated goes behind so many values of one type, or pairs of two.
func (f *footer) repeated(n uint64, depth int, in place, kinds ...thrift.Type) {
	if n > uint64(len(f.data)-f.at) { // each takes a byte or more
		f.err = cmp.Or(f.err, io.ErrUnexpectedEOF)
	}
	for ; n > 0 && f.err == nil; n-- {
		for _, kind := range kinds {
			f.value(kind, depth, in)
		}
	}
}

// fields goes behind a struct.
func (f *footer) fields(depth int, in place) {
	for id := int64(0); f.err == nil; {
		head := f.skip(1)
		switch {
		case head == 0:
			if in == inKeyValue && id == 1 {
				f.valueless = append(f.valueless, f.at-1)
			}
			return
		case head>>4 == 0:
			n := f.number()
			id = int64(n>>1) ^ -int64(n&1)
		default:
			id += int64(head >> 4)
		}
		if kind := thrift.Type(head & 15); kind != thrift.TRUE && kind != thrift.FALSE {
			f.value(kind, depth, below[in][id])
		}
	}
}

var errFooterDepth = errors.New("it nests too deep")
