package vocab

import (
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// partitionBits are the top bits of a hash, by which n-grams are split into partitions.
const (
	partitionBits = 11
	partitions    = 1 << partitionBits
	restBits      = 64 - partitionBits
	restMask      = 1<<restBits - 1
)

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

// bounds returns where the entries of a partition are.
func (b *Block) bounds(partition int) (from, end int) {
	if partition > 0 {
		from = int(b.ends[partition-1])
	}
	return from, int(b.ends[partition])
}

// run returns the entries of a partition.
func (b *Block) run(partition int) []uint64 {
	from, end := b.bounds(partition)
	return b.entries[from:end]
}

// runLengths returns how many entries of each partition blocks have.
func runLengths(blocks []*Block) *[partitions]int {
	n := new([partitions]int)
	for _, b := range blocks {
		from := uint32(0)
		for p, end := range b.ends {
			n[p] += int(end - from)
			from = end
		}
	}
	return n
}

// eachRun visits the entries of a partition, block by block. Those of the next blocks are asked for before: they are
// a few lines of memory each, far from one another.
func eachRun(blocks []*Block, partition int, visit func(run []uint64) error) error {
	const ahead = 4
	for k := range min(ahead, len(blocks)) {
		kernels.PrefetchAll(blocks[k].run(partition))
	}
	for k, b := range blocks {
		if k+ahead < len(blocks) {
			kernels.PrefetchAll(blocks[k+ahead].run(partition))
		}
		if err := visit(b.run(partition)); err != nil {
			return err
		}
	}
	return nil
}
