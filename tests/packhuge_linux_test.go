package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sort"
	"syscall"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	packedfile "github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// holes is a writer that leaves holes in its file where zeros are written.
type holes struct {
	f *os.File
}

// pageSize is what a hole is made of, at least.
const pageSize = 1 << 12

var noBytes [1 << 16]byte

func (h holes) Write(b []byte) (int, error) {
	for n := 0; n < len(b); {
		piece := b[n:min(len(b), n+pageSize)]
		var err error
		if bytes.Equal(piece, noBytes[:len(piece)]) {
			_, err = h.f.Seek(int64(len(piece)), io.SeekCurrent)
		} else {
			_, err = h.f.Write(piece)
		}
		if err != nil {
			return n, err
		}
		n += len(piece)
	}
	return len(b), nil
}

// newHoles is a file that may have holes; the test is skipped where none can be.
func newHoles(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "huge.nbc"))
	must.OK(t, err)
	t.Cleanup(func() { f.Close() })
	const long = 1 << 35
	if err := f.Truncate(long); err != nil {
		t.Skipf("no file of %d bytes can be here: %v", int64(long), err)
	}
	if info, err := f.Stat(); err != nil || info.Sys().(*syscall.Stat_t).Blocks > 1<<10 {
		t.Skipf("files have no holes here: %v", err)
	}
	must.OK(t, f.Truncate(0))
	return f
}

// TestHugeCorpus has as many documents as there can be, more than 2^32 entries, and bytes, nearly all of them zeros
// that take no room: a row of columns from 0 on is its length and zeros, an empty one a
// zero.
func TestHugeCorpus(t *testing.T) {
	if os.Getenv("NBSVM_HUGE") == "" {
		t.Skip("NBSVM_HUGE is not set (make robust sets it): it writes ten gigabytes, though of zeros, and decodes them")
	}
	const (
		columns  = packedfile.BlockEntries
		full     = 1<<32/columns + 1 // rows of all columns, of a block each
		last     = 1<<31 - 2         // the last document, of the first two columns
		distinct = columns
	)
	f := newHoles(t)
	w, err := packedfile.NewWriter(holes{f}, packedfile.Binary)
	must.OK(t, err)
	add := func(b []byte, ends, entries []int) {
		t.Helper()
		rows := packedfile.NewEncoded()
		rows.Bytes, rows.Ends, rows.Entries = append(rows.Bytes, b...), append(rows.Ends, ends...), append(rows.Entries, entries...)
		must.OK(t, w.Append(rows))
	}
	all := make([]uint32, columns)
	for j := range all {
		all[j] = uint32(j)
	}
	long := &packedfile.Encoded{}
	long.Append(packedfile.Binary, all, nil)
	for range full {
		add(long.Bytes, long.Ends, long.Entries)
	}
	ends, noEntries := make([]int, len(noBytes)), make([]int, len(noBytes))
	for i := range ends {
		ends[i] = i + 1
	}
	for documents := uint64(full); documents < last; {
		n := min(last-documents, uint64(len(ends)))
		add(noBytes[:n], ends[:n], noEntries[:n])
		documents += n
	}
	row := &packedfile.Encoded{}
	row.Append(packedfile.Binary, []uint32{0, 1}, nil)
	add(row.Bytes, row.Ends, row.Entries)

	o := nbsvm.DefaultOptions()
	meta := dataset.Meta{Source: "text", Text: o.Text, MinDF: 1, Entries: 1 << 40}
	first, second := roaring.New(), roaring.New()
	first.AddRange(0, 1<<30)
	second.AddRange(1<<30, last+1)
	head := packedfile.Head{Labels: []string{"a", "b"}, Sets: []*roaring.Bitmap{first, second}, Distinct: distinct, Runs: []packedfile.Run{{Frequency: full + 1, Columns: 2}, {Frequency: full, Columns: columns - 2}}}
	if head.Meta, err = json.Marshal(&meta); err != nil {
		t.Fatal(err)
	}
	keys := make([]uint64, columns)
	for j := range keys {
		keys[j] = uint64(j)
	}
	if _, err := w.Finish(&head, keys); err != nil {
		t.Fatal(err)
	}

	path := f.Name()
	c, err := packedfile.Open(path)
	must.OK(t, err)
	defer c.Close()
	if got, want := c.Totals(), (packedfile.Totals{Documents: last + 1, Entries: full*columns + 2, Columns: columns, Distinct: distinct}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for doc, want := range map[uint64]int{0: columns, full - 1: columns, full: 0, 1 << 30: 0, last - 1: 0, last: 2} {
		if row := rowOf(t, c, doc); len(row) != want {
			t.Errorf("document %d: %d columns, want %d", doc, len(row), want)
		}
	}
	if err := c.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	info, err := packed.Inspect(path)
	must.OK(t, err)
	if info.Documents != last+1 || info.NonZeros != full*columns+2 || info.Classes[0].Documents != 1<<30 || info.Classes[1].Documents != 1<<30-1 {
		t.Errorf("%+v", info.Report)
	}
	if info, err := f.Stat(); err == nil {
		t.Logf("%d bytes, of which %d take room", info.Size(), info.Sys().(*syscall.Stat_t).Blocks*512)
	}
}

// rowOf are the columns of a document.
func rowOf(t *testing.T, c *packedfile.Corpus, doc uint64) []uint32 {
	t.Helper()
	b := sort.Search(c.Blocks(), func(b int) bool { _, end, _ := c.BlockRange(b); return doc < end })
	var m sparse.CSR
	must.OK(t, c.Block(b, &m))
	first, _, _ := c.BlockRange(b)
	columns, _ := m.Row(int(doc - first))
	return columns
}
