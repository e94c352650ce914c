package hashing

import (
	"math/bits"
	"sync/atomic"
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
	shift := b.shift & 63
	next := make([]uint32, p.Shards()+1)
	for k, hashes := range documents {
		b.rows[k+1] = b.rows[k] + uint32(len(hashes))
		for _, h := range hashes {
			next[h>>shift]++
		}
	}
	sum := uint32(0)
	for s, n := range next {
		b.starts[s], next[s] = sum, sum
		sum += n
	}
	if values != nil {
		b.values = make([]float32, len(values))
	}
	for k, hashes := range documents {
		document := uint64(k) << shift
		for i, h := range hashes {
			place := &next[h>>shift]
			dst[*place] = document | h<<p.bits>>p.bits
			if values != nil {
				b.values[*place] = values[int(b.rows[k])+i]
			}
			*place++
		}
	}
	return b
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
