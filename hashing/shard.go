package hashing

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// shard is what comes of selecting its n-grams: its columns, buckets ascending.
type shard struct {
	distinct, selected int     // n-grams
	shared             int     // columns of several n-grams
	members            filter  // the n-grams that count; nil where all do
	columns            Columns // until Finish
}

// Counter counts the documents of n-grams, one shard after the other, and numbers the
// columns of those that count. It is scratch memory, for one goroutine at a time; a
// shard's fits into the cache.
type Counter struct {
	slots []uint32 // hash table of numbers of n-grams, 0 for none
	grams []gram   // by number, from 1
	used  int      // of them

	numbers []uint32 // of n-grams that count
	next    []uint32 // places in chosen
	chosen  []chosen // n-grams that count, by key
	columns []uint32 // by n-gram: from 1, several added; 0 where it does not count
	last    []uint32 // by column of several n-grams: the last document that has it, from 1
	first   []uint32 // by column: the first block that has it
}

// gram is what is known of an n-gram.
type gram struct {
	key       uint64 // the bits of its hash that the shard does not tell, at the top
	documents uint32
	first     uint32 // block that has it
}

// chosen is an n-gram that counts.
type chosen struct {
	key    uint64
	number uint32
}

// several marks a column of several n-grams that count.
const several = 1 << 31

// start begins a shard of at most so many n-grams.
func (c *Counter) start(most int) {
	c.used = 0
	// The last shard's size is a good guess.
	c.resize(min(max(len(c.slots), 1<<8), 1<<bits.Len(uint(2*spare*most+1))))
}

// resize sets the size of the table, a power of 2, and empties it.
func (c *Counter) resize(size int) {
	if size <= cap(c.slots) {
		c.slots = c.slots[:size]
		clear(c.slots)
	} else {
		c.slots = make([]uint32, size)
	}
	known := c.grams[:min(len(c.grams), 1+c.used)]
	room := 2 + size/spare // none, those there is room for, and one to try
	c.grams = slices.Grow(known, room-len(known))[:room]
}

// shift leaves of a key the bits that are its place in the table.
func (c *Counter) shift() int { return 64 - bits.TrailingZeros(uint(len(c.slots))) }

// countAll counts a shard in all blocks.
func (c *Counter) countAll(blocks []*Block, id int, p Partition) {
	entries := 0
	for _, b := range blocks {
		entries += len(b.run(id))
	}
	c.start(entries)
	for i, b := range blocks {
		askFor(blocks[i:], id)
		c.count(b.run(id), uint32(i), p)
	}
}

// runsAhead is how many blocks ahead a shard's run is asked for, while it is gone through block by
// block: runs are short, and where the next one is nobody can guess.
const runsAhead = 2

// askFor asks for the run of a shard that will soon be gone through, given the blocks from the one
// under way on.
func askFor(blocks []*Block, id int) {
	if len(blocks) > runsAhead {
		kernels.PrefetchAll(blocks[runsAhead].run(id))
	}
}

// count takes in a block's run, whose entries become the numbers of their n-grams.
func (c *Counter) count(run []uint64, block uint32, p Partition) {
	for len(run) > 0 {
		if c.used >= len(c.slots)/spare {
			c.grow()
		}
		n := min(len(run), len(c.slots)/spare-c.used)
		c.add(run[:n], block, p)
		run = run[n:]
	}
}

// add is count where the table has room.
func (c *Counter) add(run []uint64, block uint32, p Partition) {
	keyShift, hashBits, shift := p.bits&63, p.hashBits()&63, c.shift()&63
	slots, grams, used := c.slots, c.grams, uint64(c.used)
	for k, e := range run {
		key := e << keyShift
		// Whether an n-gram is new is hard to predict, so there is no branch on it: it
		// is written where it would be kept, and found there if it is new.
		grams[used+1] = gram{key: key, first: block}
		for i := key >> shift; ; i++ {
			slot := &slots[i&uint64(len(slots)-1)]
			number, isNew := entered(*slot, used)
			if g := &grams[number]; g.key == key {
				*slot = uint32(number)
				g.documents++
				used += isNew
				run[k] = e>>hashBits<<hashBits | number
				break
			}
		}
	}
	c.used = int(used)
}

// entered is the number of the n-gram in a slot, or that of a new one, the one after
// those used, where the slot is free. Arithmetic, as the compiler would make branches
// of conditions.
func entered(slot uint32, used uint64) (number, isNew uint64) {
	isNew = (uint64(slot) - 1) >> 63
	return uint64(slot) + (used+1)&-isNew, isNew
}

// grow makes the table twice as large.
func (c *Counter) grow() {
	c.resize(2 * len(c.slots))
	shift, mask := c.shift()&63, uint64(len(c.slots)-1)
	for number := 1; number <= c.used; number++ {
		i := c.grams[number].key >> shift
		for c.slots[i&mask] != 0 {
			i++
		}
		c.slots[i&mask] = uint32(number)
	}
}

