package dataset

import (
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

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
	kind   vocab.Values
}

var spareBlocks = sync.Pool{New: func() any { return new(vocab.Block) }}

// add takes in the next text. The error is about ready-made features.
func (m *blockMaker) add(text []byte) error {
	n := len(m.under.hashes)
	if err := m.append(&m.under, text); err != nil {
		m.under.hashes = m.under.hashes[:n]
		m.under.values = m.under.values[:min(n, len(m.under.values))]
		return err
	}
	m.ends = append(m.ends, len(m.under.hashes))
	if m.names {
		m.texts = append(m.texts, text)
	}
	return nil
}

// full reports whether the block under way should end.
func (m *blockMaker) full() bool {
	return len(m.under.hashes) >= blockFull || len(m.ends) == vocab.MaxDocuments
}

// flush appends the block under way to blocks, unless it has no documents.
func (m *blockMaker) flush(blocks []*vocab.Block) []*vocab.Block {
	if len(m.ends) == 0 {
		return blocks
	}
	m.kind = max(m.kind, m.valueKind(&m.under))
	b := spareBlocks.Get().(*vocab.Block)
	n := len(m.under.hashes)
	values := m.under.values
	if len(values) == 0 {
		values = nil
	}
	b.Fill(m.memory.Take(n), m.under.hashes, values, m.ends)
	m.under.hashes, m.under.values, m.ends = emptied(m.under.hashes), emptied(m.under.values), m.ends[:0]
	b.Texts, m.texts = m.texts, nil
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
func (m *blockMaker) make(texts [][]byte) (blocks []*vocab.Block, err error) {
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
func give(b *vocab.Block, memory *mem.Arena) {
	memory.Give(b.Memory)
	b.Memory, b.Texts = mem.Memory{}, nil
	spareBlocks.Put(b)
}
