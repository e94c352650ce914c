package parquetfile

import (
	"encoding/binary"
	"errors"
	"math"
)

// Rows that are to be written are rendered on several threads as bytes, and handed to a [Writer] in order: of each row
// a byte, see rowKind, and its number in the file, from 1; and of a scored one the number of classes, and of each the
// length of its label, the label, and 8 bytes of a score.

type rowKind byte

const (
	keptRow   rowKind = 'k' // it has no score
	scoredRow rowKind = 's'
)

// AppendKept appends the row of a number without a score.
func AppendKept(dst []byte, number int64) []byte {
	return binary.AppendUvarint(append(dst, byte(keptRow)), uint64(number))
}

// AppendScored appends the head of a scored row, whose classes are to follow.
func AppendScored(dst []byte, number int64, classes int) []byte {
	dst = binary.AppendUvarint(append(dst, byte(scoredRow)), uint64(number))
	return binary.AppendUvarint(dst, uint64(classes))
}

// AppendClass appends a class of a row.
func AppendClass(dst []byte, label string, score float64) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(len(label))), label...)
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(score))
}

// class is a label with its score.
type class struct {
	label []byte
	score float64
}

// outRow is a row that is to be written.
type outRow struct {
	kind    rowKind
	number  int64 // in the file, from 1
	classes []class
}

var errRows = errors.New("rows are cut off")

// next takes the first row off rows, into the memory of another.
func (r *outRow) next(rows []byte) (rest []byte, err error) {
	number := func() (n uint64) {
		n, length := binary.Uvarint(rows)
		if length <= 0 {
			err, length = errRows, len(rows)
		}
		rows = rows[length:]
		return n
	}
	r.kind, r.classes, rows = rowKind(rows[0]), r.classes[:0], rows[1:]
	if r.number = int64(number()); r.kind == keptRow {
		return rows, err
	}
	for n := number(); n > 0 && err == nil; n-- {
		length := number()
		if uint64(len(rows)) < length+8 {
			return nil, errRows
		}
		r.classes = append(r.classes, class{
			rows[:length:length],
			math.Float64frombits(binary.LittleEndian.Uint64(rows[length:])),
		})
		rows = rows[length+8:]
	}
	return rows, err
}
