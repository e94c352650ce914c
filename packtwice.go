package nbsvm

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
)

// rereadable refuses an input that can be read only once, where twice is needed: why, and
// what to do instead.
func rereadable(in Input, why, instead string) error {
	once := func(what string) error {
		return fmt.Errorf("nbsvm: %s, and %s can be read only once; %s", why, what, instead)
	}
	if len(in.Paths) == 0 {
		return once("standard input")
	}
	for _, path := range in.Paths {
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return once(describePaths([]string{path}))
		}
	}
	return nil
}

// quiet is an input whose bad records are skipped without a word.
func quiet(in Input) (Input, error) {
	var err error
	in.Bad, err = corpus.NewBadRecords(corpus.Skip, io.Discard)
	return in, err
}

// orders settles the orders of n-grams where they depend on how much text there is.
func (p *packer) orders(ctx context.Context) error {
	if p.settled || !p.o.AutoNgrams || p.o.Text.Tokenizer != hashing.Word {
		return nil
	}
	err := rereadable(p.in, "whether to take n-grams of two or three words depends on how much text there is", "say --ngrams 1-2 or 1-3")
	if err != nil {
		return err
	}
	again, err := quiet(p.in) // bad records are dealt with when they are packed
	if err != nil {
		return err
	}
	ds := newDataset(again)
	if err := measure(ctx, again, &p.o, ds); err != nil {
		return err
	}
	if n := len(ds.classes.labels); !ds.ready && n > 0 && ds.bytes/int64(n) >= trigramBytes {
		p.o.Text.NgramHi = 3
	}
	return nil
}

// measure reads an input's labels and the length of its texts.
func measure(ctx context.Context, in Input, o *Options, ds *dataset) error {
	reader, err := corpus.Open(in.Paths, in.Stdin, in.Options)
	if err != nil {
		return err
	}
	defer reader.Close()
	return ordered.Run(ctx, o.threads(), nextChunk(ctx, reader), func(_ int, c *corpus.Chunk) (*batch, error) {
		b := &batch{docs: c.Append(nil)}
		if c.Format() == corpus.SVMLight {
			b.ids = []uint32{}
		}
		return b, nil
	}, func(b *batch) error {
		if err := ds.collect(b, in.Bad); err != nil {
			return err
		}
		ds.batches = nil
		return nil
	})
}
