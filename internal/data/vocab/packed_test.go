package vocab

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// document is a row by keys.
type document struct {
	keys   []uint64 // ascending
	values []float32
	labels []int
	weight float32
}

// keyName is what a column of a key is called; some have no name.
func keyName(key uint64) string {
	if key%7 == 0 {
		return ""
	}
	return fmt.Sprintf("the key é\xff %d%s", key, strings.Repeat("x", int(key%11)))
}

// corpusOf is what documents look like packed, by the plainest means: of keys in minDF
// documents or more, with names where rows have values.
func corpusOf(t testing.TB, docs []document, labels []string, kind Values, minDF uint64) []byte {
	t.Helper()
	frequency := map[uint64]uint64{}
	for _, d := range docs {
		for _, key := range d.keys {
			frequency[key]++
		}
	}
	head := Head{Meta: []byte(`{"made":"up"}`), Labels: labels, Distinct: uint64(len(frequency))}
	type column struct{ key, frequency uint64 }
	var columns []column
	for key, n := range frequency {
		if n >= minDF {
			columns = append(columns, column{key, n})
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(cmp.Compare(b.frequency, a.frequency), cmp.Compare(a.key, b.key))
	})
	keys, number := make([]uint64, len(columns)), map[uint64]uint32{}
	for j, c := range columns {
		keys[j], number[c.key] = c.key, uint32(j)
		if k := len(head.Runs); k > 0 && head.Runs[k-1].Frequency == c.frequency {
			head.Runs[k-1].Columns++
		} else {
			head.Runs = append(head.Runs, Run{c.frequency, 1})
		}
	}
	for range labels {
		head.Sets = append(head.Sets, roaring.New())
	}
	weighted := false
	for i, d := range docs {
		for _, k := range d.labels {
			head.Sets[k].Add(uint32(i))
		}
		weighted = weighted || d.weight != 1
		head.Weights = append(head.Weights, d.weight)
	}
	if !weighted {
		head.Weights = nil
	}
	for _, s := range head.Sets {
		s.RunOptimize()
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, kind)
	must.OK(t, err)
	for _, d := range docs {
		var columns []uint32
		var values []float32
		for k, key := range d.keys {
			if j, ok := number[key]; ok {
				columns = append(columns, j)
				if kind != Binary {
					values = append(values, d.values[k])
				}
			}
		}
		sparse.SortRow(columns, values)
		rows := NewEncoded()
		rows.Append(kind, columns, values)
		must.OK(t, w.Append(rows))
	}
	if kind != Binary {
		w.Names = NewNames(len(keys), t.TempDir())
		w.Names.room = max(100, len(keys))
		defer w.Names.Close()
		for _, key := range rand.Perm(len(keys)) {
			if name := keyName(keys[key]); name != "" {
				must.OK(t, w.Names.Add(uint32(key), []byte(name)))
			}
		}
	}
	if _, err := w.Finish(&head, keys); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// randomDocuments have keys by a law with few frequent and many rare ones.
func randomDocuments(rng *rand.Rand, n, labels int, kind Values) []document {
	docs := make([]document, n)
	for i := range docs {
		d := document{weight: 1}
		for range rng.IntN(20) {
			key := rng.Uint64() >> rng.IntN(64)
			if rng.IntN(2) == 0 {
				key %= 50
			}
			d.keys = append(d.keys, key)
		}
		slices.Sort(d.keys)
		d.keys = slices.Compact(d.keys)
		for range d.keys {
			v := float32(1 + rng.IntN(300))
			if kind == Floats {
				v = float32(rng.NormFloat64())
			}
			d.values = append(d.values, v)
		}
		d.labels = []int{rng.IntN(labels)}
		if i < labels {
			d.labels[0] = i
		}
		docs[i] = d
	}
	return docs
}

func opened(t testing.TB, data []byte) (*Corpus, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.nbc")
	must.OK(t, os.WriteFile(path, data, 0o600))
	c, err := Open(path)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, err
}

var kinds = []Values{Binary, Counts, Floats}

// TestRoundTrip reads back what was written.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, kind := range kinds {
		for _, n := range []int{1, 2, 100, blockRows, blockRows + 1, 3*blockRows - 1} {
			docs := randomDocuments(rng, n, min(n, 3), kind)
			if n == 100 {
				docs[7].weight = 0.5
			}
			c := checkReadBack(t, corpusOf(t, docs, []string{"a", "b", "c"}[:min(n, 3)], kind, 1), docs, kind)
			keys, err := c.Keys()
			must.OK(t, err)
			if c.Blocks() != (n+blockRows-1)/blockRows {
				t.Errorf("%d documents in %d blocks", n, c.Blocks())
			}
			if (c.Weights != nil) != (n == 100) {
				t.Errorf("weights %v", c.Weights)
			}
			if c.Named() != (kind != Binary) {
				t.Errorf("kind %d, named %t", kind, c.Named())
			}
			next := 0
			err = c.EachName(func(column uint32, name []byte) {
				for keyName(keys[next]) == "" {
					next++
				}
				if int(column) != next || string(name) != keyName(keys[next]) {
					t.Fatalf("column %d is called %q, want %d, %q", column, name, next, keyName(keys[next]))
				}
				next++
			})
			must.OK(t, err)
		}
	}
}

