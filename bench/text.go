package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// textDefaults sets 32 MB of text, n-grams of orders 1, 1-2 and 1-3.
func textDefaults(c *Config, quick bool) {
	c.Generated.Words, c.Generated.Lengths = 200, logNormal
	c.Orders, c.MaxBytes = [][2]int{{1, 1}, {1, 2}, {1, 3}}, 32<<20
	if quick {
		c.Orders, c.MaxBytes = [][2]int{{1, 2}}, 4<<20
	}
}

// text returns the options of hashing n-grams of some orders.
func (c *Config) text(orders [2]int) hashing.Options {
	o := c.Text
	o.Families[0].NgramLo, o.Families[0].NgramHi = orders[0], orders[1]
	return o
}

// textCases measure the way from text to features, part by part: reading records,
// hashing their n-grams, telling the distinct ones, and counting their documents.
// Every part is measured alone, on what the part before it left in memory; MB are of text.
func textCases(_ context.Context, j *job) ([]Case, error) {
	texts, size, err := readTexts(j.in, j.MaxBytes)
	if err != nil {
		return nil, err
	}
	cases := []Case{{Labels("part", "read", "ngrams", "threads", 1), func(context.Context) ([]Value, error) {
		start := time.Now()
		_, size, err := readTexts(j.in, j.MaxBytes) // with one thread
		return perThread(size, 1, time.Since(start)), err
	}}}
	for _, orders := range j.Orders {
		for _, threads := range j.Threads {
			more, err := hashCases(j.text(orders), threads, texts, size)
			if err != nil {
				return nil, err
			}
			cases = append(cases, more...)
		}
	}
	return cases, nil
}

// readTexts reads the first texts of an input, so many bytes of them.
func readTexts(in corpus.Input, limit int) (texts [][]byte, size int, err error) {
	in.Unlabelled = true
	reader, err := corpus.Open(in)
	if err != nil {
		return nil, 0, err
	}
	defer reader.Close()
	for d, err := range reader.Documents() {
		if err == nil {
			err = d.Err
		}
		if err != nil {
			return nil, 0, err
		}
		if limit > 0 && size >= limit {
			break
		}
		texts, size = append(texts, d.Text), size+len(d.Text)
	}
	if size == 0 {
		return nil, 0, errors.New("bench: the corpus has no text")
	}
	return texts, size, nil
}

// perThread returns the metrics of a part that took a while for so many bytes of text.
func perThread(size, threads int, took time.Duration) []Value {
	all := rate(size, took)
	return []Value{{"MB/s", all}, {"MB/s per thread", all / float64(threads)}}
}

// rate is in MB/s.
func rate(size int, took time.Duration) float64 { return float64(size) / 1e6 / took.Seconds() }

// inParts gives every thread its part of the texts, and tells how long all took.
func inParts(threads int, texts [][]byte, work func(w int, texts [][]byte)) time.Duration {
	start := time.Now()
	par.Do(threads, func(w int) { work(w, texts[len(texts)*w/threads:len(texts)*(w+1)/threads]) })
	return time.Since(start)
}

// ordersLabel names orders of n-grams.
func ordersLabel(lo, hi int) string { return fmt.Sprintf("%d-%d", lo, hi) }

// hashCases measure hashing, telling distinct n-grams, and counting documents.
func hashCases(o hashing.Options, threads int, texts [][]byte, size int) ([]Case, error) {
	extractors := make([]*hashing.Extractor, threads)
	for w := range extractors {
		var err error
		if extractors[w], err = hashing.NewExtractor(o); err != nil {
			return nil, err
		}
	}
	distinct := make([][]uint64, threads)
	documents := make([][][]uint64, threads) // those of distinct
	labels := func(part string) []label {
		return Labels("part", part, "ngrams", ordersLabel(o.Families[0].NgramLo, o.Families[0].NgramHi), "threads", threads)
	}
	return []Case{
		{labels("hash"), func(context.Context) ([]Value, error) {
			return perThread(size, threads, inParts(threads, texts, func(w int, texts [][]byte) {
				var hashes []uint64 // of one document
				for _, text := range texts {
					hashes, _ = extractors[w].AppendPieces(hashes[:0], text, nil) // which has no error of its own
				}
			})), nil
		}},
		{labels("hash, distinct"), func(context.Context) ([]Value, error) {
			return perThread(size, threads, inParts(threads, texts, func(w int, texts [][]byte) {
				distinct[w], documents[w] = distinct[w][:0], documents[w][:0]
				for _, text := range texts {
					start := len(distinct[w])
					distinct[w], _ = extractors[w].AppendDistinct(distinct[w], nil, text)
					documents[w] = append(documents[w], distinct[w][start:])
				}
			})), nil
		}},
		{labels("count"), func(ctx context.Context) ([]Value, error) {
			return countDistinct(ctx, documents, threads, size)
		}},
	}, nil
}

// countDistinct counts the documents of n-grams, as training does it.
func countDistinct(ctx context.Context, documents [][][]uint64, threads, size int) ([]Value, error) {
	start := time.Now()
	blocks := make([][]*vocab.Block, len(documents))
	err := par.Each(ctx, threads, len(documents), func(_, i int) error {
		for some := range slices.Chunk(documents[i], vocab.MaxDocuments) {
			var hashes []uint64
			var ends []int
			for _, d := range some {
				hashes = append(hashes, d...)
				ends = append(ends, len(hashes))
			}
			b := new(vocab.Block)
			b.Fill(mem.Memory{Words: make([]uint64, len(hashes))}, hashes, nil, ends)
			blocks[i] = append(blocks[i], b)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	counter := vocab.NewCounter(0, "")
	defer counter.Close()
	if err := counter.Count(ctx, slices.Concat(blocks...), threads); err != nil {
		return nil, err
	}
	vocabulary, err := counter.Vocabulary(ctx, 2, threads, 0, "")
	if err != nil {
		return nil, err
	}
	vocabulary.Close()
	return perThread(size, threads, time.Since(start)), nil
}
