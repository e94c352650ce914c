package vocab

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Counter counts in how many documents each n-gram is. It keeps eight bytes for every distinct n-gram, and
// room to spare, so its memory follows the vocabulary and not the text.
//
// N-grams are split into partitions by the top bits of their hashes. All blocks' n-grams of a partition
// are counted before those of the next, so that the partition's table stays in the cache. An entry has
// the bits of the key that the partition does not tell at its top, below them the number that the n-gram was given, and
// then a count; what a count cannot hold is carried to a map. Counts are exact.
//
// Where an n-gram's search begins in its table is drawn anew for every Counter, so that nobody can write
// a document whose n-grams all begin in one place.
type Counter struct {
	secret     uint64
	memory     int64 // for tables; 0 for no bound
	partitions []partition
	tables     mem.Arena
	spill      osfile.Spill
	held       atomic.Int64 // bytes of what is known of partitions, once counted
	// distinct is how many n-grams the last partition had for 1024 that waited, or 0: partitions are much the same.
	distinct atomic.Int64
}

// partition is one of a Counter.
type partition struct {
	table   mem.Memory        // of entries, 0 for none
	used    int               // entries
	next    uint32            // number for the next n-gram
	carries map[uint32]uint32 // by the rest of a key: what entries don't hold
	runs    []spilledRun
	counted counts         // when counting is over
	kept    *spilledCounts // in place of counted, where memory does not suffice
}

// What an entry counts itself. When that is full, half of it is carried.
const (
	countBits = 11
	fullCount = 1<<countBits - 1
	halfCount = 1 << (countBits - 1)
)

// maxNumbers is how many numbers there are in a partition. It takes documents of more n-grams than anybody has.
const (
	numberBits = 64 - keyBits - countBits
	maxNumbers = 1 << numberBits
)

// restOf, numberOf and countOf return the parts of an entry.
func restOf(e uint64) uint32   { return uint32(e >> (64 - keyBits)) }
func numberOf(e uint64) uint32 { return uint32(e>>countBits) & (maxNumbers - 1) }

// NewCounter returns a counter of nothing, whose tables take so many bytes of memory, or 0 for no bound:
// what is too much is sorted and written to a temporary file in the folder. Close gives its memory back.
func NewCounter(memory int64, folder string) *Counter {
	return &Counter{
		secret: rand.Uint64() | 1, memory: memory, partitions: make([]partition, partitions),
		spill: osfile.Spill{Folder: folder},
	}
}

// Close gives up what the counter holds.
func (c *Counter) Close() {
	c.tables.Close()
	c.spill.Close()
	c.partitions = nil
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
	runs, ahead := runsOf(blocks), make([]places, max(threads, 1))
	return eachPartition(ctx, threads, func(w, p int) error {
		all := runs.length(p)
		waiting, part := all, &c.partitions[p]
		if waiting > len(part.entries())/cacheLine {
			kernels.Fetch(part.entries())
		}
		err := runs.each(p, func(run []uint64) error {
			for len(run) > 0 {
				some := run[:min(len(run), addAtOnce)]
				run = run[len(some):]
				if err := c.count(&ahead[w], p, some, waiting); err != nil {
					return err
				}
				waiting -= len(some)
			}
			return nil
		})
		if all > 0 {
			c.distinct.Store(1024 * int64(part.used) / int64(all))
		}
		return err
	})
}

// count counts at most addAtOnce entries of a partition. waiting is how many there are altogether.
func (c *Counter) count(ahead *places, p int, entries []uint64, waiting int) error {
	part := &c.partitions[p]
	for len(entries) > 0 {
		room := part.room()
		if room == 0 {
			if err := c.makeRoom(p, waiting); err != nil {
				return err
			}
			continue
		}
		n := min(len(entries), room)
		if len(part.entries()) >= prefetchFrom {
			ahead.ask(part.entries(), entries[:n], c.secret)
		}
		part.add(entries[:n], c.secret)
		entries = entries[n:]
	}
	return nil
}

// entries returns the table.
func (p *partition) entries() []uint64 { return p.table.Words }

// room returns how many more n-grams the table takes: longer searches cost more than memory.
func (p *partition) room() int { return len(p.entries())*5/8 - p.used }

