package vocab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestManyParts: a set can't be said to have more parts than there are bytes for. The library would make room for them.
func TestManyParts(t *testing.T) {
	l := newLying(t)
	sets := int(l.section(setsName).Offset)
	for shift := range 64 {
		l.refused(fmt.Sprintf("a set of 2^%d parts", shift), l.with(sets+8, binary.LittleEndian.AppendUint64(nil, 1<<shift|2)))
	}
	for n := range 20 {
		if n == 8 {
			continue
		}
		if _, err := decodeSet(make([]byte, n)); err == nil {
			t.Errorf("%d bytes are a set", n)
		}
	}
	for _, set := range []*roaring64.Bitmap{roaring64.New(), roaring64.BitmapOf(7), roaring64.BitmapOf(0, 1<<31, 1<<32-1), roaring64.BitmapOf(1 << 32), roaring64.BitmapOf(1, 1<<32)} {
		b, err := set.ToBytes()
		must.OK(t, err)
		got, err := decodeSet(b)
		if small := set.IsEmpty() || set.Maximum() < 1<<32; !small {
			if err == nil {
				t.Errorf("a set of %v is %v", set, got)
			}
			continue
		}
		if err != nil || !slices.Equal(got.ToArray(), narrowed(set)) {
			t.Errorf("%v of %d bytes: %v, %v", set, len(b), got, err)
		}
	}
}

func narrowed(set *roaring64.Bitmap) (all []uint32) {
	for it := set.Iterator(); it.HasNext(); {
		all = append(all, uint32(it.Next()))
	}
	return all
}

// TestSetsAre64 writes sets as the library writes those of 64-bit numbers.
func TestSetsAre64(t *testing.T) {
	for _, numbers := range [][]uint64{nil, {0}, {5, 70_000, 1<<31 - 1}} {
		want, small := roaring64.BitmapOf(numbers...), roaring.New()
		for _, n := range numbers {
			small.Add(uint32(n))
		}
		set, err := want.ToBytes()
		must.OK(t, err)
		var got bytes.Buffer
		out := bufio.NewWriter(&got)
		must.OK(t, errors.Join(writeSets(out, []*roaring.Bitmap{small}), out.Flush()))
		if !bytes.Equal(got.Bytes(), append(binary.LittleEndian.AppendUint64(nil, uint64(len(set))), set...)) {
			t.Errorf("%v: %x, want the length of %x and these", numbers, got.Bytes(), set)
		}
	}
}

// rowsOf is a corpus of rows of columns, with whatever runs and keys.
func rowsOf(t *testing.T, rows [][]uint32, runs []Run, keys []uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Binary)
	must.OK(t, err)
	encoded := NewEncoded()
	for _, columns := range rows {
		encoded.Append(Binary, columns, nil)
	}
	must.OK(t, w.Append(encoded))
	if _, err := w.Finish(&Head{Meta: []byte("{}"), Runs: runs, Distinct: uint64(len(keys))}, keys); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSameKey: keys ascend within a run; one that stands in two is found all the same.
func TestSameKey(t *testing.T) {
	c, err := opened(t, rowsOf(t, [][]uint32{{0, 1}, {0, 2}}, []Run{{2, 1}, {1, 2}}, []uint64{9, 7, 9}))
	must.OK(t, err)
	_, merged := Merge(t.Context(), io.Discard, []*Corpus{c, c}, &Head{Meta: []byte("{}")}, MergeOptions{MinDF: 1, Threads: 2, Temp: t.TempDir()})
	for _, err := range []error{c.Verify(t.Context()), merged} {
		if err == nil || !strings.Contains(err.Error(), c.Path+": KEYS at byte") || !strings.Contains(err.Error(), "columns 0 and 2 have the same key") {
			t.Errorf("two columns of one key: %v", err)
		}
	}
}

// TestMergeMiscounted: rows that contradict the frequencies are not merged.
func TestMergeMiscounted(t *testing.T) {
	for name, rows := range map[string][][]uint32{"": {{0, 1}, {0}}, "in other numbers of documents": {{0, 1}, {1}}} {
		c, err := opened(t, rowsOf(t, rows, []Run{{2, 1}, {1, 1}}, []uint64{5, 6}))
		must.OK(t, err)
		_, err = Merge(t.Context(), io.Discard, []*Corpus{c, c}, &Head{Meta: []byte("{}")}, MergeOptions{MinDF: 1, Threads: 2, Temp: t.TempDir()})
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%v: want %q, got %v", rows, name, err)
		}
		if verified := c.Verify(t.Context()); (verified == nil) != (name == "") {
			t.Errorf("%v: %v", rows, verified)
		}
	}
}

// TestCheckPairs: every document can't have every label of many.
func TestCheckPairs(t *testing.T) {
	for _, test := range []struct {
		pairs, documents uint64
		ok               bool
	}{
		{manyLabels, 1, true},
		{manyLabels + 1, 1, false},
		{1 << 40, 1 << 30, true},
		{1<<40 + meanOfMany, 1 << 30, false},
	} {
		if err := checkPairs(test.pairs, test.documents); (err == nil) != test.ok {
			t.Errorf("%d labels of %d documents: %v", test.pairs, test.documents, err)
		}
	}
}

// TestCheckSize: what a corpus can't be read with is not written.
func TestCheckSize(t *testing.T) {
	if err := checkSize(math.MaxInt32, math.MaxInt32); err != nil {
		t.Error(err)
	}
	if checkSize(math.MaxInt32+1, 0) == nil || checkSize(0, math.MaxInt32+1) == nil {
		t.Error("more than 2^31-1 documents or columns can be written")
	}
	l := newLying(t)
	data := l.with(int(l.section(totalsName).Offset), binary.LittleEndian.AppendUint64(nil, 1<<31))
	if _, err := opened(t, data); err == nil || !strings.Contains(err.Error(), "documents") {
		t.Errorf("2^31 documents: %v", err)
	}
}

// TestLargeBlock: a block of more entries than there can be in one is refused before room is made for them.
func TestLargeBlock(t *testing.T) {
	row := make([]uint32, BlockEntries/3)
	for k := range row {
		row[k] = uint32(k)
	}
	runs, keys := []Run{{5, uint64(len(row))}}, make([]uint64, len(row))
	for k := range keys {
		keys[k] = uint64(k)
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, Binary)
	must.OK(t, err)
	w.maxEntries = 1 << 30
	encoded := NewEncoded()
	for range 5 {
		encoded.Append(Binary, row, nil)
	}
	must.OK(t, w.Append(encoded))
	if _, err := w.Finish(&Head{Meta: []byte("{}"), Runs: runs, Distinct: uint64(len(keys))}, keys); err != nil {
		t.Fatal(err)
	}
	if _, err := opened(t, b.Bytes()); err == nil || !strings.Contains(err.Error(), "block 0 is said to have 5 rows") {
		t.Errorf("got %v", err)
	}
}

// TestWeights: weights that a training could not calculate with are refused.
func TestWeights(t *testing.T) {
	for w, good := range map[float32]bool{0: true, 1e-45: false, 1e-21: false, 1e-20: true, 1: true, 1e20: true, 2e20: false} {
		h := &Head{Weights: []float32{w}, Distinct: 1}
		if _, detail := h.check(&Totals{Documents: 1}); (detail == "") != good {
			t.Errorf("weight %v: %q", w, detail)
		}
	}
}
