package hashing

import (
	"math/bits"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// Partition splits n-grams into shards by the top bits of their hashes, so that the
// n-grams of a bucket are in one shard, the buckets of one shard come before those of
// the next, and all that has to be known of a shard's n-grams fits into the cache.
type Partition struct {
	bits int // that choose the shard
}

// Limits of a partition. Fewer shards would make for small blocks; with more, the
// runs of a block become so short that going from one to the next takes the time.
const (
	minShardBits  = MinBits
	maxShardBits  = 11
	ngramsOfShard = 1 << 14 // or more, where they are too many for maxShardBits
)

// NewPartition is a partition for about so many distinct n-grams, and buckets of so
// many bits.
func NewPartition(distinct uint64, bucketBits int) Partition {
	return Partition{min(max(bits.Len64(distinct/ngramsOfShard), minShardBits), maxShardBits, bucketBits)}
}

// Shards is the number of shards.
func (p Partition) Shards() int { return 1 << p.bits }

// MaxDocuments is the number of documents that a block may hold: as many as the bits
// can tell apart which the shard makes needless in an entry.
func (p Partition) MaxDocuments() int { return 1 << p.bits }

// Shard is the one of an n-gram.
func (p Partition) Shard(hash uint64) int { return int(hash >> p.hashBits()) }

// Within tells where in its shard a hash is: from 0 to 2^64, as evenly as hashes are.
func (p Partition) Within(hash uint64) uint64 { return hash << p.bits }

// hashBits are the bits of a hash that the shard does not tell.
func (p Partition) hashBits() int { return 64 - p.bits }

// Block holds the entries of some documents, shard by shard.
type Block struct {
	// An entry has the document's number within the block in its top bits. Below them
	// are the bits of the hash that the shard does not tell, and once the shard's
	// n-grams are selected, the n-gram's column instead, from 1: its number within the
	// shard, later that of Renumber; or 0 where it does not count.
	entries []uint64
	values  []float32 // parallel to entries, or nil
	starts  []uint32  // of the shards' runs, and the end of the last
	rows    []uint32  // where each document's entries would begin, were they in order
	shift   int       // leaves an entry's document

	kept, own atomic.Int64 // see Kept and Own
}

// Split makes a block of documents, at most MaxDocuments, given as the distinct hashes
// of their n-grams and, or else nil, a value for each of them, one document after the
// other. The block keeps dst, which is as long as all of them and is overwritten.
func (p Partition) Split(dst []uint64, documents [][]uint64, values []float32) *Block {
	b := &Block{entries: dst, starts: make([]uint32, p.Shards()+1), rows: make([]uint32, len(documents)+1), shift: p.hashBits()}
	kernels.PrefetchAll(dst) // all of it, before thousands of places are written to at once
	var next places
	for k, hashes := range documents {
		b.rows[k+1] = b.rows[k] + uint32(len(hashes))
		next.count(hashes, b.shift)
	}
	sum := uint32(0)
	for s := range b.starts {
		b.starts[s] = sum
		next[s], sum = sum, sum+next[s]
	}
	if values != nil {
		b.values = make([]float32, len(values))
	}
	for k, hashes := range documents {
		if values == nil {
			next.deal(dst, hashes, uint64(k), b.shift)
		} else {
			next.dealValued(b, hashes, values[b.rows[k]:b.rows[k+1]], uint64(k))
		}
	}
	return b
}

// places are, of each shard, how many entries it has, and then where its next entry goes. Shards are
// taken modulo their number, which changes nothing but that the compiler need not check them.
type places [2 << maxShardBits]uint32

func (p *places) count(hashes []uint64, shift int) {
	for _, h := range hashes {
		p[h>>(shift&63)%uint64(len(p))]++
	}
}

// deal puts a document's hashes into their shards.
func (p *places) deal(dst, hashes []uint64, document uint64, shift int) {
	document <<= shift & 63
	rest := uint64(1)<<(shift&63) - 1
	for _, h := range hashes {
		place := &p[h>>(shift&63)%uint64(len(p))]
		dst[*place] = document | h&rest
		*place++
	}
}

// dealValued is deal for hashes that have values.
func (p *places) dealValued(b *Block, hashes []uint64, values []float32, document uint64) {
	document <<= b.shift & 63
	rest := uint64(1)<<(b.shift&63) - 1
	for i, h := range hashes {
		place := &p[h>>(b.shift&63)%uint64(len(p))]
		b.entries[*place], b.values[*place] = document|h&rest, values[i]
		*place++
	}
}

// Documents is the number of documents.
func (b *Block) Documents() int { return len(b.rows) - 1 }

// Entries is the number of entries, whether they count or not.
func (b *Block) Entries() int { return len(b.entries) }

// run are the entries of a shard.
func (b *Block) run(shard int) []uint64 { return b.entries[b.starts[shard]:b.starts[shard+1]] }

// Kept is the number of entries that count, n-grams of a document that share their
// bucket as one, once all shards are selected.
func (b *Block) Kept() int { return int(b.kept.Load()) }

// Own is the number of columns, once all shards are selected, that none but one
// document of this block has.
func (b *Block) Own() int { return int(b.own.Load()) }

// hash is the hash of an n-gram, given its shard and the rest of its bits at the top.
func (p Partition) hash(shard int, key uint64) uint64 {
	return uint64(shard)<<p.hashBits() | key>>p.bits
}
