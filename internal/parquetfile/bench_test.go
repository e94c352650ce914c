package parquetfile

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// BenchmarkBlocks reads texts and labels in pages of a mebibyte, as pandas writes them.
func BenchmarkBlocks(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 5))
	words := strings.Fields(strings.Repeat("the of and a film plot lovely boring character scene music ", 1) + "it was never quite what they said")
	all := make([]row, 16_000)
	bytes := int64(0)
	for i := range all {
		var text strings.Builder
		for range 200 {
			fmt.Fprintf(&text, "%s%x ", words[r.IntN(len(words))], r.IntN(40))
		}
		all[i] = row{Text: text.String(), Coded: "good"}
		bytes += int64(text.Len())
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd} {
		f := open(b, write(b, all, 8000, parquet.Compression(codec), parquet.PageBufferSize(1<<20)))
		b.Run(codec.String(), func(b *testing.B) {
			b.SetBytes(bytes)
			for b.Loop() {
				blocks, err := f.Blocks(Options{Label: "coded"})
				for block := (Block{}); err == nil; {
					err = blocks.Next(&block)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
}
