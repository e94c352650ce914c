package dataset

import (
	"context"

	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// spool keeps blocks that have been counted until their rows are made, in less than half of their size: in
// memory or in a temporary file.
type spool struct {
	file    *osfile.Spill // nil for memory
	memory  *mem.Arena
	blocks  []spooled
	buffers [][]byte // one for each thread that may work on it
}

// spooled is a block of a spool.
type spooled struct {
	memory mem.Memory
	at     int64 // in the file
	bytes  int
	words  int // that it takes when it is loaded
}

// add stores blocks, and gives their memory back.
func (s *spool) add(ctx context.Context, blocks []*vocab.Block) error {
	first := len(s.blocks)
	s.blocks = append(s.blocks, make([]spooled, len(blocks))...)
	return par.Each(ctx, len(s.buffers), len(blocks), func(w, i int) (err error) {
		b, to := blocks[i], &s.blocks[first+i]
		stored := b.Store(s.buffers[w][:0])
		s.buffers[w] = emptied(stored)
		to.bytes, to.words = len(stored), len(b.Memory.Words)
		give(b, s.memory)
		if s.file != nil {
			to.at, err = s.file.Write(stored)
			return err
		}
		to.memory = s.memory.Take((len(stored) + 7) / 8)
		copy(mem.Overlay(to.memory.Words), stored)
		return nil
	})
}

// take loads the next blocks, of at least so many words together unless they are the last.
func (s *spool) take(ctx context.Context, words int64) ([]*vocab.Block, error) {
	n := 0
	for n < len(s.blocks) && (n == 0 || words > 0) {
		words -= int64(s.blocks[n].words)
		n++
	}
	some := s.blocks[:n]
	s.blocks = s.blocks[n:]
	blocks := make([]*vocab.Block, n)
	return blocks, par.Each(ctx, len(s.buffers), n, func(w, i int) error {
		from := &some[i]
		stored := mem.Overlay(from.memory.Words)
		if s.file != nil {
			if cap(s.buffers[w]) < from.bytes {
				s.buffers[w] = make([]byte, from.bytes)
			}
			stored = s.buffers[w][:from.bytes]
			defer func() { s.buffers[w] = emptied(stored) }()
			if err := s.file.Read(stored, from.at); err != nil {
				return err
			}
		}
		b := spareBlocks.Get().(*vocab.Block)
		b.Load(stored[:from.bytes], s.memory.Take)
		s.memory.Give(from.memory)
		blocks[i] = b
		return nil
	})
}

// close removes the file, if there is one.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
