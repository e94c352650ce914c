package recordstream

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestValues: values come back as they were appended, and what is cut off anywhere is an error.
func TestValues(t *testing.T) {
	var column []byte
	column = AppendText(column, "text")
	column = AppendNull(column)
	column = AppendText(AppendList(column, 1), "")
	column = AppendBad(column, "why")
	column = AppendLong(column, []byte("head"))
	want := []Value{{Kind: Text, Bytes: []byte("text")}, {}, {Kind: List, Count: 1}, {Kind: Text, Bytes: []byte{}}, {Kind: Bad, Bytes: []byte("why")}, {Kind: Long, Bytes: []byte("head")}}
	rest := column
	for i, w := range want {
		v, behind, err := Next(rest)
		if err != nil || !reflect.DeepEqual(v, w) {
			t.Fatalf("value %d is %+v, %v, want %+v", i, v, err, w)
		}
		rest = behind
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes are left", len(rest))
	}
	for n := range column {
		rest, err := column[:n], error(nil)
		for range want {
			if _, rest, err = Next(rest); err != nil {
				break
			}
		}
		if err == nil {
			t.Errorf("%d of %d bytes are no error", n, len(column))
		}
	}
}

// TestFrames: frames come back as they were written, and a stream that is cut off is an error.
func TestFrames(t *testing.T) {
	var b bytes.Buffer
	block, at := BeginColumn(make([]byte, FrameHeader+BlockHeader))
	block = AppendText(block, "x")
	EndColumn(block, at)
	head := Head{First: 7, Done: 99, RowGroup: 3, Records: 1}
	head.Put(block[FrameHeader:])
	must.OK(t, WriteFrame(&b, Block, block))
	must.OK(t, WriteText(&b, Refusal, "why"))
	data := b.Bytes()
	read := func(data []byte) (texts []string, err error) {
		r := bufio.NewReader(bytes.NewReader(data))
		for range 2 {
			is, payload, err := ReadFrame(r, func(n int) []byte { return make([]byte, n) })
			if err != nil {
				return nil, err
			}
			if is == Block {
				got, columns, err := ParseHead(payload)
				if err != nil || got != head {
					t.Errorf("head %+v, %v, want %+v", got, err, head)
				}
				values, behind, err := NextColumn(columns)
				if err != nil || len(behind) > 0 {
					t.Errorf("column: %v, %d bytes behind", err, len(behind))
				}
				v, _, err := Next(values)
				if err != nil {
					t.Error(err)
				}
				payload = v.Bytes
			}
			texts = append(texts, string(is)+string(payload))
		}
		return texts, nil
	}
	if got, err := read(data); err != nil || !reflect.DeepEqual(got, []string{"Bx", "Rwhy"}) {
		t.Errorf("%q, %v", got, err)
	}
	for n := range data {
		if _, err := read(data[:n]); err != io.ErrUnexpectedEOF {
			t.Errorf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	if err := ReadMagic(bytes.NewReader([]byte("nbsvm records 0\n"))); err != ErrVersion {
		t.Errorf("another version: %v", err)
	}
}

// TestRows: rows come back as they were appended, and a stream that is cut off anywhere is an error.
func TestRows(t *testing.T) {
	data := []byte(RowsMagic)
	data = AppendKept(data, 1)
	data = AppendScored(data, 300, 2)
	data = AppendClass(data, "good", 0.5)
	data = AppendClass(data, "", -1e300)
	data = AppendScored(data, 301, 0)
	data = append(data, byte(NoMore))
	want := []Row{{Kind: Kept, Number: 1}, {Kind: Scored, Number: 300, Classes: []Class{{"good", 0.5}, {"", -1e300}}}, {Kind: Scored, Number: 301}, {Kind: NoMore}}
	read := func(data []byte) (rows []Row, err error) {
		r, err := NewRowReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		for {
			var row Row
			if err := r.Next(&row); err != nil {
				return rows, err
			}
			if rows = append(rows, row); row.Kind == NoMore {
				return rows, nil
			}
		}
	}
	if got, err := read(data); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range data {
		if _, err := read(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are no error", n, len(data))
		}
	}
}

// FuzzStream reads any bytes as a block and as rows; a value is never longer than what it is in.
func FuzzStream(f *testing.F) {
	f.Add(AppendText(AppendList(AppendNull(nil), 2), "x"))
	f.Add(AppendClass(AppendScored([]byte(RowsMagic), 5, 1), "x", 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		for rest := data; ; {
			v, behind, err := Next(rest)
			if err != nil {
				break
			}
			if len(behind) >= len(rest) || len(v.Bytes) > len(rest) || v.Count > len(rest) {
				t.Fatalf("%+v of %d bytes", v, len(rest))
			}
			rest = behind
		}
		if r, err := NewRowReader(bytes.NewReader(data)); err == nil {
			for row := (Row{}); r.Next(&row) == nil && row.Kind != NoMore; {
			}
		}
	})
}
