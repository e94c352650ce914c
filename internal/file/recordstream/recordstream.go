// Package recordstream is how records come through a pipe from a program that reads a format which nbsvm itself does
// not: Parquet. A file that was made to do harm can then bring down that program at most.
//
// A stream is [Magic], then frames: a byte that says what the frame is, the length of its payload as 4 bytes, and the
// payload. All numbers are little-endian.
//
//	block    8 bytes the number of its first record in the file, from 0; 8 bytes how much of the file is behind it;
//	         4 bytes the row group of its records, from 0; 4 bytes the number of its records; their columns
//	refusal  why the file is not what it was said to be, as text
//	damage   why the rest of the file can't be read, as text
//	failure  why the system could not read it, as text
//	end      nothing; a stream without it is cut off
//
// The records of a block stand by column: of each field, in an order that both sides know, 4 bytes of length and so
// many bytes, which are the field's values of all records. A value is 4 bytes of length and so many bytes. Lengths of
// 2^31 and more stand for something else, see [Value].
package recordstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Magic begins a stream. Its number changes with the format, so that programs of two versions notice.
const Magic = "nbsvm records 2\n"

// Frame is what a frame holds.
type Frame byte

// The frames.
const (
	Block   Frame = 'B'
	Refusal Frame = 'R'
	Damage  Frame = 'D'
	Failure Frame = 'F'
	End     Frame = 'E'
)

// BlockBytes is about how many bytes of text a block should have. Blocks of 256 KiB stay in a core's cache from where
// they are made to where their texts are scored.
const BlockBytes = 1 << 18

// BlockHeader is the length of what is in front of a block's records.
const BlockHeader = 24

// Lengths of values that stand for something else.
const (
	null = 1<<32 - 1 - iota // no value
	bad                     // a value that can't be used: a text follows that says why, as a value
	long                    // a value that is longer than allowed: its beginning follows, as a value
	list = 1 << 31          // and a number: so many values follow
)

// MaxList is the number of values that a list may have.
const MaxList = 1 << 30

// maxPayload is the length of the longest frame: a block may have one record that is as long as can be.
const maxPayload = 1<<31 - 1

// Kind is what a value is.
type Kind byte

// The kinds of values.
const (
	Null Kind = iota
	Text      // Bytes are the value
	List      // Count values follow
	Bad       // the value can't be used; Bytes say why
	Long      // it is longer than allowed; Bytes are its beginning
)

// Value is a field of a record.
type Value struct {
	Kind  Kind
	Bytes []byte // a view of the block
	Count int
}

// AppendText appends a value of text, AppendNull the value of a field that has none, and AppendList the head of a list,
// whose values are to follow.
func AppendText[T string | []byte](dst []byte, text T) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(text)))
	return append(dst, text...)
}

// AppendNull appends the value of a field that has none.
func AppendNull(dst []byte) []byte { return binary.LittleEndian.AppendUint32(dst, null) }

// AppendList appends the head of a list of so many values, at most MaxList, which are to follow.
func AppendList(dst []byte, count int) []byte {
	return binary.LittleEndian.AppendUint32(dst, list+uint32(count))
}

// AppendBad appends a value that can't be used, and why.
func AppendBad(dst []byte, why string) []byte {
	return AppendText(binary.LittleEndian.AppendUint32(dst, bad), why)
}

// AppendLong appends the beginning of a value that is longer than allowed.
func AppendLong(dst, head []byte) []byte {
	return AppendText(binary.LittleEndian.AppendUint32(dst, long), head)
}

var errCut = errors.New("a block of records is cut off")

// Next takes the first value off the rest of a block.
func Next(rest []byte) (v Value, behind []byte, err error) {
	if len(rest) < 4 {
		return v, nil, errCut
	}
	n := binary.LittleEndian.Uint32(rest)
	rest = rest[4:]
	switch {
	case n == null:
		return v, rest, nil
	case n == bad || n == long:
		if v, rest, err = Next(rest); err == nil && v.Kind != Text {
			err = errCut
		}
		v.Kind = Bad
		if n == long {
			v.Kind = Long
		}
		return v, rest, err
	case n >= list:
		v = Value{Kind: List, Count: int(n - list)}
		if v.Count > len(rest)/4 {
			err = errCut
		}
		return v, rest, err
	case int64(n) > int64(len(rest)):
		return v, nil, errCut
	}
	return Value{Kind: Text, Bytes: rest[:n:n]}, rest[n:], nil
}

