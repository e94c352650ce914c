package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Limits of a footer, which bound the stack that reading it takes.
const (
	mostDepth  = 32      // of structs and lists in each other
	mostSchema = 100_000 // elements of the schema
)

const magic = "PAR1"

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
	if err := f.structure(0, inFile); err != nil {
		return nil, 0, err
	}
	if f.valueless == nil {
		return r, size, nil
	}
	for _, stop := range slices.Backward(f.valueless) {
		data = slices.Insert(data, stop, 1<<4|thriftBinary, 0)
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

// Types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

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

// footer walks over a struct in Thrift's compact protocol.
type footer struct {
	data      []byte
	at        int
	valueless []int // where structs of a key without a value end
}

var errFooterDepth = errors.New("it nests too deep")

// skip goes ahead by n bytes.
func (f *footer) skip(n uint64) error {
	if n > uint64(len(f.data)-f.at) {
		return io.ErrUnexpectedEOF
	}
	f.at += int(n)
	return nil
}

func (f *footer) next() (byte, error) {
	if err := f.skip(1); err != nil {
		return 0, err
	}
	return f.data[f.at-1], nil
}

func (f *footer) number() (uint64, error) {
	n, length := binary.Uvarint(f.data[f.at:])
	if length <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	f.at += length
	return n, nil
}

// structure goes behind a struct.
func (f *footer) structure(depth int, in place) error {
	if depth > mostDepth {
		return errFooterDepth
	}
	for id := int64(0); ; {
		head, err := f.next()
		switch {
		case err != nil:
			return err
		case head == 0:
			if in == inKeyValue && id == 1 {
				f.valueless = append(f.valueless, f.at-1)
			}
			return nil
		case head>>4 == 0:
			n, err := f.number()
			if err != nil {
				return err
			}
			id = int64(n>>1) ^ -int64(n&1)
		default:
			id += int64(head >> 4)
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := f.value(depth, kind, below[in][id]); err != nil {
				return err
			}
		}
	}
}

// value goes behind a value of a type.
func (f *footer) value(depth int, kind byte, in place) error {
	switch {
	case kind == thriftTrue || kind == thriftFalse || kind == thriftByte: // of lists
		return f.skip(1)
	case kind > thriftByte && kind <= thriftInt64:
		_, err := f.number()
		return err
	case kind == thriftDouble:
		return f.skip(8)
	case kind == thriftBinary:
		n, err := f.number()
		if err != nil {
			return err
		}
		return f.skip(n)
	case kind == thriftList || kind == thriftSet:
		return f.list(depth+1, in)
	case kind == thriftMap:
		return f.pairs(depth + 1)
	case kind == thriftStruct:
		return f.structure(depth+1, in)
	case kind == thriftUUID:
		return f.skip(16)
	}
	return fmt.Errorf("a value has the unknown type %d", kind)
}

func (f *footer) list(depth int, in place) error {
	head, err := f.next()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = f.number(); err != nil {
			return err
		}
	}
	if n > mostSchema && in == inSchema {
		return fmt.Errorf("the schema has %d elements, more than %d", n, mostSchema)
	}
	return f.values(depth, n, head&15, in)
}

// values goes behind so many values of types, one after the other.
func (f *footer) values(depth int, n uint64, kind byte, in place) error {
	if depth > mostDepth {
		return errFooterDepth
	}
	if n > uint64(len(f.data)-f.at) { // each takes a byte or more
		return io.ErrUnexpectedEOF
	}
	for range n {
		if err := f.value(depth, kind, in); err != nil {
			return err
		}
	}
	return nil
}

func (f *footer) pairs(depth int) error {
	n, err := f.number()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := f.next()
	if err != nil {
		return err
	}
	if n > uint64(len(f.data)-f.at) {
		return io.ErrUnexpectedEOF
	}
	for range n {
		for _, kind := range []byte{kinds >> 4, kinds & 15} {
			if err := f.value(depth, kind, elsewhere); err != nil {
				return err
			}
		}
	}
	return nil
}
