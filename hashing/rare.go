package hashing

import (
	"math"
	"math/bits"
	"slices"

	"github.com/bits-and-blooms/bloom/v3"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// Shards is the number of parts into which Frequencies splits the n-grams by
// their hash. It is fixed, so that the filters' few mistakes are the same
// whatever the number of threads that fill them.
const Shards = 32

// falsePositives is about the share of n-grams of one document that pass for
// n-grams of two when the filters are full, because a bloom filter is not exact.
// Over all it is about a seventh of that, for most n-grams come before.
const falsePositives = 1e-3

// Frequencies counts in how many documents each n-gram occurs. A bloom filter
// keeps the n-grams seen once, which are most of them; from its second document
// on an n-gram has an entry in a hash table, with its exact count. A false
// positive of the filter makes the count of an n-gram too high by one.
//
// Different shards may be filled concurrently; within a shard, documents must
// come in order.
type Frequencies struct {
	shards [Shards]shard
}

// NewFrequencies makes room for about so many distinct n-grams; with more, the
// filters make more mistakes.
func NewFrequencies(distinct uint64) *Frequencies {
	f := &Frequencies{}
	perShard := uint(distinct/Shards + distinct/(8*Shards) + 64)
	for i := range f.shards {
		f.shards[i].once = newFilter(perShard)
		f.shards[i].table.init(1 << 8)
	}
	return f
}

// Shard is the shard of an n-gram.
func Shard(hash uint64) int { return int(hash % Shards) }

// Tag is a second, short hash of an n-gram, by which those of a bucket are told
// apart: 1 to 65535.
func Tag(hash uint64) uint16 { return max(uint16(hash), 1) }

// Add counts one document's n-gram, to be called once per document and n-gram.
func (f *Frequencies) Add(hash uint64) { f.shards[Shard(hash)].add(hash) }

// ahead is how many entries of a table are asked for before the first is used, so
// that their cache misses overlap.
const ahead = 32

// AddAll counts one document's distinct n-grams, or those of some shards.
func (f *Frequencies) AddAll(hashes []uint64) {
	for len(hashes) > 0 {
		n := min(ahead, len(hashes))
		for _, h := range hashes[:n] {
			s := &f.shards[Shard(h)]
			kernels.Prefetch(s.table.at(h))
			kernels.Prefetch(s.once.block(h))
		}
		for _, h := range hashes[:n] {
			f.Add(h)
		}
		hashes = hashes[n:]
	}
}

// Documents is the number of documents that hold the n-gram; 1 also for an
// n-gram that was never counted.
func (f *Frequencies) Documents(hash uint64) uint32 {
	if e := f.shards[Shard(hash)].table.find(hash); e != nil {
		return e.documents
	}
	return 1
}

// Repeated is the number of n-grams that occur in at least two documents.
func (f *Frequencies) Repeated() int {
	n := 0
	for i := range f.shards {
		n += f.shards[i].table.used
	}
	return n
}

type shard struct {
	once  filter
	table table
}

func (s *shard) add(hash uint64) {
	if e := s.table.find(hash); e != nil {
		if e.documents < math.MaxUint32 {
			e.documents++
		}
		return
	}
	if s.once.testOrAdd(hash) {
		s.table.insert(hash).documents = 2
	}
}

// filter is a bloom filter in blocks (Putze, Sanders and Singler 2007): all the
// bits of an n-gram are in one cache line, one in each of its words, so that an
// n-gram costs one access to memory and not one for every bit.
type filter []block

type block [8]uint64

// newFilter returns a filter for n n-grams, of the size of a plain bloom filter.
// Blocks double its mistakes, which is what the spare eighth in
// NewFrequencies makes good.
func newFilter(n uint) filter {
	size, _ := bloom.EstimateParameters(n, falsePositives)
	const blockBits = 8 * 64
	return make(filter, (size+blockBits-1)/blockBits)
}

// testOrAdd says whether the filter holds the hash, and adds it.
func (f filter) testOrAdd(hash uint64) bool {
	b, want := f.find(hash)
	var missing uint64
	for i := range b {
		missing |= want[i] &^ b[i]
	}
	if missing == 0 {
		return true
	}
	for i := range b {
		b[i] |= want[i]
	}
	return false
}

// find returns the block of a hash and its bits there. The hash is a good one:
// eight times six of its bits, above those that choose the shard, choose the
// bits; the top of a product, in which all of them have a part, the block.
func (f filter) find(hash uint64) (b *block, want block) {
	h := hash / Shards
	return f.block(hash), block{
		1 << (h & 63), 1 << (h >> 6 & 63), 1 << (h >> 12 & 63), 1 << (h >> 18 & 63),
		1 << (h >> 24 & 63), 1 << (h >> 30 & 63), 1 << (h >> 36 & 63), 1 << (h >> 42 & 63),
	}
}

func (f filter) block(hash uint64) *block {
	i, _ := bits.Mul64(hash*golden, uint64(len(f)))
	return &f[i]
}

// table is an open-addressing hash table from n-gram hashes; the hash is its
// own hash, and 0 marks a free entry.
type table struct {
	entries []entry
	used    int
}

type entry struct {
	hash      uint64
	documents uint32
	column    uint32 // where the n-gram is selected, see Selection
}

func (t *table) init(size int) { t.entries = make([]entry, size) }

// home skips the bits that choose the shard.
func (t *table) home(hash uint64) int { return int(hash/Shards) & (len(t.entries) - 1) }

// at is the entry where the search for a hash begins.
func (t *table) at(hash uint64) *entry { return &t.entries[t.home(max(hash, 1))] }

func (t *table) find(hash uint64) *entry {
	hash = max(hash, 1)
	for i := t.home(hash); ; i = (i + 1) & (len(t.entries) - 1) {
		switch e := &t.entries[i]; e.hash {
		case hash:
			return e
		case 0:
			return nil
		}
	}
}

// insert adds a hash that is not there yet.
func (t *table) insert(hash uint64) *entry {
	if 2*t.used >= len(t.entries) {
		old := t.entries
		t.init(2 * len(old))
		for _, e := range old {
			if e.hash != 0 {
				*t.free(e.hash) = e
			}
		}
	}
	t.used++
	e := t.free(max(hash, 1))
	e.hash = max(hash, 1)
	return e
}

func (t *table) free(hash uint64) *entry {
	i := t.home(hash)
	for t.entries[i].hash != 0 {
		i = (i + 1) & (len(t.entries) - 1)
	}
	return &t.entries[i]
}

// sampleBits is the size of the sample by which distinct n-grams are estimated:
// one hash in 2^sampleBits.
const sampleBits = 8

// AppendSample appends those hashes that belong to the sample of
// EstimateDistinct.
func AppendSample(dst, hashes []uint64) []uint64 {
	for _, h := range hashes {
		// Bits that choose neither shard nor bucket.
		if h>>16&(1<<sampleBits-1) == 0 {
			dst = append(dst, h)
		}
	}
	return dst
}

// EstimateDistinct estimates the number of distinct hashes from their sample,
// which it sorts. The relative error is about 2^(sampleBits/2)/sqrt(distinct):
// 0.7 % at 5 million.
func EstimateDistinct(sample []uint64) uint64 {
	slices.Sort(sample)
	distinct := uint64(0)
	for i, h := range sample {
		if i == 0 || h != sample[i-1] {
			distinct++
		}
	}
	return distinct << sampleBits
}