// NextField takes the first field off the rest of a column and appends it to values: a value, or the head of a list and
// its values.
func NextField(values []Value, rest []byte) ([]Value, []byte, error) {
	v, rest, err := Next(rest)
	values = append(values, v)
	for range v.Count {
		if err != nil {
			break
		}
		v, rest, err = Next(rest)
		if v.Kind == List {
			err = errCut
		}
		values = append(values, v)
	}
	if err != nil {
		rest = nil // where the next field begins is not known
	}
	return values, rest, err
}

// Head is what is in front of a block's records.
type Head struct {
	First    int64 // the number of the first record in the file, from 0
	Done     int64 // bytes of the file that were read for this block and those before it
	RowGroup int   // of all records, from 0
	Records  int
}

// Put writes the head to the first BlockHeader bytes of a block.
func (h Head) Put(block []byte) {
	binary.LittleEndian.PutUint64(block, uint64(h.First))
	binary.LittleEndian.PutUint64(block[8:], uint64(h.Done))
	binary.LittleEndian.PutUint32(block[16:], uint32(h.RowGroup))
	binary.LittleEndian.PutUint32(block[20:], uint32(h.Records))
}

// ParseHead takes the head off a block.
func ParseHead(block []byte) (h Head, columns []byte, err error) {
	if len(block) < BlockHeader {
		return h, nil, errCut
	}
	h = Head{
		First: int64(binary.LittleEndian.Uint64(block)), Done: int64(binary.LittleEndian.Uint64(block[8:])),
		RowGroup: int(binary.LittleEndian.Uint32(block[16:])), Records: int(binary.LittleEndian.Uint32(block[20:])),
	}
	if columns = block[BlockHeader:]; h.Records > len(columns)/4 {
		return h, nil, errCut
	}
	return h, columns, nil
}

// NextColumn takes the values of the first column off the rest of a block.
func NextColumn(rest []byte) (values, behind []byte, err error) {
	if len(rest) < 4 {
		return nil, nil, errCut
	}
	n := int64(binary.LittleEndian.Uint32(rest))
	if rest = rest[4:]; n > int64(len(rest)) {
		return nil, nil, errCut
	}
	return rest[:n:n], rest[n:], nil
}

// BeginColumn begins a column, and tells where.
func BeginColumn(block []byte) (begun []byte, at int) { return append(block, 0, 0, 0, 0), len(block) }

// EndColumn ends the column that began at a place.
func EndColumn(block []byte, at int) {
	binary.LittleEndian.PutUint32(block[at:], uint32(len(block)-at-4))
}

// FrameHeader is the length of what is in front of a frame's payload.
const FrameHeader = 5

// WriteFrame writes a frame whose payload begins behind the first FrameHeader bytes of frame, which are for its header.
func WriteFrame(w io.Writer, is Frame, frame []byte) error {
	n := len(frame) - FrameHeader
	if n > maxPayload {
		return fmt.Errorf("a record of %d bytes is too long", n)
	}
	frame[0] = byte(is)
	binary.LittleEndian.PutUint32(frame[1:], uint32(n))
	_, err := w.Write(frame)
	return err
}

// WriteText writes a frame of text.
func WriteText(w io.Writer, is Frame, text string) error {
	return WriteFrame(w, is, append(make([]byte, FrameHeader), text...))
}

// ErrVersion is a stream that does not begin as it should: it is another program's, or that of another version.
var ErrVersion = errors.New("its version is not nbsvm's")

// ReadMagic reads the beginning of a stream: ErrVersion if it is another's, io.EOF if there is nothing.
func ReadMagic(r io.Reader) error {
	var is [len(Magic)]byte
	_, err := io.ReadFull(r, is[:])
	if err == nil && string(is[:]) != Magic || err == io.ErrUnexpectedEOF {
		err = ErrVersion
	}
	return err
}

// ReadFrame reads a frame into memory that room gives for its length. The error of a stream without an end is
// io.ErrUnexpectedEOF.
func ReadFrame(r io.Reader, room func(n int) []byte) (is Frame, payload []byte, err error) {
	var header [FrameHeader]byte
	if _, err = io.ReadFull(r, header[:]); err == nil {
		is = Frame(header[0])
		n := binary.LittleEndian.Uint32(header[1:])
		if n > maxPayload {
			return 0, nil, errCut
		}
		payload = room(int(n))[:n]
		_, err = io.ReadFull(r, payload)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return is, payload, err
}
