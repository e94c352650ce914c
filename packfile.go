package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
)

// partFile is where a part is that does not fit into memory: its n-grams shard by shard,
// and then its blocks, all as they lie in memory.
type partFile struct {
	file   *os.File
	valued bool
	shards []shardPlace
	blocks []blockPlace
}

type shardPlace struct {
	at    int64
	terms int
}

type blockPlace struct {
	at                 int64
	documents, entries int
}

// savePart makes blocks a part, puts it into a file, and gives its memory back.
func savePart(ctx context.Context, path string, memory *slabs, blocks []packBlock, valued bool, workers []packWorker) (*packPart, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	f := &partFile{file: file, valued: valued}
	at := int64(0)
	p, err := newPackPart(ctx, memory, blocks, 1, workers, func(t *hashing.Terms) error {
		f.shards = append(f.shards, shardPlace{at, len(t.Hashes)})
		err := errors.Join(put(f, &at, t.Hashes), put(f, &at, t.Documents), put(f, &at, t.Places))
		*t = hashing.Terms{}
		return err
	})
	p.file = f
	if err != nil {
		return p, err
	}
	for _, b := range blocks {
		f.blocks = append(f.blocks, blockPlace{at, b.Documents(), b.Entries()})
		at += f.size(len(f.blocks) - 1)
	}
	err = ordered.Each(ctx, len(workers), len(blocks), func(w, i int) error {
		s, at := &workers[w].saved, f.blocks[i].at
		blocks[i].Save(s)
		err := errors.Join(put(f, &at, s.Starts), put(f, &at, s.Rows), put(f, &at, s.Entries), put(f, &at, s.Values))
		memory.give(blocks[i].slab)
		return err
	})
	p.blocks, p.plain = nil, nil
	return p, err
}

// size is that of a block, in bytes.
func (f *partFile) size(block int) int64 {
	b := f.blocks[block]
	n := packPartition.Shards() + 1 + b.documents + 1 + b.entries
	if f.valued {
		n += b.entries
	}
	return 4 * int64(n)
}

func (f *partFile) terms(shard int) (hashing.Terms, error) {
	s := f.shards[shard]
	t := hashing.Terms{Hashes: make([]uint64, s.terms), Documents: make([]uint32, s.terms), Places: make([]uint32, 1+s.terms)}
	at := s.at
	return t, errors.Join(get(f, &at, t.Hashes), get(f, &at, t.Documents), get(f, &at, t.Places))
}

// load brings a part back into memory.
func (p *packPart) load(ctx context.Context, workers []packWorker) error {
	f := p.file
	p.blocks, p.plain = make([]packBlock, len(f.blocks)), make([]*hashing.Block, len(f.blocks))
	return ordered.Each(ctx, len(workers), len(f.blocks), func(w, i int) error {
		s, place := &workers[w].saved, f.blocks[i]
		s.Starts, s.Rows = make([]uint32, packPartition.Shards()+1), make([]uint32, place.documents+1)
		s.Entries, s.Values = slices.Grow(s.Entries[:0], place.entries)[:place.entries], nil
		if f.valued {
			s.Values = make([]float32, place.entries)
		}
		at := place.at
		if err := errors.Join(get(f, &at, s.Starts), get(f, &at, s.Rows), get(f, &at, s.Entries), get(f, &at, s.Values)); err != nil {
			return err
		}
		entries, slab := p.memory.take(place.entries)
		p.plain[i] = packPartition.Restore(entries, s)
		p.blocks[i] = packBlock{p.plain[i], slab}
		return ctx.Err()
	})
}

// close removes the file, if there is one.
func (p *packPart) close() {
	if p.file != nil {
		p.file.file.Close()
		os.Remove(p.file.file.Name())
	}
}

// inMemory is a slice as it lies in memory.
func inMemory[T uint32 | uint64 | float32](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

func put[T uint32 | uint64 | float32](f *partFile, at *int64, s []T) error {
	n, err := f.file.WriteAt(inMemory(s), *at)
	*at += int64(n)
	return err
}

func get[T uint32 | uint64 | float32](f *partFile, at *int64, s []T) error {
	n, err := f.file.ReadAt(inMemory(s), *at)
	*at += int64(n)
	if err != nil {
		return fmt.Errorf("nbsvm: what did not fit into memory: %w", err)
	}
	return nil
}
