package hashing

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// BenchmarkSelection is the way from the hashes of documents to columns.
func BenchmarkSelection(b *testing.B) {
	o := DefaultOptions()
	o.NgramHi, o.Bits = 3, 24
	e := newExtractor(b, o)
	var batches [][][]uint64
	entries := 0
	for docs := range slices.Chunk(dataset(b, "imdb/train.tsv.zst", 1<<30), 800) {
		batch := make([][]uint64, len(docs))
		for i, doc := range docs {
			batch[i], _ = e.AppendDistinct(nil, nil, doc)
			entries += len(batch[i])
		}
		batches = append(batches, batch)
	}
	for _, bits := range []int{8, 9, 10, 11} {
		p := Partition{bits}
		blocks := make([]*Block, 0, 4*len(batches))
		var memory [][]uint64
		split := func() {
			blocks = blocks[:0]
			for _, batch := range batches {
				for docs := range slices.Chunk(batch, p.MaxDocuments()) {
					n := 0
					for _, hashes := range docs {
						n += len(hashes)
					}
					if len(blocks) == len(memory) {
						memory = append(memory, make([]uint64, n))
					}
					blocks = append(blocks, p.Split(memory[len(blocks)], docs, nil))
				}
			}
		}
		perEntry := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(entries), "ns/entry")
		}
		b.Run(fmt.Sprintf("split/shards=%d", p.Shards()), func(b *testing.B) {
			for b.Loop() {
				split()
			}
			perEntry(b)
		})
		var c Counter
		var s *Selection
		var columns *Columns
		choose := func(minDF uint32) {
			s = NewSelection(p, o.Bits, minDF, math.MaxUint32)
			for shard := range p.Shards() {
				s.Select(&c, blocks, shard)
			}
			columns = s.Finish()
		}
		for _, minDF := range []uint32{1, 2} {
			b.Run(fmt.Sprintf("select/shards=%d/minDF=%d", p.Shards(), minDF), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					split()
					b.StartTimer()
					choose(minDF)
				}
				perEntry(b)
			})
		}
		split()
		choose(2)
		number := make([]uint32, len(columns.Buckets))
		for shard := range p.Shards() {
			s.Renumber(&c, blocks, shard, number)
		}
		b.Run(fmt.Sprintf("rows/shards=%d", p.Shards()), func(b *testing.B) {
			var r Rows
			for b.Loop() {
				for _, block := range blocks {
					r.Fill(block)
				}
			}
			perEntry(b)
		})
	}
}
