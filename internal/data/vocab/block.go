package vocab

import (
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// A hash is a key at the top of 64 bits, above zeros. partitionBits are its top bits, by which n-grams are split into
// partitions; the keyBits below them are the rest of the key.
const (
	partitionBits = kernels.OwnerBits
	partitions    = 1 << partitionBits
	keyBits       = kernels.CountKeyBits
	restBits      = 64 - partitionBits
	restMask      = 1<<restBits - 1
	zeroBits      = restBits - keyBits
)

// Together they are all that a key can have: this does not compile otherwise.
var _ = [1]int{}[hashing.MaxKeyBits-partitionBits-keyBits]

// MaxDocuments is how many documents a Block holds at most: as many as can be told apart by the bits of
// an entry that its partition makes needless.
const MaxDocuments = partitions

// Block holds the n-grams of some documents, those of a partition side by side. All of its memory is used
// again when it is filled again.
type Block struct {
	// a document above the bits of a hash that the partition does not tell; after Counter.Count, the number of the
	// n-gram above that of the document, and after Vocabulary.Find, its column there
	entries   []uint64
	values    []float32          // parallel to entries; empty for none
	ends      [partitions]uint32 // of partitions in entries
	documents int

	Memory mem.Memory // that entries are in
	Texts  [][]byte   // of the documents, if they are kept, side by side in one piece of text
}

// Fill makes it the block of some documents: their distinct n-grams, one document after the other, which
// end at ends, and values parallel to them, or nil. It keeps memory, which is as long as hashes.
func (b *Block) Fill(memory mem.Memory, hashes []uint64, values []float32, ends []int) {
	b.Memory, b.entries, b.values = memory, memory.Words, b.values[:0]
	kernels.Fetch(b.entries) // all of them, before thousands of places are written to by turns
	if values != nil {
		if cap(b.values) < len(values) {
			b.values = make([]float32, len(values))
		}
		b.values = b.values[:len(values)]
	}
	next := &b.ends
	clear(next[:])
	for _, h := range hashes {
		next[h>>restBits]++
	}
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		sum += n
	}
	b.documents = len(ends)
	from := 0
	for document, end := range ends {
		if values == nil {
			b.deal(hashes[from:end], uint64(document))
		} else {
			b.dealValued(hashes[from:end], values[from:end], uint64(document))
		}
		from = end
	}
}

// deal puts a document's hashes into their partitions.
func (b *Block) deal(hashes []uint64, document uint64) {
	next, entries := &b.ends, b.entries
	for _, h := range hashes {
		place := &next[h>>restBits]
		entries[*place] = document<<restBits | h&restMask
		*place++
	}
}

// dealValued is like deal for hashes that have values.
func (b *Block) dealValued(hashes []uint64, values []float32, document uint64) {
	for i, h := range hashes {
		place := &b.ends[h>>restBits]
		b.entries[*place], b.values[*place] = document<<restBits|h&restMask, values[i]
		*place++
	}
}

// Size implements [par.Sized]: an entry takes about 30 bytes while its row is sorted, and its name as much.
func (b *Block) Size() int64 { return 32 * int64(b.Entries()) }

// Documents returns the number of documents.
func (b *Block) Documents() int { return b.documents }

// Entries returns the number of n-grams, summed over documents.
func (b *Block) Entries() int { return len(b.entries) }

// blockRuns is where the runs of some blocks are: the entries of one partition of a block.
type blockRuns struct {
	entries [][]uint64 // of each block
	// ends has, for every partition, where its run ends in each block. What a block says of itself is in as many places
	// as there are blocks, and would be fetched anew for every partition.
	ends []uint32
}

// runsOf returns the runs of some blocks.
func runsOf(blocks []*Block) blockRuns {
	r := blockRuns{make([][]uint64, len(blocks)), make([]uint32, (partitions+1)*len(blocks))}
	for k, b := range blocks {
		r.entries[k] = b.entries
		at := len(blocks) + k
		for _, end := range b.ends {
			r.ends[at] = end
			at += len(blocks)
		}
	}
	return r
}

// bounds returns where the runs of a partition begin and end.
func (r *blockRuns) bounds(partition int) (from, end []uint32) {
	n := len(r.entries)
	return r.ends[partition*n : (partition+1)*n], r.ends[(partition+1)*n : (partition+2)*n]
}

// length returns how many entries a partition has.
func (r *blockRuns) length(partition int) (n int) {
	from, end := r.bounds(partition)
	for k := range from {
		n += int(end[k] - from[k])
	}
	return n
}

// each visits the runs of a partition. Those of the next blocks are asked for before: they are a few lines of memory
// each, far from one another.
func (r *blockRuns) each(partition int, visit func(run []uint64) error) error {
	const ahead = 4
	from, end := r.bounds(partition)
	for k := range len(r.entries) + ahead {
		if k < len(r.entries) {
			kernels.PrefetchAll(r.entries[k][from[k]:end[k]])
		}
		if k >= ahead {
			k -= ahead
			if err := visit(r.entries[k][from[k]:end[k]]); err != nil {
				return err
			}
		}
	}
	return nil
}
