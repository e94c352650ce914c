package nbsvm

import (
	"context"
	"errors"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// packPart is some of the documents that are packed, their n-grams counted: in memory, or,
// while others are, in a file.
type packPart struct {
	memory *slabs
	blocks []packBlock
	plain  []*hashing.Block // of blocks
	shards []hashing.Terms
	file   *partFile // nil if it never was in one
}

// packWorker is scratch memory; each worker has its own.
type packWorker struct {
	counter hashing.Counter
	dealer  sparse.RadixBuilder
	saved   hashing.Saved
}

// newPackPart counts the n-grams of blocks, and lists those of so many documents or more.
// visit gets the shards in order.
func newPackPart(ctx context.Context, memory *slabs, blocks []packBlock, least int, workers []packWorker, visit func(*hashing.Terms) error) (*packPart, error) {
	p := &packPart{memory: memory, blocks: blocks, shards: make([]hashing.Terms, packPartition.Shards())}
	for _, b := range blocks {
		p.plain = append(p.plain, b.Block)
	}
	return p, ordered.Map(ctx, len(workers), len(p.shards), func(w, shard int) (*hashing.Terms, error) {
		var err error
		p.shards[shard], err = packPartition.Terms(&workers[w].counter, p.plain, shard, uint32(least))
		return &p.shards[shard], errors.Join(err, ctx.Err())
	}, visit)
}

// terms are the n-grams of a shard.
func (p *packPart) terms(shard int) (hashing.Terms, error) {
	if p.file != nil {
		return p.file.terms(shard)
	}
	return p.shards[shard], nil
}

// number gives all entries their columns.
func (p *packPart) number(ctx context.Context, n *numbering, threads int) error {
	return ordered.Each(ctx, threads, len(n.shards), func(_, shard int) error {
		t, err := p.terms(shard)
		if err != nil {
			return err
		}
		packPartition.Number(p.plain, shard, &t, n.columnsOf(shard, t.Hashes))
		if p.file == nil {
			p.shards[shard] = hashing.Terms{} // given up
		}
		return ctx.Err()
	})
}

// deal makes the rows of a block, and gives the block up.
func (p *packPart) deal(block int, d *sparse.RadixBuilder) (rows int) {
	b := p.blocks[block]
	d.Build(b.Enter(d), b.Documents())
	p.memory.give(b.slab)
	p.blocks[block], p.plain[block] = packBlock{}, nil
	return b.Documents()
}