// cacheLine is how many entries a line of the cache has.
const cacheLine = 8

// addAtOnce is how many n-grams are asked for together: what is asked for should stay in the first cache
// until it is looked at.
const addAtOnce = 256

// prefetchFrom is the size of a table, in entries, from which its entries are asked for before they are
// looked at: smaller ones are in the cache after the first few.
const prefetchFrom = 1 << 15

// places is scratch memory for asking for entries of a table; each worker has its own.
type places [addAtOnce]uint32

// ask asks for the places where the searches for n-grams begin.
func (p *places) ask(table, entries []uint64, secret uint64) {
	for i, e := range entries {
		place, _ := bits.Mul64((e&restMask)*secret, uint64(len(table)))
		p[i] = uint32(place)
	}
	kernels.PrefetchEntries(table, p[:len(entries)], 0)
}

// add counts entries of blocks for which there is room, and puts numbers in place of hashes.
func (p *partition) add(entries []uint64, secret uint64) {
	table, used, next := p.entries(), p.used, p.next
	for i, entry := range entries {
		place, _ := bits.Mul64((entry&restMask)*secret, uint64(len(table)))
		x := entry << partitionBits
		for {
			// Whether an n-gram is new is hard to predict, so there is no branch on it.
			e := table[place]
			isNew := (e - 1) >> 63 &^ (e >> 63) // e is 0
			if other := (e ^ x) >> (64 - keyBits); other&(isNew-1) == 0 {
				e += (x|uint64(next)<<countBits)&-isNew + 1
				table[place] = e
				entries[i] = uint64(numberOf(e))<<32 | entry>>restBits
				used += int(isNew)
				next += uint32(isNew)
				if e&fullCount == fullCount {
					p.carry(&table[place])
				}
				break
			}
			if place++; place == uint64(len(table)) {
				place = 0
			}
		}
	}
	p.used, p.next = used, next
}

// carry moves half of what an entry can count to the map.
func (p *partition) carry(e *uint64) {
	if p.carries == nil {
		p.carries = map[uint32]uint32{}
	}
	p.carries[restOf(*e)] += halfCount
	*e -= halfCount
}

// documents returns the count of an entry.
func (p *partition) documents(e uint64) uint32 {
	n := uint32(e & fullCount)
	if n >= halfCount-1 && p.carries != nil {
		n += p.carries[restOf(e)]
	}
	return n
}

// mostAtOnce is how large a table, in entries, is made for what waits to be counted.
const mostAtOnce = 1 << 13

// makeRoom makes a partition's table larger, or empty where memory does not suffice, when so many n-grams
// wait to be counted.
func (c *Counter) makeRoom(p, waiting int) error {
	const least = 32
	part := &c.partitions[p]
	old := part.entries()
	// Tables grow fast as long as they are small, and are not much too large when they are large. Of n-grams that
	// are not frequent, nearly half are new.
	size := max(least, 2*len(old), min(waiting*3/4, mostAtOnce))
	if len(old) >= prefetchFrom {
		size = len(old) * 3 / 2
	}
	const spare = 1024 * 5 * 9 / (8 * 10) // what a table has room for, and a tenth
	if n := int(int64(waiting) * c.distinct.Load() / spare); n <= mostAtOnce && n > len(old)*5/4 {
		size = max(least, n)
	}
	if int(part.next)+size*5/8 > maxNumbers {
		return fmt.Errorf("ngrams: more than %d n-grams whose hashes begin alike: pack parts, and merge them", maxNumbers)
	}
	if c.memory > 0 && part.used > 0 && c.tables.Bytes()+int64(8*size) > c.memory {
		return c.spillPartition(p)
	}
	grown := c.tables.TakeZeros(size)
	for _, e := range old {
		if e != 0 {
			grown.Words[searchTable(grown.Words, e, c.secret)] = e
		}
	}
	c.tables.Give(part.table)
	part.table = grown
	return nil
}

// searchTable returns the place of the n-gram of an entry in a table that does not have it.
func searchTable(table []uint64, e, secret uint64) uint64 {
	place, _ := bits.Mul64(e>>(64-keyBits)<<zeroBits*secret, uint64(len(table)))
	for table[place] != 0 {
		if place++; place == uint64(len(table)) {
			place = 0
		}
	}
	return place
}
