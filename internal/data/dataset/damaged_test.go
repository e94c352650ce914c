package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// damaged is a corpus with right checksums that says of its columns what need not be so.
func damaged(t *testing.T, ready bool, keys []uint64, runs []vocab.Run, rows [][]uint32, kind vocab.Values) *Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "damaged.nbc")
	f, err := os.Create(path)
	must.OK(t, err)
	defer f.Close()
	w, err := vocab.NewWriter(f, kind)
	must.OK(t, err)
	meta := Meta{Source: "svmlight", MinDF: 1, Entries: 1000}
	if !ready {
		meta.Source, meta.Text, meta.Counts = "text", hashing.DefaultOptions(), kind == vocab.Counts
	}
	all := roaring.New()
	for i, columns := range rows {
		all.Add(uint32(i))
		e := vocab.NewEncoded()
		var values []float32
		for k := range columns {
			if kind != vocab.Binary {
				values = append(values, float32(k+2))
			}
		}
		e.Append(kind, columns, values)
		must.OK(t, w.Append(e))
	}
	head := &vocab.Head{Labels: []string{"a"}, Sets: []*roaring.Bitmap{all}, Distinct: uint64(len(keys)), Runs: runs}
	if head.Meta, err = json.Marshal(&meta); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(head, keys); err != nil {
		t.Fatal(err)
	}
	ds, err := Open(path)
	must.OK(t, err)
	t.Cleanup(func() { ds.Close() })
	return ds
}

// TestDamaged: frequencies that lie are refused where they matter, or do no harm; nothing crashes, and nothing
// is left behind. Rows are in memory and on disk, with values and without, n-grams and ready-made features.
func TestDamaged(t *testing.T) {
	runs := []vocab.Run{{Frequency: 3, Columns: 1}, {Frequency: 1, Columns: 3}}
	keys := []uint64{4, 16, 32, 1 << 20}
	right := [][]uint32{{0, 1}, {0, 2}, {0, 3}, {}}
	for name, test := range map[string]struct {
		rows [][]uint32
		good bool
	}{
		"right":                {right, true},
		"one column too often": {[][]uint32{{0, 1}, {0, 1}, {0, 1}, {}}, false},
		"none":                 {[][]uint32{{0, 1}, {0, 2}, {0}, {0}}, false},
		"others":               {[][]uint32{{0, 1}, {1, 2}, {2, 3}, {}}, false},
	} {
		for _, ready := range []bool{false, true} {
			for _, valued := range []bool{false, true} {
				kind := vocab.Binary
				switch {
				case valued && ready:
					kind = vocab.Floats
				case valued:
					kind = vocab.Counts
				}
				ds := damaged(t, ready, keys, runs, test.rows, kind)
				for _, disk := range []bool{false, true} {
					what := fmt.Sprintf("%s, ready %t, values %t, disk %t", name, ready, valued, disk)
					o := MatrixOptions{MinDF: 1, MaxDF: 1, Counts: valued, Threads: 2, Mapped: disk, Temp: t.TempDir()}
					testkit.Leaves(t, func() {
						d, err := NewMatrix(t.Context(), ds, ds.All(), o)
						if err == nil {
							d.Close()
						} else if !strings.Contains(err.Error(), "contradicts itself") {
							t.Errorf("%s: %v", what, err)
						}
						if test.good != (err == nil) {
							t.Errorf("%s: %v", what, err)
						}
					})
					testkit.Empty(t, o.Temp)
				}
			}
		}
	}
}

// TestPlan: the memory that a plan takes suffices, less is refused with what it takes, and much more maps nothing.
func TestPlan(t *testing.T) {
	ds := damaged(t, false, []uint64{1 << 20}, []vocab.Run{{Frequency: 2, Columns: 1}}, [][]uint32{{0}, {0}}, vocab.Binary)
	refused, workers := true, 0
	for memory := int64(1); memory < 1<<30; memory *= 2 {
		m, err := NewMatrix(t.Context(), ds, ds.All(), MatrixOptions{MinDF: 1, MaxDF: 1, Threads: 1, Memory: memory, Outputs: 10, Temp: t.TempDir()})
		switch {
		case err == nil:
			if refused = false; m.Workers < max(planned, workers) {
				t.Errorf("%d bytes: %d groups at a time, %d of less memory", memory, m.Workers, workers)
			}
			if !m.Mapped { // rows take of the room for groups
				workers = m.Workers
			}
			m.Close()
		case !refused || !strings.Contains(err.Error(), "MiB, even with rows left on disk"):
			t.Fatalf("%d bytes: %v", memory, err)
		}
	}
	if refused {
		t.Error("a gibibyte does not suffice for two documents")
	}
}

// TestTemp: a folder that is not there is an error that names it.
func TestTemp(t *testing.T) {
	ds := damaged(t, false, []uint64{1 << 20}, []vocab.Run{{Frequency: 2, Columns: 1}}, [][]uint32{{0}, {0}}, vocab.Binary)
	folder := filepath.Join(t.TempDir(), "missing")
	_, err := NewMatrix(t.Context(), ds, ds.All(), MatrixOptions{MinDF: 1, MaxDF: 1, Threads: 1, Mapped: true, Temp: folder})
	if err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("%v, want an error about %s", err, folder)
	}
}
