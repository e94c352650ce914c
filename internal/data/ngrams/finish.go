package ngrams

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/file/arena"
)

// counts is what is known of a partition's n-grams once all are counted.
type counts struct {
	rests     []uint64     // bits of hashes that the partition does not tell, ascending
	documents []uint32     // of each
	rare      []uint64     // n-grams of too few documents, in any order, unless they are among the others
	table     arena.Memory // that rests and rare are in, unless they are elsewhere
}

// list lists a partition's n-grams, in the memory of its table. With all, those that occur once are among the others.
func (p *partition) list(all bool, scratch *sorter) counts {
	// The table's entries move to its front, those that occur once, unless they stay, apart: there are no
	// branches on what is hard to predict.
	table, alone := p.table.Words, uint64(1)
	if all {
		alone = 0
	}
	if cap(scratch.rare) <= p.used {
		scratch.rare = make([]uint64, 2*p.used+1)
	}
	rare := scratch.rare[:p.used+1]
	n, once := 0, 0
	for _, e := range table {
		table[n], rare[once] = e, e>>partitionBits
		count := e & fullCount
		isRare := int(((count ^ alone) - 1) >> 63) // count is alone
		n += int((count|-count)>>63) &^ isRare
		once += isRare & int((count|-count)>>63)
	}
	entries := scratch.sort(table[:n])
	counted := counts{rests: table[:n:n], documents: make([]uint32, n), rare: table[n : n+once]}
	for i, e := range entries {
		counted.rests[i], counted.documents[i] = e>>partitionBits, p.documents(e)
	}
	copy(counted.rare, rare)
	return counted
}

// finish lists a partition's n-grams, those in the temporary file included, and gives up the table unless there is
// room to keep them there. N-grams of one document are sorted only if they are kept.
func (c *Counter) finish(p int, minDF uint32, scratch *sorter) (counts, error) {
	part := &c.partitions[p]
	counted := part.list(minDF < 2 || len(part.runs) > 0, scratch)
	for _, run := range part.runs {
		spilled, err := c.read(run)
		if err != nil {
			return counts{}, err
		}
		counted = merge(counted, spilled)
	}
	switch {
	case c.memory == 0:
		counted.table = part.table
	case len(part.runs) == 0:
		counted.rests, counted.rare = slices.Clone(counted.rests), slices.Clone(counted.rare)
		fallthrough
	default:
		c.tables.Give(part.table)
	}
	*part = partition{}
	return counted, nil
}

// keep holds what is known of a partition until its n-grams are numbered: in memory, or else in the
// temporary file.
func (c *Counter) keep(p int, counted counts) error {
	part := &c.partitions[p]
	bytes := 12*int64(len(counted.rests)) + 8*int64(len(counted.rare))
	if c.memory == 0 || c.held.Add(bytes) <= c.memory/4 {
		part.counted = counted
		return nil
	}
	spilled, err := c.write(counted)
	part.runs = []spilledCounts{spilled}
	return err
}

// kept is what keep was given, once.
func (c *Counter) kept(p int) (counts, error) {
	part := c.partitions[p]
	c.partitions[p] = partition{}
	if part.runs == nil {
		return part.counted, nil
	}
	return c.read(part.runs[0])
}

// merge adds up two lists.
func merge(a, b counts) counts {
	n := len(a.rests) + len(b.rests)
	all := counts{rests: make([]uint64, n), documents: make([]uint32, n)}
	i, j, k := 0, 0, 0
	for ; i < len(a.rests) && j < len(b.rests); k++ {
		// Which is less is hard to predict: no branches on it.
		x, y := a.rests[i], b.rests[j]
		least := min(x, y)
		inA, inB := 0, 0
		if x == least {
			inA = 1
		}
		if y == least {
			inB = 1
		}
		all.rests[k] = least
		all.documents[k] = a.documents[i]&-uint32(inA) + b.documents[j]&-uint32(inB)
		i, j = i+inA, j+inB
	}
	copy(all.documents[k:], a.documents[i:])
	k += copy(all.rests[k:], a.rests[i:])
	copy(all.documents[k:], b.documents[j:])
	k += copy(all.rests[k:], b.rests[j:])
	return counts{rests: all.rests[:k], documents: all.documents[:k]}
}