// choose selects the n-grams of minDF to maxDF documents and numbers their columns.
func (c *Counter) choose(id int, s *Selection) shard {
	c.rank(s.minDF, s.maxDF)
	r := shard{distinct: c.used, selected: len(c.chosen)}
	columns := 0
	for i := range c.chosen {
		if !c.continues(i, s) {
			columns++
		}
	}
	buckets, documents, tags := make([]uint32, 0, columns), make([]uint32, 0, columns), make([]uint16, 0, columns)
	if !s.all() {
		r.members = newFilter(len(c.chosen))
	}
	c.columns = append(c.columns[:0], make([]uint32, 1+c.used)...)
	c.last = append(c.last[:0], make([]uint32, columns)...)
	c.first = c.first[:0]
	for i, n := range c.chosen {
		hash := s.partition.hash(id, n.key)
		if !s.all() {
			r.members.add(hash)
		}
		if c.continues(i, s) {
			j := len(buckets) - 1
			if tags[j] != Tag(hash) {
				tags[j] = 0
			}
			if documents[j] > 0 {
				documents[j] = 0 // to be counted, see replace
				r.shared++
			}
			c.columns[c.chosen[i-1].number] |= several
			c.columns[n.number] = uint32(1+j) | several
			continue
		}
		g := &c.grams[n.number]
		buckets, documents, tags = append(buckets, Bucket(hash, s.bits)), append(documents, g.documents), append(tags, Tag(hash))
		c.first = append(c.first, g.first)
		c.columns[n.number] = uint32(len(buckets))
	}
	r.columns = Columns{buckets, documents, tags}
	return r
}

// continues says whether the i-th n-gram that counts has the bucket of the one before.
func (c *Counter) continues(i int, s *Selection) bool {
	return i > 0 && (c.chosen[i].key^c.chosen[i-1].key)>>(64-(s.bits-s.partition.bits)) == 0
}

// rank lists the n-grams of minDF to maxDF documents by key: first by as many of the
// top bits as tell most of them apart.
func (c *Counter) rank(minDF, maxDF uint32) {
	c.numbers = slices.Grow(c.numbers[:0], c.used)[:c.used]
	n := 0
	for i, g := range c.grams[1 : 1+c.used] {
		c.numbers[n] = uint32(1 + i)
		if g.documents >= minDF && g.documents <= maxDF {
			n++
		}
	}
	c.numbers = c.numbers[:n]
	width := max(bits.Len(uint(n)), 1)
	shift := 64 - width
	c.next = append(c.next[:0], make([]uint32, 1<<width)...)
	for _, number := range c.numbers {
		c.next[c.grams[number].key>>shift]++
	}
	sum := uint32(0)
	for i, n := range c.next {
		c.next[i] = sum
		sum += n
	}
	c.chosen = slices.Grow(c.chosen[:0], n)[:n]
	for _, number := range c.numbers {
		key := c.grams[number].key
		place := &c.next[key>>shift]
		c.chosen[*place] = chosen{key, number}
		*place++
	}
	for i, n := range c.chosen {
		for ; i > 0 && c.chosen[i-1].key > n.key; i-- {
			c.chosen[i] = c.chosen[i-1]
		}
		c.chosen[i] = n
	}
}

// replace makes columns of the numbers of n-grams in a block's run, and counts the
// documents of columns of several n-grams. before is the number of documents in
// earlier blocks.
func (c *Counter) replace(b *Block, id int, r *shard, before uint32, p Partition) {
	hashBits := p.hashBits() & 63
	kept, documents := 0, r.columns.Documents
	run := b.run(id)
	for k, e := range run {
		column := c.columns[uint32(e)]
		if column > several {
			column -= several
			document := before + uint32(e>>hashBits) + 1
			if c.last[column-1] == document {
				kept--
			} else {
				c.last[column-1] = document
				documents[column-1]++
			}
		}
		run[k] = e>>hashBits<<hashBits | uint64(column)
		kept += int((column | -column) >> 31)
	}
	b.kept.Add(int64(kept))
}

// own counts the columns of one document at the block that has it.
func (c *Counter) own(r *shard, blocks []*Block) {
	for j, n := range r.columns.Documents {
		if n == 1 {
			blocks[c.first[j]].own.Add(1)
		}
	}
}

// renumber prepares columns for put: the shard's columns have the given numbers.
func (c *Counter) renumber(number []uint32) {
	c.columns = append(c.columns[:0], 0) // of what does not count
	for _, n := range number {
		c.columns = append(c.columns, 1+n)
	}
}

// put gives a run's entries, which have the numbers of n-grams, the columns that stand there.
func put(run []uint64, columns []uint32, p Partition) {
	hashBits := p.hashBits() & 63
	for k, e := range run {
		run[k] = e>>hashBits<<hashBits | uint64(columns[uint32(e)])
	}
}
