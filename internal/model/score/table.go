package score

import (
	"math"
	"math/bits"
	"runtime"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// table lays out a model for scoring: the sections of its file are storage. Everything to be read for an n-gram lies in
// two cache lines: what gives its row, and the row's entry. An n-gram whose bucket has no row takes one. Rows are those
// of the model. A table may be used concurrently.
//
// Entries have ratios, and the weights of one output. Those of several are beside them.
//
// The memory of large tables is not the garbage collector's. It is returned when the table is unreachable, so whoever
// reads the slices must keep the table alive while it does.
type table struct {
	keyBits    int // of a hash
	bucketBits int // of a key
	lines      []kernels.BucketLine
	more       map[uint64]uint32 // rows of keys that are in no line
	entries    []kernels.Entry

	weights
}

// newTable makes the table of a model.
func newTable(m *model.Model) *table {
	t := &table{keyBits: m.Meta.Text.Bits}
	free := make([]func(), 1)
	t.entries, free[0] = mem.MakeHuge[kernels.Entry](m.Keys.Size())
	if m.Meta.Source == "text" {
		lines := lineCount(m)
		t.bucketBits = bucketBits(m, lines)
		var freeLines func()
		t.lines, freeLines = mem.MakeHuge[kernels.BucketLine](lines)
		free = append(free, freeLines)
		t.fillLines(m)
	}
	for row := range t.entries {
		e := &t.entries[row]
		if e.Ratio = 1; m.Ratio != nil {
			e.Ratio = m.Ratio.At(row)
		}
		if m.Outputs == 1 && m.Rule == nil {
			e.Content = math.Float32bits(onlyWeight(m, row))
		}
	}
	if m.Rule == nil && m.Outputs > 1 {
		free = append(free, t.weights.fill(m, t.entries))
	}
	runtime.AddCleanup(t, func(free []func()) {
		for _, f := range free {
			f()
		}
	}, free)
	return t
}

// onlyWeight is that of a row for the only output.
func onlyWeight(m *model.Model, row int) float32 {
	if m.Dense != nil {
		return m.Dense.At(row)
	}
	for _, w := range m.Sparse.All(row) {
		return w
	}
	return 0
}

// lineCount returns how many lines a table has: so many that few have more rows than keys.
func lineCount(m *model.Model) int {
	// With so many rows of a line on average, one line of a thousand has more than 30.
	const rows = 16
	least := 1 << max(0, m.Meta.Text.Bits-tagBits-kernels.KeyBits) // for buckets that have all bits but those of a tag
	return min(max((m.Keys.Size()+rows-1)/rows, least), 1<<min(m.Meta.Text.Bits, mostBucketBits))
}

const (
	tagBits        = 16
	mostBucketBits = 32
)

// bucketBits returns the bits of a bucket in so many lines: as many as there can be, so that few buckets have two keys.
func bucketBits(m *model.Model, lines int) int {
	return min(m.Meta.Text.Bits, bits.Len(uint(lines))-1+kernels.KeyBits, mostBucketBits)
}

// bucket returns the bucket of a key.
func (t *table) bucket(key uint64) uint32 { return uint32(key >> (t.keyBits - t.bucketBits)) }

// fillLines fills lines, and the tags of entries. The rows of a line are numbered from the first one on. Of several
// keys with one bucket, the first is in the line, and the others, whose places stay empty, are found in more, as are
// all of a line with more rows than keys.
func (t *table) fillLines(m *model.Model) {
	for i := range t.lines {
		for k := range t.lines[i].Keys {
			t.lines[i].Keys[k] = kernels.NoKey
		}
	}
	t.more = map[uint64]uint32{}
	at, first, before := -1, 0, uint32(0)
	for row, key := range m.Keys.All() {
		t.entries[row].Tag = uint32(uint16(key))
		bucket := t.bucket(key)
		if line := kernels.LineOf(bucket, t.bucketBits, len(t.lines)); line != at {
			at, first, before = line, row, bucket+1
			t.lines[at].First = uint32(row)
		}
		switch place := row - first; {
		case place == kernels.LineKeys:
			for row, key := range m.Keys.Between(first, row+1) {
				t.more[key] = uint32(row)
			}
			t.lines[at].First = kernels.MoreRows
		case place > kernels.LineKeys || bucket == before:
			t.more[key] = uint32(row)
		default:
			t.lines[at].Keys[place] = kernels.KeyOf(bucket)
		}
		before = bucket
	}
}
