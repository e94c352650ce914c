package ngrams

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// run is what a table held when there was no more memory: entries, and the numbers of their n-grams. Carries stay with
// the partition.
type run struct {
	entries []uint64
	numbers []uint32
}

// spilledRun is a run in the temporary file.
type spilledRun struct {
	at      int64
	entries int
}

// take makes it a run of what the table of a partition has, in the memory of the table.
func (r *run) take(p *partition) {
	n := 0
	for i, e := range p.entries {
		p.entries[n], p.numbers[n] = e, p.numbers[i]
		if e != 0 {
			n++
		}
	}
	r.entries, r.numbers = p.entries[:n], p.numbers[:n]
}

// spillPartition writes a run of a partition to the temporary file, and empties the table.
func (c *Counter) spillPartition(p int) error {
	part := &c.partitions[p]
	var r run
	r.take(part)
	at, err := c.spill.Write(views.Memory(r.entries), views.Memory(r.numbers))
	part.runs = append(part.runs, spilledRun{at, len(r.entries)})
	clear(part.memory.Words)
	part.used = 0
	return err
}

// readRun reads a run into the memory of r.
func (c *Counter) readRun(from spilledRun, r *run) error {
	r.entries, r.numbers = grow(r.entries, from.entries), grow(r.numbers, from.entries)
	if err := c.spill.Read(views.Memory(r.entries), from.at); err != nil {
		return err
	}
	return c.spill.Read(views.Memory(r.numbers), from.at+8*int64(from.entries))
}

// joiner counts n-grams of several runs; each worker has its own, and uses its memory again.
type joiner struct {
	run       run
	keys      []uint64 // a table: 0 for none, else the rest of a hash above a bit
	documents []uint32 // of the n-gram at each place; at the end, its place among those that are kept, from 1
	numbers   []uint32 // of all entries of runs
	places    []uint32 // of these in the table
	kept      []uint64
}

// place is where an n-gram is in the table, or is entered.
func (j *joiner) place(rest, secret uint64) uint32 {
	key := rest<<1 | 1
	high, _ := bits.Mul64(rest*secret, uint64(len(j.keys)))
	place := int(high)
	for j.keys[place] != key {
		if j.keys[place] == 0 {
			j.keys[place] = key
			break
		}
		if place++; place == len(j.keys) {
			place = 0
		}
	}
	return uint32(place)
}

// add counts a run.
func (j *joiner) add(r run, secret uint64) {
	for i, e := range r.entries {
		place := j.place(e>>partitionBits, secret)
		j.documents[place] += uint32(e & fullCount)
		j.places, j.numbers = append(j.places, place), append(j.numbers, r.numbers[i])
	}
}

// join lists n-grams of at least minDF documents in a partition's table and in its runs, and tells how many n-grams
// there are. All are counted once more, in a table that is large enough.
func (c *Counter) join(part *partition, minDF uint32, scratch *finisher) (joined counts, distinct int, err error) {
	j := &scratch.joiner
	entries := part.used
	for _, r := range part.runs {
		entries += r.entries
	}
	j.keys, j.documents = grow(j.keys, entries*8/5+1), grow(j.documents, entries*8/5+1)
	clear(j.keys)
	clear(j.documents)
	j.places, j.numbers, j.kept = j.places[:0], j.numbers[:0], j.kept[:0]
	var last run
	last.take(part)
	j.add(last, c.secret)
	for _, spilled := range part.runs {
		if err := c.readRun(spilled, &j.run); err != nil {
			return counts{}, 0, err
		}
		j.add(j.run, c.secret)
	}
	for place, key := range j.keys {
		if key == 0 {
			continue
		}
		distinct++
		if j.documents[place] >= halfCount-1 { // fewer than an entry counts itself that has carries
			j.documents[place] += part.carries[key>>1]
		}
		if j.documents[place] >= minDF {
			j.kept = append(j.kept, key>>1)
		} else {
			j.documents[place] = 0
		}
	}
	joined = counts{rests: slices.Clone(scratch.sorter.sort(j.kept)), documents: make([]uint32, len(j.kept))}
	for i, rest := range joined.rests {
		place := j.place(rest, c.secret)
		joined.documents[i] = j.documents[place]
		j.documents[place] = uint32(i) + 1
	}
	numbers, of := j.numbers[:0], j.places[:0] // in place
	for i, place := range j.places {
		if at := j.documents[place]; at > 0 {
			numbers, of = append(numbers, j.numbers[i]), append(of, at-1)
		}
	}
	joined.numbers, joined.of = slices.Clone(numbers), slices.Clone(of)
	return joined, distinct, nil
}