// TestGaps: rows of any gaps, of any length, one after the other.
func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint32(), 0, 40), 0, 5).Draw(t, "rows")
		e := NewEncoded()
		for k, row := range rows {
			for i := range row {
				row[i] >>= 1 + row[i]%31 // a corpus has 2^31-1 columns at most
			}
			slices.Sort(row)
			rows[k] = slices.Compact(row)
			e.Append(Binary, rows[k], nil)
		}
		d := decoder{b: e.Bytes}
		for k, row := range rows {
			got, _ := d.row(Binary, 1<<31, nil, nil)
			if d.bad != "" || !slices.Equal(got, row) || d.at != e.Ends[k] {
				t.Fatalf("row %d: %v, want %v; %s at %d", k, got, row, d.bad, d.at)
			}
		}
	})
}

// TestBadRows: what is wrong with a row is said, and which number it is.
func TestBadRows(t *testing.T) {
	columns := []uint32{0, 1, 300, 70000, 70001, 20_000_000}
	values := []float32{1, 2, 3, 4, 500, 6}
	for _, kind := range kinds {
		e := NewEncoded()
		e.Append(kind, columns, values)
		bad := func(b []byte, cols uint64) string {
			d := decoder{b: b}
			d.row(kind, cols, nil, nil)
			return d.bad
		}
		for cut := range e.Bytes {
			if got := bad(e.Bytes[:cut], 1<<31); got != endsWithin {
				t.Errorf("%v: the first %d bytes: %q", kind, cut, got)
			}
		}
		for cols, column := range map[uint64]uint32{0: 0, 1: 1, 2: 300, 70000: 70000, 70001: 70001, 70002: 20_000_000, 20_000_000: 20_000_000} {
			want := fmt.Sprintf("it has column %d, but the corpus has %d columns", column, cols)
			if got := bad(e.Bytes, cols); got != want {
				t.Errorf("%v: %q, want %q", kind, got, want)
			}
		}
		if got := bad(e.Bytes, 20_000_001); got != "" {
			t.Errorf("%v: %q of a good row", kind, got)
		}
	}
	for _, test := range []struct {
		kind  Values
		value []byte
		want  string
	}{
		{Counts, []byte{0}, "count 0 is not a whole number"},
		{Counts, binary.AppendUvarint(nil, 1<<24+1), "count 16777217 is not a whole number"},
		{Counts, bytes.Repeat([]byte{0xff}, 11), "a count is beyond 64 bits"},
		{Floats, []byte{0, 0, 0xc0, 0x7f}, "value NaN is not finite"},
		{Floats, []byte{0, 0, 0x80, 0xff}, "value -Inf is not finite"},
	} {
		d := decoder{b: append([]byte{1 << 1, 0}, test.value...)} // one entry, of column 0
		if d.row(test.kind, 1, nil, nil); !strings.HasPrefix(d.bad, test.want) {
			t.Errorf("%v % x: %q, want %q", test.kind, test.value, d.bad, test.want)
		}
	}
}

