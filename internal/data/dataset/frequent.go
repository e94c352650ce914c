package dataset

import (
	"context"

	"github.com/seed-167f963f/nbsvm/internal/data/ngrams"
)

// sampleEntries is how many n-grams of documents tell which of them occur often.
const sampleEntries = 1 << 20

// sample finds n-grams that occur often.
func (b *builder) sample(ctx context.Context) error {
	if err := b.count(ctx); err != nil {
		return err
	}
	frequent, err := b.counter.Frequent(ctx, b.threads)
	b.frequent.Store(frequent)
	return err
}

// countFrequent adds up what the makers of blocks counted of frequent n-grams.
func (b *builder) countFrequent(frequent *ngrams.Frequent) error {
	sum := make([]uint32, ngrams.FrequentPlaces)
	for _, m := range b.makers {
		for place, n := range m.counts {
			sum[place] += n
		}
	}
	return b.counter.AddFrequent(frequent, sum)
}

// numberFrequent gives frequent n-grams their columns. If blocks are made once more, more is known about what
// is frequent.
func (b *builder) numberFrequent(v *ngrams.Vocabulary) {
	for _, m := range b.makers {
		m.counts = nil
	}
	frequent := b.frequent.Load()
	switch {
	case frequent == nil:
	case b.kept:
		v.Number(frequent)
	default:
		b.frequent.Store(v.Frequent())
	}
}
