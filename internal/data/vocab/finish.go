package vocab

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// counts is what is known of some n-grams of a partition.
type counts struct {
	rests     []uint64   // bits of hashes that the partition does not tell, ascending
	documents []uint32   // of each
	numbers   []uint32   // that they were given
	of        []uint32   // which of the n-grams has each number; nil if there are as many, in the same order
	memory    mem.Memory // that rests and numbers are in, unless they are elsewhere
}

// finisher is scratch memory for finishing partitions; each worker has its own.
type finisher struct {
	joiner  joiner
	listed  []uint64
	numbers []uint32
}

// list lists n-grams of at least so many documents in a partition's table, in the memory of the table.
func (p *partition) list(least uint32, secret uint64, scratch *finisher) counts {
	scratch.listed = grow(scratch.listed, p.used+1)
	listed := scratch.listed
	few := min(uint64(least), halfCount-1) // an entry that has carries counts so many itself, or more
	n := 0
	for _, e := range p.entries {
		// Which have enough is hard to predict, so there is no branch on it: all are written, and written over.
		listed[n] = e
		n += int(1 - (e&fullCount-few)>>63)
	}
	sorted := listed[:n]
	slices.Sort(sorted)
	if uint64(least) > few {
		sorted = slices.DeleteFunc(sorted, func(e uint64) bool { return p.documents(e) < least })
		n = len(sorted)
	}
	scratch.numbers = grow(scratch.numbers, n)
	numbers := scratch.numbers
	for i, e := range sorted {
		numbers[i] = p.numbers[p.search(e>>partitionBits, secret)]
	}
	counted := counts{rests: p.entries[:n:n], documents: make([]uint32, n), numbers: p.numbers[:n:n], memory: p.memory}
	copy(counted.numbers, numbers)
	for i, e := range sorted {
		counted.rests[i], counted.documents[i] = e>>partitionBits, p.documents(e)
	}
	return counted
}

// finish lists a partition's n-grams of at least minDF documents, those in the temporary file included, and tells how
// many n-grams there are. It gives up the table, unless there is room to keep the list there.
func (c *Counter) finish(p int, minDF uint32, scratch *finisher) (counted counts, distinct int, err error) {
	part := &c.partitions[p]
	if len(part.runs) == 0 {
		counted, distinct = part.list(minDF, c.secret, scratch), part.used
		if c.memory > 0 {
			counted.rests, counted.numbers = slices.Clone(counted.rests), slices.Clone(counted.numbers)
			counted.memory = mem.Memory{}
		}
	} else {
		counted, distinct, err = c.join(part, minDF, scratch)
	}
	if counted.memory.Words == nil {
		c.tables.Give(part.memory)
	}
	*part = partition{next: part.next}
	return counted, distinct, err
}

// keep holds what is known of a partition until its n-grams get their columns: in memory, or else in the temporary
// file.
func (c *Counter) keep(p int, counted counts) error {
	part := &c.partitions[p]
	bytes := 12*int64(len(counted.rests)) + 4*int64(len(counted.numbers)) + 4*int64(len(counted.of))
	if c.memory == 0 || c.held.Add(bytes) <= c.memory/4 {
		part.counted = counted
		return nil
	}
	spilled, err := c.write(counted)
	part.kept = &spilled
	return err
}

// kept returns what keep was given, once.
func (c *Counter) kept(p int) (counts, error) {
	part := c.partitions[p]
	c.partitions[p] = partition{}
	if part.kept == nil {
		return part.counted, nil
	}
	return c.read(*part.kept)
}