// TestKeysBeyond: keys that would be beyond the largest are not taken for small ones.
func TestKeysBeyond(t *testing.T) {
	most := bytes.Repeat([]byte{0xff}, 8)
	for _, second := range [][]byte{most, make([]byte, 8)} { // far beyond, and by one
		_, detail := eachColumn(slices.Concat([]byte{8}, most, second), []Run{{1, 2}}, func(uint32, uint64, uint64) {})
		if detail != "the keys of columns 0 and 1 are not ascending" {
			t.Errorf("behind the largest, %x: %q", second, detail)
		}
	}
	half := append(make([]byte, 7), 0x80)
	if _, detail := eachColumn(slices.Concat([]byte{8}, half, most), []Run{{1, 2}}, func(uint32, uint64, uint64) {}); detail == "" {
		t.Error("a gap beyond the largest is good")
	}
}

// TestKeys: runs of any ascending keys, the least and the largest among them.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []Run
		var want []uint64
		for range rapid.IntRange(0, 4).Draw(t, "runs") {
			shift := rapid.IntRange(0, 63).Draw(t, "shift")
			keys := rapid.SliceOfN(rapid.Uint64(), 1, 3*keyGroup).Draw(t, "keys")
			for i := range keys {
				keys[i] >>= shift
			}
			slices.Sort(keys)
			keys = slices.Compact(keys)
			runs, want = append(runs, Run{1, uint64(len(keys))}), append(want, keys...)
		}
		var written bytes.Buffer
		out := bufio.NewWriter(&written)
		must.OK(t, errors.Join(writeKeys(out, runs, want), out.Flush()))
		b := written.Bytes()
		var got []uint64
		if at, detail := eachColumn(b, runs, func(_ uint32, key, _ uint64) { got = append(got, key) }); detail != "" || !slices.Equal(got, want) {
			t.Fatalf("%x, want %x; %s at %d", got, want, detail, at)
		}
		for cut := range b {
			if _, detail := eachColumn(b[:cut], runs, func(uint32, uint64, uint64) {}); detail == "" {
				t.Fatalf("%d bytes of %d were enough", cut, len(b))
			}
		}
	})
}

// TestDamage: no byte can be changed, and no end cut off, without an error that says where.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	docs := randomDocuments(rng, 25, 3, Counts)
	docs[3].weight = 2
	data := corpusOf(t, docs, []string{"a", "b", "c"}, Counts, 1)
	path := filepath.Join(t.TempDir(), "damaged.nbc")
	check := func(what string, data []byte) {
		must.OK(t, os.WriteFile(path, data, 0o600))
		c, err := Open(path)
		if err == nil {
			err = errors.Join(c.Verify(t.Context()), c.Close())
		}
		if _, ok := errors.AsType[*fileError](err); !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for at := 0; at < len(data); at += step {
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		check(fmt.Sprintf("byte %d of %d changed", at, len(data)), bad)
		check(fmt.Sprintf("cut off at byte %d of %d", at, len(data)), data[:at])
	}
	check("a byte more", append(bytes.Clone(data), 0))
}

// TestTruncatedWhileMapped is an error, not the end of the process.
func TestTruncatedWhileMapped(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(3, 3)), 20000, 2, Binary)
	c, err := opened(t, corpusOf(t, docs, []string{"a", "b"}, Binary, 1))
	must.OK(t, err)
	if err := os.Truncate(c.Path, 10000); err != nil {
		t.Skip("a mapped file can't be truncated here:", err)
	}
	if err := c.Verify(t.Context()); err == nil {
		t.Error("nothing was wrong with half a file")
	}
}

// TestMerge: parts, however documents are cut into them, make what all at once make.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, kind := range kinds {
		for _, parts := range []int{1, 2, 5} {
			for _, minDF := range []uint64{1, 2, 4} {
				docs := randomDocuments(rng, 700, 3, kind)
				want := corpusOf(t, docs, []string{"a", "b", "c"}, kind, minDF)
				whole, err := opened(t, want)
				must.OK(t, err)
				var corpora []*Corpus
				for p := range parts {
					part := docs[len(docs)*p/parts : len(docs)*(p+1)/parts]
					c, err := opened(t, corpusOf(t, part, []string{"a", "b", "c"}, kind, 1))
					must.OK(t, err)
					corpora = append(corpora, c)
				}
				head := whole.Head
				head.Runs, head.Distinct = nil, 0
				temp := t.TempDir()
				var got bytes.Buffer
				totals, err := Merge(context.Background(), &got, corpora, &head, MergeOptions{Kind: kind, MinDF: minDF, Threads: 3, Temp: temp})
				must.OK(t, err)
				if !bytes.Equal(got.Bytes(), want) {
					t.Errorf("%d parts, min-df %d: %d other bytes than the %d", parts, minDF, got.Len(), len(want))
				}
				if totals != whole.Totals() {
					t.Errorf("%+v, want %+v", totals, whole.Totals())
				}
				if left, _ := os.ReadDir(temp); len(left) > 0 {
					t.Errorf("%d files left behind", len(left))
				}
			}
		}
	}
}

