package corpus

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// benchText is about 16 MiB of records in a format, with texts of some length.
func benchText(format Format, length int) []byte {
	text := strings.Repeat("nothing but words, \u00e4nd more. ", length/30+1)[:length-1] + "."
	var record string
	switch format {
	case TSV:
		record = "label\t" + text + "\n"
	case CSV:
		record = "label,\"a \"\"quoted\"\" " + text + "\"\n"
	case JSONL:
		record = `{"id":"0123456789","text":"a \"quoted\" ` + text + `","label":"x","score":0.25}` + "\n"
	case FastText:
		record = "__label__x __label__y " + text + "\n"
	case Lines:
		record = text + "\n"
	case SVMLight:
		record = "+1" + strings.Repeat(" 1234:0.25", length/10) + "\n"
	}
	out := bytes.Repeat([]byte(record), 16<<20/len(record))
	if format == CSV {
		return append([]byte("label,text\n"), out...)
	}
	return out
}

func readAll(b *testing.B, path string, o Input) (documents int) {
	r, err := Open(from([]string{path}, nil, o))
	must.OK(b, err)
	defer r.Close()
	var docs []Document
	for {
		c, err := r.Next()
		if err == io.EOF {
			return documents
		}
		must.OK(b, err)
		docs = c.Append(docs[:0])
		documents += len(docs)
	}
}

// BenchmarkRead opens, cuts and parses in one goroutine, from the page cache.
func BenchmarkRead(b *testing.B) {
	for _, format := range []Format{TSV, CSV, JSONL, FastText, Lines, SVMLight} {
		for _, length := range []int{100, 1000} {
			b.Run(fmt.Sprintf("%v/%d", format, length), func(b *testing.B) {
				text := benchText(format, length)
				path := filepath.Join(b.TempDir(), "data")
				must.OK(b, os.WriteFile(path, text, 0o666))
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				documents := 0
				for b.Loop() {
					documents += readAll(b, path, Input{Format: format, Unlabelled: format == Lines})
				}
				b.ReportMetric(float64(documents)/b.Elapsed().Seconds(), "docs/s")
			})
		}
	}
}

// BenchmarkAppend parses one chunk again and again: what each worker does.
func BenchmarkAppend(b *testing.B) {
	for _, format := range []Format{TSV, CSV, JSONL, FastText, Lines, SVMLight} {
		b.Run(format.String(), func(b *testing.B) {
			r, err := Open(Input{Stdin: bytes.NewReader(benchText(format, 300)), Format: format, Unlabelled: format == Lines})
			must.OK(b, err)
			c, err := r.Next()
			must.OK(b, err)
			docs := c.Append(nil)
			b.SetBytes(int64(len(c.records.(*piece).data)))
			b.ReportAllocs()
			for b.Loop() {
				docs = c.Append(docs[:0])
			}
			b.ReportMetric(float64(len(docs))*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

// BenchmarkDecompress reads a compressed file; bytes are those of its text.
func BenchmarkDecompress(b *testing.B) {
	for name, compress := range map[string]func(testing.TB, string) string{"gzip": gz, "zstd": zst} {
		b.Run(name, func(b *testing.B) {
			text := benchText(TSV, 1000)
			path := filepath.Join(b.TempDir(), "data")
			must.OK(b, os.WriteFile(path, []byte(compress(b, string(text))), 0o666))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				readAll(b, path, labelled(TSV))
			}
		})
	}
}
