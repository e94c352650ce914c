package vocab

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Counter counts in how many documents each n-gram is. It keeps eight bytes for every distinct n-gram, so its memory
// follows the vocabulary and not the text.
//
// N-grams are split into partitions by the top bits of their hashes. All blocks' n-grams of a partition are counted
// before those of the next, in a table of the worker that stays in the cache; then the partition is a list again. It
// has, for each n-gram, the bits of the key that the partition does not tell, the number that the n-gram was given, and
// a count; what a count cannot hold is carried to a map. Counts are exact.
//
// Where an n-gram's search begins in a table is drawn anew for every Counter, so that nobody can write a document
// whose n-grams all begin in one place.
type Counter struct {
	secret     uint64
	memory     int64 // for lists and a table; 0 for no bound
	partitions []partition
	tallies    []tally // of workers
	lists      mem.Arena
	spill      osfile.Spill
	held       atomic.Int64 // bytes of what is known of partitions, once counted
	// fresh is how many n-grams the last partition had not met before: partitions are much the same.
	fresh atomic.Int64
}

// partition is one of a Counter.
type partition struct {
	list    mem.Memory        // of entries
	next    uint32            // number for the next n-gram
	carries map[uint32]uint32 // by the rest of a key: what counts don't hold
	runs    []spilledRun
	counted counts         // when counting is over
	kept    *spilledCounts // in place of counted, where memory does not suffice
}

// When the count of an n-gram is full, half of it is carried; there are so many numbers in a partition that it takes
// documents of more n-grams than anybody has.
const (
	fullCount  = 1<<kernels.CountBits - 1
	halfCount  = 1 << (kernels.CountBits - 1)
	maxNumbers = 1 << kernels.NumberBits
)

// entryOf returns an n-gram of a partition: the rest of its key, and its number and count as they are in a table.
func entryOf(rest, count uint32) uint64 { return uint64(rest)<<32 | uint64(count) }

// restOf and numberOf return parts of an entry.
func restOf(e uint64) uint32   { return uint32(e >> 32) }
func numberOf(e uint64) uint32 { return uint32(e) >> kernels.CountBits }

// NewCounter returns a counter of nothing, whose lists and tables take so many bytes of memory, or 0 for no bound:
// what is too much is written to a temporary file in the folder. Close gives its memory back.
func NewCounter(memory int64, folder string) *Counter {
	return &Counter{
		secret: rand.Uint64() | 1, memory: memory, partitions: make([]partition, partitions),
		spill: osfile.Spill{Folder: folder},
	}
}

// Close gives up what the counter holds.
func (c *Counter) Close() {
	c.lists.Close()
	c.spill.Close()
	c.partitions, c.tallies = nil, nil
}

// eachPartition visits all partitions on several threads.
func eachPartition(ctx context.Context, threads int, visit func(w, p int) error) error {
	const together = partitions / 128 // so that there are not many hand-overs
	return par.Each(ctx, threads, partitions/together, func(w, i int) error {
		for p := i * together; p < (i+1)*together; p++ {
			if err := visit(w, p); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// Count counts the n-grams of some blocks, none of which was counted before, and puts their numbers in place of their
// hashes.
func (c *Counter) Count(ctx context.Context, blocks []*Block, threads int) error {
	runs := runsOf(blocks)
	for len(c.tallies) < max(threads, 1) {
		c.tallies = append(c.tallies, tally{counter: c})
	}
	return eachPartition(ctx, threads, func(w, p int) error {
		waiting, t := runs.length(p), &c.tallies[w]
		if waiting == 0 {
			return nil
		}
		if err := t.begin(&c.partitions[p], waiting); err != nil {
			return err
		}
		if err := runs.each(p, t.count); err != nil {
			return err
		}
		return t.end()
	})
}

// carry moves half of what a count can be to the map.
func (p *partition) carry(line *kernels.CountLine, lane int) {
	if p.carries == nil {
		p.carries = map[uint32]uint32{}
	}
	p.carries[line.Keys[lane]-1] += halfCount
	line.Counts[lane] -= halfCount
}

// documents returns the count of an entry.
func (p *partition) documents(e uint64) uint32 {
	n := uint32(e & fullCount)
	if n >= halfCount-1 && p.carries != nil {
		n += p.carries[restOf(e)]
	}
	return n
}
