package dataset

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestLittleText: texts that are kept take their own bytes. They kept whole chunks of a mebibyte, however little of
// that was text, and as many for files of a few bytes.
func TestLittleText(t *testing.T) {
	must.SkipUnderRace(t)
	var lines bytes.Buffer
	for k := range 8_000 {
		fmt.Fprintf(&lines, `{"other":%q,"text":"word%d so","label":"%d"}`+"\n", strings.Repeat("x", 4000), k%100, k%2)
	}
	var few []string
	for k := range 40 {
		few = append(few, file(t, fmt.Appendf(nil, "%d\tword%d so\n", k%2, k)))
	}
	for name, in := range map[string]corpus.Input{
		"JSON":       {Paths: []string{file(t, lines.Bytes())}, Format: corpus.JSONL, TextField: "text", LabelField: "label"},
		"files":      {Paths: few, Format: corpus.TSV},
		"line feeds": {Paths: []string{file(t, []byte("a\tb c\n"+strings.Repeat("\n", 12<<20)))}, Format: corpus.TSV},
	} {
		for _, names := range []bool{false, true} {
			var now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&now)
			before, most, calls := int64(now.HeapAlloc), int64(0), 0
			o := text(func(o *Options) {
				o.Temp, o.Names, o.Text.Families, o.Threads = t.TempDir(), names, hashing.Families{}, 2
			})
			o.Progress = func(p corpus.Progress) {
				if calls++; p.Stage == "read" && calls%16 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&now)
					most = max(most, int64(now.HeapAlloc)-before)
				}
			}
			b, err := newBuilder(in, o, 0)
			must.OK(t, err)
			if _, err := b.pack(context.Background(), io.Discard); err != nil {
				t.Fatal(err)
			}
			if most > 20<<20 { // some chunks are being read
				t.Errorf("%s, names %t: %d MiB are in memory", name, names, most>>20)
			}
			if err := b.close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSmallFiles: the documents of many small files share blocks, as those of one file do. A block for each file took 9
// kB, and counting visits all blocks once for each of 2,048 partitions.
func TestSmallFiles(t *testing.T) {
	const files = 600
	in := corpus.Input{Format: corpus.TSV}
	for k := range files {
		in.Paths = append(in.Paths, file(t, fmt.Appendf(nil, "%d\tword%d so\n", k%2, k%9)))
	}
	for _, names := range []bool{false, true} {
		b, err := newBuilder(in, text(func(o *Options) { o.Names, o.Threads = names, 2 }), 0)
		must.OK(t, err)
		defer b.close()
		if _, err := b.vocabulary(t.Context()); err != nil {
			t.Fatal(err)
		}
		documents := 0
		for _, some := range b.blocks {
			if documents += some.Documents(); names && len(some.Texts) != some.Documents() {
				t.Errorf("%d texts of %d documents", len(some.Texts), some.Documents())
			}
		}
		if documents != files || len(b.blocks) > files/100 {
			t.Errorf("names %t: %d documents in %d blocks", names, documents, len(b.blocks))
		}
	}
}
