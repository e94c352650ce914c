package nbsvm

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
)

// hasher appends the hashes of a batch's entries lo to hi.
type hasher func(dst []uint64, b *batch, lo, hi int) []uint64

// textHashes are those of n-grams.
func textHashes(dst []uint64, b *batch, lo, hi int) []uint64 { return append(dst, b.hashes[lo:hi]...) }

// split makes blocks of the design's documents. With release, they take the place of
// what the batches hold.
func (d *design) split(ctx context.Context, ds *dataset, p hashing.Partition, hash hasher, threads int, release bool) ([]*hashing.Block, error) {
	workers := make([]*splitter, threads)
	blocks := make([][]*hashing.Block, len(ds.batches))
	err := ordered.Each(ctx, len(workers), len(blocks), func(w, i int) error {
		if workers[w] == nil {
			workers[w] = &splitter{partition: p, hash: hash, valued: d.valued, release: release}
		}
		blocks[i] = workers[w].split(ds.batches[i], d.rows)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []*hashing.Block
	for _, some := range blocks {
		all = append(all, some...)
	}
	return all, nil
}

// splitter makes blocks of batches; each worker has its own.
type splitter struct {
	partition       hashing.Partition
	hash            hasher
	valued, release bool

	// Of a block under way.
	hashes    []uint64
	values    []float32
	ends      []int
	documents [][]uint64
}

func (s *splitter) split(b *batch, rows *roaring.Bitmap) (blocks []*hashing.Block) {
	free := b.hashes // where release puts the entries; those of a block are read before
	flush := func() {
		if len(s.ends) == 0 {
			return
		}
		var dst []uint64
		if n := len(s.hashes); s.release && n <= len(free) {
			dst, free = free[:n:n], free[n:]
		} else {
			dst = make([]uint64, n)
		}
		blocks = append(blocks, s.block(dst))
		s.hashes, s.values, s.ends = s.hashes[:0], s.values[:0], s.ends[:0]
	}
	for k := range b.ends {
		if !rows.Contains(uint32(b.first + k)) {
			continue
		}
		lo, hi := b.bounds(k)
		s.hashes = s.hash(s.hashes, b, lo, hi)
		if s.valued {
			for e := lo; e < hi; e++ {
				s.values = append(s.values, b.value(e))
			}
		}
		s.ends = append(s.ends, len(s.hashes))
		if len(s.ends) == s.partition.MaxDocuments() {
			flush()
		}
	}
	flush()
	if s.release {
		b.hashes, b.counts, b.ids, b.values = nil, nil, nil, nil
	}
	return blocks
}

// block makes a block of what has come together.
func (s *splitter) block(dst []uint64) *hashing.Block {
	s.documents = s.documents[:0]
	lo := 0
	for _, hi := range s.ends {
		s.documents = append(s.documents, s.hashes[lo:hi])
		lo = hi
	}
	var values []float32
	if s.valued {
		values = s.values
	}
	return s.partition.Split(dst, s.documents, values)
}

// value is the value of an entry before any scaling.
func (b *batch) value(k int) float32 {
	switch {
	case b.values != nil:
		return b.values[k]
	case b.counts != nil:
		return float32(b.counts[k])
	}
	return 1
}