// failing is a writer that fails at its n-th call, from 0.
type failing struct{ calls int }

var errFull = errors.New("no space left on device")

func (f *failing) Write(b []byte) (int, error) {
	if f.calls--; f.calls < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFailingWrites: whichever write fails, merging says so.
func TestFailingWrites(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(5, 5)), 300, 2, Binary)
	c, err := opened(t, corpusOf(t, docs, []string{"a", "b"}, Binary, 1))
	must.OK(t, err)
	for calls := 0; ; calls++ {
		head := c.Head
		head.Runs, head.Distinct = nil, 0
		_, err := Merge(context.Background(), &failing{calls}, []*Corpus{c, c}, &Head{Labels: head.Labels, Sets: head.Sets}, MergeOptions{Kind: Binary, MinDF: 1, Threads: 2, Temp: t.TempDir()})
		if err == nil {
			if calls < 10 {
				t.Errorf("only %d writes", calls)
			}
			return
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("write %d: %v", calls, err)
		}
	}
}

// FuzzOpen opens anything without a crash.
func FuzzOpen(f *testing.F) {
	for _, kind := range kinds {
		f.Add(corpusOf(f, randomDocuments(rand.New(rand.NewPCG(6, 6)), 3, 2, kind), []string{"a", "b"}, kind, 1))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &Corpus{}
		if c.parse(data) != nil {
			return
		}
		var m sparse.CSR
		for i, b := range c.blocks {
			m = sparse.CSR{Cols: int(c.totals.Columns), Indptr: []int64{0}}
			if c.decode(i, data[b.Offset:b.Offset+b.Length], &m) == nil {
				if err := m.Validate(); err != nil {
					t.Error(err)
				}
			}
		}
		if c.Named() {
			_ = c.eachName(data[c.names.Offset:c.names.Offset+c.names.Length], func(uint32, []byte) {})
		}
	})
}

// FuzzRows decodes anything without a crash, and to rows that hold what rows promise.
func FuzzRows(f *testing.F) {
	e := NewEncoded()
	e.Append(Counts, []uint32{0, 1, 300, 70000, 20_000_000}, []float32{1, 2, 3, 4, 500})
	f.Add(e.Bytes, uint8(1), uint64(1<<31))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, cols uint64) {
		cols %= 1 << 33
		d := decoder{b: data}
		for d.at < len(data) && d.bad == "" {
			columns, values := d.row(Values(kind%3), cols, nil, nil)
			last := int64(-1)
			for _, j := range columns {
				if int64(j) <= last || uint64(j) >= cols {
					t.Fatalf("column %d after %d, of %d", j, last, cols)
				}
				last = int64(j)
			}
			if d.bad == "" && kind%3 > 0 && len(values) != len(columns) {
				t.Fatalf("%d values of %d columns", len(values), len(columns))
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	e := NewEncoded()
	entries := 0
	for range 500 {
		row := make([]uint32, 300)
		for k := range row {
			row[k] = uint32(1) << rng.IntN(20) * uint32(1+rng.IntN(2)) % (1 << 20)
			row[k] += rng.Uint32N(row[k] + 1)
		}
		slices.Sort(row)
		row = slices.Compact(row)
		entries += len(row)
		e.Append(Binary, row, nil)
	}
	var columns []uint32
	for b.Loop() {
		d := decoder{b: e.Bytes}
		columns = columns[:0]
		for d.at < len(d.b) {
			columns, _ = d.row(Binary, 1<<21, columns, nil)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
	b.ReportMetric(float64(len(e.Bytes))/float64(entries), "B/entry")
}
