package recordstream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// RowsMagic begins a stream of the rows of a file that are to be written, in order, with what is to be added to them:
// of each row a byte, see [RowKind], and its number in the file, from 1; and for Scored ones the number of classes, and
// of each the length of its label, the label, and 8 bytes of a score.
const RowsMagic = "nbsvm rows 1\n"

// RowKind is what becomes of a row.
type RowKind byte

// The kinds of rows.
const (
	Kept   RowKind = 'k' // it has no score
	Scored RowKind = 's'
	NoMore RowKind = 'e' // the end: a stream without it is cut off
)

// Class is a label with its score.
type Class struct {
	Label string
	Score float64
}

// AppendKept appends the row of a number without a score.
func AppendKept(dst []byte, number int64) []byte {
	return binary.AppendUvarint(append(dst, byte(Kept)), uint64(number))
}

// AppendScored appends the head of a scored row, whose classes are to follow.
func AppendScored(dst []byte, number int64, classes int) []byte {
	dst = binary.AppendUvarint(append(dst, byte(Scored)), uint64(number))
	return binary.AppendUvarint(dst, uint64(classes))
}

// Row is a row of a stream.
type Row struct {
	Kind    RowKind
	Number  int64 // in the file, from 1
	Classes []Class
}

// AppendClass appends a class of a row.
func AppendClass(dst []byte, label string, score float64) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(len(label))), label...)
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(score))
}

// RowReader reads a stream of rows.
type RowReader struct{ r *bufio.Reader }

// NewRowReader begins to read; ErrVersion is a stream that begins otherwise.
func NewRowReader(r io.Reader) (*RowReader, error) {
	const size = 1 << 16
	of := &RowReader{bufio.NewReaderSize(r, size)}
	var is [len(RowsMagic)]byte
	if _, err := io.ReadFull(of.r, is[:]); err != nil || string(is[:]) != RowsMagic {
		return nil, ErrVersion
	}
	return of, nil
}

var errRows = errors.New("the stream of scores is cut off or damaged")

// Next reads the next row into the memory of another.
func (r *RowReader) Next(row *Row) error {
	row.Classes = row.Classes[:0]
	b, err := r.r.ReadByte()
	if row.Kind = RowKind(b); err == nil && row.Kind == NoMore {
		return nil
	}
	number, err := binary.ReadUvarint(r.r)
	if err != nil || number > math.MaxInt64 || row.Kind != Kept && row.Kind != Scored {
		return errRows
	}
	row.Number = int64(number)
	if row.Kind == Kept {
		return nil
	}
	n, err := binary.ReadUvarint(r.r)
	for ; n > 0 && err == nil; n-- {
		var c Class
		c, err = r.class()
		row.Classes = append(row.Classes, c)
	}
	if err != nil {
		return errRows
	}
	return nil
}

func (r *RowReader) class() (Class, error) {
	length, err := binary.ReadUvarint(r.r)
	if err != nil || length > MaxList {
		return Class{}, errRows
	}
	b := make([]byte, length+8)
	_, err = io.ReadFull(r.r, b)
	return Class{string(b[:length]), math.Float64frombits(binary.LittleEndian.Uint64(b[length:]))}, err
}
