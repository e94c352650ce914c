package dataset

import (
	"sync"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/data/ngrams"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// block is the n-grams of some documents, side by side in one piece of text.
type block struct {
	ngrams.Block
	memory mem.Memory
	texts  [][]byte
	found  int   // entries of its rows
	at     int64 // the first of these, of all rows in memory
}

// Size implements [ordered.Sized]: an entry takes about 30 bytes while its row is sorted, and its name as much.
func (b *block) Size() int64 { return 32 * int64(b.Entries()) }

// A block ends with the document by which it comes to so many entries: they should stay in the second level
// of cache while they are sorted.
const blockFull = 1 << 16

// blockMaker makes blocks of texts; each worker has its own, and uses its memory again.
type blockMaker struct {
	*featurizer
	sample int // Options.Sample
	memory *mem.Arena
	under  document // of the block under way
	ends   []int
	texts  [][]byte // of its documents, if n-grams keep their names
	kind   packed.Values

	known     *atomic.Pointer[ngrams.Frequent] // to be used for the next block
	frequent  *ngrams.Frequent                 // of the block under way; nil for none
	places    []uint16                         // of its frequent n-grams
	placeEnds []int
	counts    []uint32 // of frequent n-grams by place
}

var spareBlocks = sync.Pool{New: func() any { return new(block) }}

// add takes in the next text. The error is about ready-made features.
func (m *blockMaker) add(text []byte) error {
	n := len(m.under.hashes)
	if err := m.append(&m.under, text); err != nil {
		m.under.hashes = m.under.hashes[:n]
		m.under.values = m.under.values[:min(n, len(m.under.values))]
		return err
	}
	if len(m.ends) == 0 {
		m.frequent = m.known.Load()
	}
	if m.frequent != nil {
		var others []uint64
		others, m.places = m.frequent.Split(m.under.hashes[n:], m.places)
		m.under.hashes = m.under.hashes[:n+len(others)]
		m.placeEnds = append(m.placeEnds, len(m.places))
	}
	m.ends = append(m.ends, len(m.under.hashes))
	if m.names {
		m.texts = append(m.texts, text)
	}
	return nil
}

// full reports whether the block under way should end.
func (m *blockMaker) full() bool {
	return len(m.under.hashes) >= blockFull || len(m.ends) == ngrams.MaxDocuments
}

// flush appends the block under way to blocks, unless it has no documents.
func (m *blockMaker) flush(blocks []*block) []*block {
	if len(m.ends) == 0 {
		return blocks
	}
	m.kind = max(m.kind, m.valueKind(&m.under))
	b := spareBlocks.Get().(*block)
	n := len(m.under.hashes)
	b.memory = m.memory.Take(n + ngrams.FrequentWords(len(m.places)))
	values := m.under.values
	if len(values) == 0 {
		values = nil
	}
	b.Fill(b.memory.Words[:n:n], m.under.hashes, values, m.ends)
	if m.frequent != nil {
		b.FillFrequent(m.frequent, b.memory.Words[n:], m.places, m.placeEnds)
		for _, place := range m.places {
			m.counts[place]++
		}
	}
	m.under.hashes, m.under.values, m.ends = emptied(m.under.hashes), emptied(m.under.values), m.ends[:0]
	m.places, m.placeEnds = emptied(m.places), m.placeEnds[:0]
	b.texts, m.texts = m.texts, nil
	return append(blocks, b)
}

// emptied returns the memory of s for another block, unless a long document made it large.
func emptied[T any](s []T) []T {
	if cap(s) > 8*blockFull {
		return nil
	}
	return s[:0]
}

// make makes blocks of all texts of a piece.
func (m *blockMaker) make(texts [][]byte) (blocks []*block, err error) {
	for _, text := range texts {
		if err := m.add(text); err != nil {
			return blocks, err
		}
		if m.full() {
			blocks = m.flush(blocks)
		}
	}
	return m.flush(blocks), nil
}

// give takes the memory of a block back.
func (b *block) give(memory *mem.Arena) {
	memory.Give(b.memory)
	b.memory, b.texts = mem.Memory{}, nil
	spareBlocks.Put(b)
}

// ngramBlocks returns blocks as package ngrams has them.
func ngramBlocks(blocks []*block) []*ngrams.Block {
	all := make([]*ngrams.Block, len(blocks))
	for i, b := range blocks {
		all[i] = &b.Block
	}
	return all
}
