package vocab

import (
	"slices"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// counts is what is known of some n-grams of a partition.
type counts struct {
	rests     []uint32   // bits of keys that the partition does not tell, ascending
	documents []uint32   // of each
	numbers   []uint32   // that they were given
	of        []uint32   // which of the n-grams has each number; nil if there are as many, in the same order
	memory    mem.Memory // that they are in, unless they are elsewhere
}

// finisher is scratch memory for finishing partitions; each worker has its own.
type finisher struct {
	joiner joiner
	listed []uint64
}

// listed returns the n-grams of at least so many documents in a partition's list.
func (c *Counter) listed(p *partition, least uint32, scratch *finisher) counts {
	scratch.listed = grow(scratch.listed, len(p.list.Words)+1)
	listed := scratch.listed
	few := min(uint64(least), halfCount-1) // an entry that has carries counts so many itself, or more
	n := 0
	for _, e := range p.list.Words {
		// Which have enough is hard to predict, so there is no branch on it: all are written, and written over.
		listed[n] = e
		n += int(1 - (e&fullCount-few)>>63)
	}
	sorted := listed[:n]
	slices.Sort(sorted) // by the rest of the key
	if uint64(least) > few {
		sorted = slices.DeleteFunc(sorted, func(e uint64) bool { return p.documents(e) < least })
		n = len(sorted)
	}
	memory := c.lists.Take((3*n + 1) / 2)
	of := halves(memory.Words)
	counted := counts{rests: of[:n:n], documents: of[n : 2*n : 2*n], numbers: of[2*n : 3*n : 3*n], memory: memory}
	for i, e := range sorted {
		counted.rests[i], counted.documents[i], counted.numbers[i] = restOf(e), p.documents(e), numberOf(e)
	}
	return counted
}

// halves returns the same memory as twice as many numbers.
func halves(words []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
}

// finish lists a partition's n-grams of at least minDF documents, those in the temporary file included, and tells how
// many n-grams there are.
func (c *Counter) finish(p int, minDF uint32, scratch *finisher) (counted counts, distinct int, err error) {
	part := &c.partitions[p]
	if len(part.runs) == 0 {
		counted, distinct = c.listed(part, minDF, scratch), len(part.list.Words)
	} else {
		counted, distinct, err = c.join(part, minDF, scratch)
	}
	c.lists.Give(part.list)
	*part = partition{next: part.next}
	return counted, distinct, err
}

// keep holds what is known of a partition until its n-grams get their columns: in memory, or else in the temporary
// file.
func (c *Counter) keep(p int, counted counts) error {
	part := &c.partitions[p]
	bytes := 4 * int64(2*len(counted.rests)+len(counted.numbers)+len(counted.of))
	if c.memory == 0 || c.held.Add(bytes) <= c.memory/4 {
		part.counted = counted
		return nil
	}
	spilled, err := c.write(counted)
	c.lists.Give(counted.memory)
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
