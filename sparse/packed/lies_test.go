package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lying is a good corpus of which something is changed, with checksums that are right.
type lying struct {
	t        *testing.T
	data     []byte
	sections []Section
	table    int
}

func newLying(t *testing.T) *lying {
	t.Helper()
	docs := randomDocuments(rand.New(rand.NewPCG(8, 8)), 2*BlockRows, 2, Counts)
	docs[1].weight = 2
	data := corpusOf(t, docs, []string{"a", "b"}, Counts, 1)
	c, err := opened(t, data)
	if err != nil {
		t.Fatal(err)
	}
	return &lying{t, data, c.Sections(), int(binary.LittleEndian.Uint64(data[len(data)-footerSize:]))}
}

// with is the corpus with other bytes from at on.
func (l *lying) with(at int, b []byte) []byte {
	le := binary.LittleEndian
	data := bytes.Clone(l.data)
	copy(data[at:], b)
	for k, s := range l.sections {
		if lo, hi := int(s.Offset), int(s.Offset+s.Length); at >= lo && at < hi {
			le.PutUint32(data[l.table+lineSize*k+24:], crc(data[lo:hi]))
		}
	}
	footer := len(data) - footerSize
	le.PutUint32(data[footer+48:], crc(data[l.table:footer]))
	le.PutUint32(data[footer+52:], crc(data[footer:footer+52]))
	return data
}

// refused wants an error that says where, from opening or from looking at all rows.
func (l *lying) refused(what string, data []byte) {
	l.t.Helper()
	c, err := opened(l.t, data)
	if err == nil {
		err = c.Verify(l.t.Context())
	}
	if _, ok := errors.AsType[*FileError](err); !ok {
		l.t.Errorf("%s: %v", what, err)
	}
}

func (l *lying) section(name string) Section {
	return l.sections[slices.IndexFunc(l.sections, func(s Section) bool { return s.Name == name })]
}

// extreme are numbers that don't fit, and whose sums and products are small again.
var extreme = []uint64{0, 1, 1<<31 - 1, 1 << 31, 1 << 32, 1<<63 - 64, 1<<63 - 1, 1 << 63, 1<<64 - 128, 1<<64 - 64, 1<<64 - 1}

// TestExtremeNumbers: no number of the footer, the table or the blocks can be another one.
func TestExtremeNumbers(t *testing.T) {
	l := newLying(t)
	le := binary.LittleEndian
	change := func(what string, at int) {
		was := le.Uint64(l.data[at:])
		for _, v := range append([]uint64{was - 1, was + 1, was + 64, was + 1<<32, was + 1<<63}, extreme...) {
			if v != was {
				l.refused(fmt.Sprintf("%s is %d, not %d", what, v, was), l.with(at, le.AppendUint64(nil, v)))
			}
		}
	}
	footer := len(l.data) - footerSize
	for k, name := range []string{"table", "length", "documents", "entries", "columns"} {
		change(name, footer+8*k)
	}
	l.refused("0 distinct keys", l.with(footer+40, make([]byte, 8)))
	for k, s := range l.sections {
		change("offset of "+s.Name, l.table+lineSize*k+8)
		change("length of "+s.Name, l.table+lineSize*k+16)
	}
	blocks := l.section(blocksName)
	for at := int(blocks.Offset); at < int(blocks.Offset+blocks.Length); at += blockSize {
		for k, name := range []string{"offset", "length", "first document", "entries", "rows and checksum"} {
			change(name+" of a block", at+8*k)
		}
	}
}

// TestExtremeLengths: no length within a section can be another one.
func TestExtremeLengths(t *testing.T) {
	l := newLying(t)
	for _, v := range extreme[2:] {
		b := binary.AppendUvarint(nil, v)
		l.refused(fmt.Sprintf("a label of %d bytes", v), l.with(int(l.section(labelsName).Offset), b[:min(len(b), 4)]))
		l.refused(fmt.Sprintf("a set of %d bytes", v), l.with(int(l.section(setsName).Offset), binary.LittleEndian.AppendUint64(nil, v)))
		l.refused(fmt.Sprintf("a column in %d documents", v), l.with(int(l.section(runsName).Offset), b))
		row := headerSize // of the first block, whose checksum is right as well
		first := int(l.section(blocksName).Offset)
		data := l.with(row, b)
		length := int(binary.LittleEndian.Uint64(data[first+8:]))
		changed := &lying{t, data, l.sections, l.table}
		l.refused(fmt.Sprintf("a row of %d entries", v), changed.with(first+36, binary.LittleEndian.AppendUint32(nil, crc(data[row:row+length]))))
	}
}

// TestSumRuns does not take sums beyond 2^64 for small ones.
func TestSumRuns(t *testing.T) {
	for _, test := range []struct {
		runs []Run
		sum  uint64
		ok   bool
	}{
		{nil, 0, true},
		{[]Run{{3, 2}, {1, 5}}, 11, true},
		{[]Run{{1 << 32, 1<<31 - 1}, {7, 1}}, 1<<63 - 1<<32 + 7, true},
		{[]Run{{1 << 63, 2}}, 0, false},
		{[]Run{{1 << 33, 1 << 31}, {1, 1}}, 0, false},
		{[]Run{{math.MaxUint64, 1}, {1, 1}}, 0, false},
		{[]Run{{math.MaxUint64, 1}}, math.MaxUint64, true},
	} {
		if sum, ok := sumRuns(test.runs); sum != test.sum || ok != test.ok {
			t.Errorf("%v: %d, %t, want %d, %t", test.runs, sum, ok, test.sum, test.ok)
		}
	}
}
