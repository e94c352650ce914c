package tests

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// bulky takes several chunks of input, of 8192 records each.
var bulky = shape{docs: 9000, classes: 3, vocabulary: 20000, words: 15, signal: 0.2, seed: 3}

// TestWayOfInputDoesNotMatter feeds the same documents in many ways.
func TestWayOfInputDoesNotMatter(t *testing.T) {
	data := tsv(bulky.records())
	o := options(func(o *nbsvm.Options) { o.Threads = 3 })
	c, _ := mustTrain(t, input(data, corpus.TSV), o)
	want := encode(t, c)

	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, data, 0o600))
		return path
	}
	var parts []string
	for i := range 3 {
		lo, hi := lineStart(data, i*len(data)/3), lineStart(data, (i+1)*len(data)/3)
		parts = append(parts, file(fmt.Sprintf("part%d.tsv", i), data[lo:hi]))
	}
	half := lineStart(data, len(data)/2)
	for name, in := range map[string]corpus.Input{
		"file":              {Paths: []string{file("whole.tsv", data)}},
		"files":             {Paths: parts},
		"format by content": {Stdin: bytes.NewReader(data)},
		"dash":              {Paths: []string{"-"}, Stdin: bytes.NewReader(data)},
		"file and stdin":    {Paths: []string{file("half.tsv", data[:half]), "-"}, Stdin: bytes.NewReader(data[half:])},
		"gzip":              {Paths: []string{file("whole.tsv.gz", gzipped(t, data))}},
		"zstd":              {Paths: []string{file("whole.tsv.zst", zstandard(t, data))}},
		"zstd on stdin":     {Stdin: bytes.NewReader(zstandard(t, data))},
		"in pieces":         {Stdin: &dribble{data, rand.New(rand.NewPCG(1, 2))}},
		"CRLF":              input(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), corpus.TSV),
		"blank lines":       input(bytes.ReplaceAll(data, []byte("\n"), []byte("\n\n")), corpus.TSV),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := mustTrain(t, in, o)
			if !bytes.Equal(encode(t, c), want) {
				t.Error("another model")
			}
		})
	}
}

// lineStart is the first start of a line at or after an offset.
func lineStart(data []byte, offset int) int {
	if offset == 0 {
		return 0
	}
	if end := bytes.IndexByte(data[offset-1:], '\n'); end >= 0 {
		return offset + end
	}
	return len(data)
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	return compressed(t, &b, gzip.NewWriter(&b), data)
}

func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	must.OK(t, err)
	return compressed(t, &b, w, data)
}

func compressed(t testing.TB, b *bytes.Buffer, w io.WriteCloser, data []byte) []byte {
	t.Helper()
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	return b.Bytes()
}
