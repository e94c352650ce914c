package corpus

import (
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRelease releases some chunks and keeps others, of several files, of the format
// whose records have line breaks and of one with records that are bad: documents are
// the same, and memory is used again.
func TestRelease(t *testing.T) {
	long := strings.Repeat("long", 1000)
	for _, test := range []struct {
		name, content string
		o             Input
	}{
		{"a.tsv", strings.Repeat("a\tb\nc\td\n", 20_000), Input{}},
		{"a.tsv", strings.Repeat("a\tb\n\tnone\n"+long+"\t"+long+"\n", 200), Input{MaxRecord: 3000}},
		{"a.jsonl", strings.Repeat(`{"text":"a\n\u00e4 and more","label":["x","\"y",1.50]}`+"\n", 4000), Input{}},
		{"a.csv", "label,text\n" + strings.Repeat("a,\"b\nc\"\n\"d\n", 3000), Input{MaxRecord: 3000}},
	} {
		one := writeFile(t, test.name, test.content)
		paths := []string{one, writeFile(t, "empty", ""), one}
		want, err := readWith(paths, nil, test.o, 20_000, chunkLimit)
		must.OK(t, err)
		for _, keep := range []int{1, 2, 1 << 30} {
			r, err := Open(from(paths, nil, test.o))
			must.OK(t, err)
			r.block = 20_000
			var docs []doc
			var kept []Document
			var places []int
			for n := 1; ; n++ {
				c, err := r.Next()
				if err == io.EOF {
					break
				}
				must.OK(t, err)
				all := c.Append(nil)
				if n%keep == 0 {
					for i := range all {
						places = append(places, len(docs)+i)
					}
					kept = append(kept, all...)
				}
				docs = append(docs, flatten(all)...)
				if n%keep != 0 {
					c.Release()
					c.Release()
				}
			}
			if !reflect.DeepEqual(docs, flatten(want)) {
				t.Fatalf("%s, keeping every chunk of %d: documents differ", test.name, keep)
			}
			for i, d := range flatten(kept) {
				if !reflect.DeepEqual(d, docs[places[i]]) {
					t.Fatalf("%s, keeping every chunk of %d: document %d became %+v, was %+v", test.name, keep, places[i], d, docs[places[i]])
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestReleaseAllocates: reading 32 MiB allocates no 32 MiB. The race detector lets a sync.Pool lose a quarter of what
// it is given.
func TestReleaseAllocates(t *testing.T) {
	path := writeFile(t, "a.txt", strings.Repeat(strings.Repeat("x", 1023)+"\n", 32<<10))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Open(from([]string{path}, nil, unlabelled(Lines)))
	must.OK(t, err)
	defer r.Close()
	for err == nil {
		var c *Chunk
		if c, err = r.Next(); err == nil {
			c.Release()
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != io.EOF || n > 20<<20 {
		t.Errorf("%d bytes allocated, %v", n, err)
	}
}

// TestChunkRecords reads all records in chunks of at most so many.
func TestChunkRecords(t *testing.T) {
	const records = 100
	r, err := Open(Input{Stdin: strings.NewReader(strings.Repeat("a\tb\n", records)), ChunkRecords: 7})
	must.OK(t, err)
	defer r.Close()
	read := 0
	for {
		chunk, err := r.Next()
		if err == io.EOF {
			break
		}
		must.OK(t, err)
		n := len(chunk.Append(nil))
		chunk.Release()
		if read += n; n == 0 || n > 7 {
			t.Errorf("a chunk has %d records", n)
		}
	}
	if read != records {
		t.Errorf("%d records of %d", read, records)
	}
}
