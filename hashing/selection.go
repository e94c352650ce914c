package hashing

import "math"

// Selection is which n-grams of a training set count, those of minDF to maxDF
// documents, and their columns, which number the buckets in use in ascending order.
// Once finished, it may be read concurrently.
type Selection struct {
	bits         int
	minDF, maxDF uint32
	partition    Partition
	shards       []shard
	bases        []uint32 // number of columns in the shards before
}

// NewSelection is for blocks of one partition, and buckets of so many bits.
func NewSelection(p Partition, bits int, minDF, maxDF uint32) *Selection {
	return &Selection{bits: bits, minDF: minDF, maxDF: maxDF, partition: p, shards: make([]shard, p.Shards())}
}

// Shards is the number of shards.
func (s *Selection) Shards() int { return len(s.shards) }

// Select counts a shard in the blocks of all documents, to be called once for each
// shard, possibly at the same time as for others. The outcome does not depend on the
// order.
func (s *Selection) Select(c *Counter, blocks []*Block, id int) {
	c.countAll(blocks, id, s.partition)
	r := c.choose(id, s)
	documents := uint32(0)
	for _, b := range blocks {
		c.replace(b, id, &r, documents, s.partition)
		documents += uint32(b.Documents())
	}
	c.own(&r, blocks)
	s.shards[id] = r
}

// Columns are what is known of a selection's columns, one of each for every column.
type Columns struct {
	Buckets   []uint32 // ascending
	Documents []uint32 // that hold n-grams of it that count
	Tags      []uint16 // of its n-grams, 0 where they differ
}

// Finish numbers the columns, once all shards are selected.
func (s *Selection) Finish() *Columns {
	s.bases = make([]uint32, len(s.shards)+1)
	for i := range s.shards {
		s.bases[i+1] = s.bases[i] + uint32(len(s.shards[i].columns.Buckets))
	}
	n := s.bases[len(s.shards)]
	all := &Columns{make([]uint32, 0, n), make([]uint32, 0, n), make([]uint16, 0, n)}
	for i := range s.shards {
		c := &s.shards[i].columns
		all.Buckets = append(all.Buckets, c.Buckets...)
		all.Documents = append(all.Documents, c.Documents...)
		all.Tags = append(all.Tags, c.Tags...)
		*c = Columns{}
	}
	return all
}

// Renumber makes column j number[j] in the blocks' entries of a shard, to be called once
// for each when the selection is finished, possibly at the same time as for others.
func (s *Selection) Renumber(c *Counter, blocks []*Block, id int, number []uint32) {
	c.renumber(number[s.bases[id]:s.bases[id+1]])
	for _, b := range blocks {
		put(b.run(id), c.columns, s.partition)
	}
}

// Distinct is the number of distinct n-grams.
func (s *Selection) Distinct() uint64 { return s.sum(func(r *shard) int { return r.distinct }) }

// Ngrams is the number of n-grams that count.
func (s *Selection) Ngrams() uint64 { return s.sum(func(r *shard) int { return r.selected }) }

// Shared is the number of columns that several n-grams share.
func (s *Selection) Shared() uint64 { return s.sum(func(r *shard) int { return r.shared }) }

func (s *Selection) sum(of func(*shard) int) (n uint64) {
	for i := range s.shards {
		n += uint64(of(&s.shards[i]))
	}
	return n
}

// Holds says whether an n-gram of the training set counts; it may err, rarely, and
// then says that it does.
func (s *Selection) Holds(hash uint64) bool {
	return s.all() || s.shards[hash>>s.partition.hashBits()].members.holds(hash)
}

// all says whether every n-gram counts.
func (s *Selection) all() bool { return s.minDF <= 1 && s.maxDF == math.MaxUint32 }

// Tag is a second, short hash of an n-gram, by which those of a bucket are told
// apart: 1 to 65535.
func Tag(hash uint64) uint16 { return max(uint16(hash), 1) }
