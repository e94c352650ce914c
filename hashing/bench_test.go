package hashing

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// dataset reads the texts of a file of label<TAB>text, up to about limit bytes.
func dataset(b testing.TB, name string, limit int) [][]byte {
	b.Helper()
	dir := os.Getenv("NBSVM_DATA")
	if dir == "" {
		b.Skip("set NBSVM_DATA to the folder of corpora to use real text")
	}
	f, err := os.Open(filepath.Join(dir, name))
	must.OK(b, err)
	defer f.Close()
	z, err := zstd.NewReader(f)
	must.OK(b, err)
	defer z.Close()
	lines := bufio.NewReaderSize(z, 1<<20)
	var docs [][]byte
	for size := 0; size < limit; {
		line, err := lines.ReadBytes('\n')
		if _, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t")); ok {
			docs = append(docs, text)
			size += len(text)
		}
		if err == io.EOF {
			break
		}
		must.OK(b, err)
	}
	return docs
}

// synthetic is English-like text: words by Zipf's law, some punctuation.
func synthetic(size int) [][]byte {
	r := rand.New(rand.NewPCG(1, 1))
	vocabulary := make([]string, 20000)
	for i := range vocabulary {
		var w strings.Builder
		for range 1 + r.IntN(4) + r.IntN(4) + r.IntN(3) {
			w.WriteByte("etaoinshrdlucmfwyp"[r.IntN(18)])
		}
		vocabulary[i] = w.String()
	}
	zipf := rand.NewZipf(r, 1.1, 3, uint64(len(vocabulary)-1))
	var docs [][]byte
	for total := 0; total < size; {
		var doc []byte
		for range 50 + r.IntN(400) {
			doc = append(doc, vocabulary[zipf.Uint64()]...)
			if r.IntN(8) == 0 {
				doc = append(doc, ".,,!?"[r.IntN(5)])
			}
			doc = append(doc, ' ')
		}
		docs, total = append(docs, doc), total+len(doc)
	}
	return docs
}

func benchmarkExtractor(b *testing.B, docs [][]byte, change func(*Options)) {
	o := DefaultOptions()
	change(&o)
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	b.Run("hashes", func(b *testing.B) {
		e := newExtractor(b, o)
		var hashes []uint64
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, d := range docs {
				hashes = e.AppendHashes(hashes[:0], d)
			}
		}
	})
	b.Run("distinct", func(b *testing.B) {
		e := newExtractor(b, o)
		var hashes []uint64
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, d := range docs {
				hashes, _ = e.AppendDistinct(hashes[:0], nil, d)
			}
		}
	})
	b.Run("counts", func(b *testing.B) {
		e := newExtractor(b, o)
		var hashes []uint64
		counts := []uint32{}
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, d := range docs {
				hashes, counts = e.AppendDistinct(hashes[:0], counts[:0], d)
			}
		}
	})
}

func trigrams(o *Options) { o.NgramHi = 3 }
func chars(o *Options)    { o.Tokenizer, o.NgramLo, o.NgramHi = Char, 2, 5 }

func wordsAndChars(o *Options) { o.NgramHi, o.More[0] = 2, Family{CharWB, 2, 5} }

func BenchmarkSynthetic(b *testing.B) {
	docs := synthetic(4 << 20)
	b.Run("bigrams", func(b *testing.B) { benchmarkExtractor(b, docs, func(*Options) {}) })
	b.Run("trigrams", func(b *testing.B) { benchmarkExtractor(b, docs, trigrams) })
	b.Run("chars", func(b *testing.B) { benchmarkExtractor(b, docs, chars) })
	b.Run("space", func(b *testing.B) { benchmarkExtractor(b, docs, func(o *Options) { o.Tokenizer = Space }) })
}

func BenchmarkIMDB(b *testing.B) {
	docs := dataset(b, "imdb/train.tsv.zst", 16<<20)
	b.Run("bigrams", func(b *testing.B) { benchmarkExtractor(b, docs, func(*Options) {}) })
	b.Run("html", func(b *testing.B) { benchmarkExtractor(b, docs, func(o *Options) { o.StripHTML = true }) })
	b.Run("trigrams", func(b *testing.B) { benchmarkExtractor(b, docs, trigrams) })
	b.Run("chars", func(b *testing.B) { benchmarkExtractor(b, docs, chars) })
	b.Run("chars within words", func(b *testing.B) {
		benchmarkExtractor(b, docs, func(o *Options) { o.Tokenizer, o.NgramLo, o.NgramHi = CharWB, 2, 5 })
	})
	b.Run("words and chars", func(b *testing.B) { benchmarkExtractor(b, docs, wordsAndChars) })
	b.Run("space", func(b *testing.B) { benchmarkExtractor(b, docs, func(o *Options) { o.Tokenizer = Space }) })
}

// BenchmarkLanguages is 72 languages, most of them not in ASCII.
func BenchmarkLanguages(b *testing.B) {
	docs := dataset(b, "bible-langid/test.tsv.zst", 16<<20)
	b.Run("bigrams", func(b *testing.B) { benchmarkExtractor(b, docs, func(*Options) {}) })
	b.Run("chars", func(b *testing.B) { benchmarkExtractor(b, docs, chars) })
}

func BenchmarkChinese(b *testing.B) {
	docs := dataset(b, "zh-thucnews-titles/train.tsv.zst", 16<<20)
	b.Run("bigrams", func(b *testing.B) { benchmarkExtractor(b, docs, func(*Options) {}) })
}

// BenchmarkSpell names few n-grams of each of many documents, and many of a long one.
func BenchmarkSpell(b *testing.B) {
	long := bytes.Join(synthetic(4<<20), []byte(" "))
	for _, bench := range []struct {
		name   string
		docs   [][]byte
		ngrams int // of a document
	}{
		{"one of many", synthetic(4 << 20), 1},
		{"ten of many", synthetic(4 << 20), 10},
		{"thousand of one", [][]byte{long}, 1000},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := newExtractor(b, DefaultOptions())
			r := rand.New(rand.NewPCG(1, 1))
			wanted, size := make([][]uint64, len(bench.docs)), 0
			for i, doc := range bench.docs {
				hashes := e.AppendHashes(nil, doc)
				for range bench.ngrams {
					wanted[i] = append(wanted[i], hashes[r.IntN(len(hashes))])
				}
				size += len(doc)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for i, doc := range bench.docs {
					e.Spell(doc, wanted[i])
				}
			}
		})
	}
}
