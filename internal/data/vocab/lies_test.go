package vocab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// lying is a good corpus of which something is changed, with checksums that are right.
type lying struct {
	t        *testing.T
	data     []byte
	sections []Section
}

func newLying(t *testing.T) *lying {
	t.Helper()
	docs := randomDocuments(rand.New(rand.NewPCG(8, 8)), 2*blockRows, 2, Counts)
	docs[1].weight = 2
	data := corpusOf(t, docs, []string{"a", "b"}, Counts, 1)
	c, err := opened(t, data)
	must.OK(t, err)
	return &lying{t, data, c.Sections}
}

// with is the corpus with other bytes from at on.
func (l *lying) with(at int, b []byte) []byte {
	data := bytes.Clone(l.data)
	copy(data[at:], b)
	return testkit.Mended(format, data)
}

// refused wants an error that says where, from opening or from looking at all rows.
func (l *lying) refused(what string, data []byte) {
	l.t.Helper()
	c, err := opened(l.t, data)
	if err == nil {
		err = c.Verify(l.t.Context())
	}
	if _, ok := errors.AsType[*fileError](err); !ok {
		l.t.Errorf("%s: %v", what, err)
	}
}

func (l *lying) section(name string) Section {
	return l.sections[slices.IndexFunc(l.sections, func(s Section) bool { return s.Name == name })]
}

// extreme are numbers that don't fit, and whose sums and products are small again.
var extreme = []uint64{0, 1, 1<<31 - 1, 1 << 31, 1 << 32, 1<<63 - 64, 1<<63 - 1, 1 << 63, 1<<64 - 128, 1<<64 - 64, 1<<64 - 1}

// TestExtremeNumbers: no number of the totals or the blocks can be another one.
func TestExtremeNumbers(t *testing.T) {
	must.SkipUnderRace(t)
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
	totals := int(l.section(totalsName).Offset)
	for k, name := range []string{"documents", "entries", "columns"} {
		change(name, totals+8*k)
	}
	l.refused("0 distinct keys", l.with(totals+24, make([]byte, 8)))
	l.refused("an unknown kind of values", l.with(totals+32, []byte{3}))
	blocks := l.section(blocksName)
	for at := int(blocks.Offset); at < int(blocks.Offset+blocks.Length); at += blockSize {
		for k, name := range []string{"offset", "length", "first document", "entries", "rows and checksum"} {
			change(name+" of a block", at+8*k)
		}
	}
}

// TestExtremeLengths: no length within a section can be another one.
func TestExtremeLengths(t *testing.T) {
	must.SkipUnderRace(t)
	l := newLying(t)
	for _, v := range extreme[2:] {
		b := binary.AppendUvarint(nil, v)
		l.refused(fmt.Sprintf("a label of %d bytes", v), l.with(int(l.section(labelsName).Offset), b[:min(len(b), 4)]))
		l.refused(fmt.Sprintf("a set of %d bytes", v), l.with(int(l.section(setsName).Offset), binary.LittleEndian.AppendUint64(nil, v)))
		l.refused(fmt.Sprintf("a column in %d documents", v), l.with(int(l.section(runsName).Offset), b))
		row := int(l.section(rowsName).Offset) // of the first block, whose checksum is right as well
		first := int(l.section(blocksName).Offset)
		data := l.with(row, b)
		length := int(binary.LittleEndian.Uint64(data[first+8:]))
		changed := &lying{t, data, l.sections}
		l.refused(fmt.Sprintf("a row of %d entries", v), changed.with(first+36, binary.LittleEndian.AppendUint32(nil, container.CRC(data[row:row+length]))))
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

// TestLyingHead: labels and weights are checked, whatever their checksums.
func TestLyingHead(t *testing.T) {
	l := newLying(t)
	l.refused("labels that descend", l.with(int(l.section(labelsName).Offset), []byte("\x01b\x01a")))
	nan := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
	l.refused("a weight that is none", l.with(int(l.section(weightsName).Offset), nan))
}

// TestUnreadable: what would not be read again is refused when it is written.
func TestUnreadable(t *testing.T) {
	for name, change := range map[string]func(h *Head, keys []uint64){
		"":                                       func(*Head, []uint64) {},
		`label "a" follows "b"`:                  func(h *Head, _ []uint64) { slices.Reverse(h.Labels) },
		"1 sets of documents for 2 labels":       func(h *Head, _ []uint64) { h.Sets = h.Sets[1:] },
		`document 3 has label "b"`:               func(h *Head, _ []uint64) { h.Sets[1].Add(3) },
		"2 weights for 3 documents":              func(h *Head, _ []uint64) { h.Weights = h.Weights[1:] },
		"document 1 has the weight -1":           func(h *Head, _ []uint64) { h.Weights[1] = -1 },
		"document 2 has the weight NaN":          func(h *Head, _ []uint64) { h.Weights[2] = float32(math.NaN()) },
		"do not add up to 5 entries":             func(h *Head, _ []uint64) { h.Runs[0].Frequency = 2 },
		"column 1 is said to be in 3 documents":  func(h *Head, _ []uint64) { h.Runs[1].Frequency = 3 },
		"column 0 is said to be in 4 documents":  func(h *Head, _ []uint64) { h.Runs[0].Frequency = 4 },
		"3 columns of 3 follow column 1":         func(h *Head, _ []uint64) { h.Runs[1].Columns = 3 },
		"it ends with column 1 of 3":             func(h *Head, _ []uint64) { h.Runs = h.Runs[:1] },
		"3 columns of 2 distinct keys":           func(h *Head, _ []uint64) { h.Distinct = 2 },
		"keys of columns 1 and 2, of as many do": func(_ *Head, keys []uint64) { keys[2] = keys[1] },
	} {
		h := &Head{Labels: []string{"a", "b"}, Weights: []float32{1, 0, 2}, Runs: []Run{{3, 1}, {1, 2}}, Distinct: 4}
		h.Sets = []*roaring.Bitmap{roaring.BitmapOf(0, 1), roaring.BitmapOf(2)}
		keys := []uint64{9, 7, 8}
		change(h, keys)
		w, err := NewWriter(io.Discard, Binary)
		must.OK(t, err)
		rows := NewEncoded()
		for _, columns := range [][]uint32{{0, 1}, {0}, {0, 2}} {
			rows.Append(Binary, columns, nil)
		}
		must.OK(t, w.Append(rows))
		if _, err := w.Finish(h, keys); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("want an error with %q, got %v", name, err)
		}
	}
}

// TestUnknownSection: a section of a later version is refused, unless it may be skipped.
func TestUnknownSection(t *testing.T) {
	data := newLying(t).data
	_, err := opened(t, testkit.Mended(format, data, Section{Name: "LATER", Optional: true}))
	must.OK(t, err)
	if _, err = opened(t, testkit.Mended(format, data, Section{Name: "LATER"})); !errors.Is(err, container.ErrNewerVersion) {
		t.Error(err)
	}
}
