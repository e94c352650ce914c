package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/stage"
)

// Longer n-grams need more text to be learned from: cross-validated on parts of one
// training set, orders 1 to 3 are better than 1 to 2 from 4.1 MB of text a class on, and
// no better with 2.1 MB; this lies between. docs/defaults.md has the figures.
const trigramBytes = 3_000_000

// resolve gives the options that depend on the training set their values, and
// hashes the texts again where n-grams turn out to be of other orders.
func (ds *dataset) resolve(ctx context.Context, o *Options) error {
	if o.AutoBeta {
		o.Beta = 1
		if len(ds.classes.labels) == 2 && !ds.classes.multi {
			o.Beta = 0.75
		}
	}
	if !o.AutoNgrams || ds.ready || ds.packed != nil || o.Text.Tokenizer != hashing.Word {
		return nil
	}
	if ds.bytes/int64(len(ds.classes.labels)) < trigramBytes {
		return nil
	}
	if o.Text.NgramHi == 3 {
		return nil // other options were resolved before
	}
	o.Text.NgramHi = 3
	return stage.Do(ctx, stage.Tokenise, func(ctx context.Context) error { return ds.rehash(ctx, o) })
}

// firstOrders are the orders that an input is read with, before resolve.
func (o *Options) firstOrders() {
	if o.AutoNgrams && o.Text.Tokenizer == hashing.Word {
		o.Text.NgramLo, o.Text.NgramHi = 1, 2
	}
}

// rehash makes the n-grams of all texts anew.
func (ds *dataset) rehash(ctx context.Context, o *Options) error {
	workers := make([]*featurizer, o.threads())
	err := ordered.Each(ctx, len(workers), len(ds.batches), func(w, i int) (err error) {
		if workers[w] == nil {
			if workers[w], err = newFeaturizer(o.Text, o.counted()); err != nil {
				return err
			}
		}
		workers[w].rehash(ds.batches[i])
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	ds.entries, ds.sample = 0, nil
	for _, b := range ds.batches {
		ds.entries += int64(len(b.hashes))
		ds.sample = append(ds.sample, b.sample...)
		b.sample = nil
	}
	return nil
}

func (f *featurizer) rehash(b *batch) {
	b.ends, b.sample = b.ends[:0], nil
	f.begin()
	for _, text := range b.texts {
		f.text(b, text)
	}
	f.finish(b)
}
