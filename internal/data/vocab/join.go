package vocab

import (
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// spilledRun is where a run is in the temporary file: what a table held when there was no more memory. Its n-grams got
// their numbers in the table, one after the other, and lie in the order of these: a partition's runs, and then its
// list, have all numbers from 0 on. Carries stay with the partition.
type spilledRun struct {
	at      int64
	entries int
}

// run puts the n-grams of a partition's table or list, which got the latest numbers, in the order of these, in the
// memory of r if that suffices.
func (p *partition) run(r, entries []uint64) []uint64 {
	r = grow(r, len(entries))
	first := p.next - uint32(len(r))
	for _, e := range entries {
		r[numberOf(e)-first] = e
	}
	return r
}

// joiner counts n-grams of several runs; each worker has its own, and uses its memory again.
type joiner struct {
	run       []uint64
	keys      []uint32 // a table: 0 for none, else 1 more than the rest of a key
	documents []uint32 // of the n-gram at each place; at the end, its place among those that are kept, from 1
	places    []uint32 // in the table, by the number of an n-gram
	numbers   []uint32 // that have a column
	of        []uint32 // see counts
	kept      []uint32
}

// place returns where an n-gram is in the table, or is entered.
func (j *joiner) place(rest uint32, secret uint64) uint32 {
	key := rest + 1
	high, _ := bits.Mul64(uint64(rest)<<zeroBits*secret, uint64(len(j.keys)))
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
func (j *joiner) add(run []uint64, secret uint64) {
	for _, e := range run {
		place := j.place(restOf(e), secret)
		j.documents[place] += uint32(e & fullCount)
		j.places = append(j.places, place)
	}
}

// join lists n-grams of at least minDF documents in a partition's list and in its runs, and tells how many n-grams
// there are. All are counted once more, in a table that is large enough.
func (c *Counter) join(part *partition, minDF uint32, scratch *finisher) (joined counts, distinct int, err error) {
	j := &scratch.joiner
	entries := len(part.list.Words)
	for _, r := range part.runs {
		entries += r.entries
	}
	j.keys, j.documents = grow(j.keys, entries*8/5+1), grow(j.documents, entries*8/5+1)
	clear(j.keys)
	clear(j.documents)
	j.places, j.numbers, j.of, j.kept = j.places[:0], j.numbers[:0], j.of[:0], j.kept[:0]
	for _, spilled := range part.runs {
		j.run = grow(j.run, spilled.entries)
		if err := c.spill.Read(mem.Overlay(j.run), spilled.at); err != nil {
			return counts{}, 0, err
		}
		j.add(j.run, c.secret)
	}
	j.run = part.run(j.run, part.list.Words)
	j.add(j.run, c.secret)
	for place, key := range j.keys {
		if key == 0 {
			continue
		}
		distinct++
		if j.documents[place] >= halfCount-1 { // fewer than an entry counts itself that has carries
			j.documents[place] += part.carries[key-1]
		}
		if j.documents[place] >= minDF {
			j.kept = append(j.kept, key-1)
		} else {
			j.documents[place] = 0
		}
	}
	slices.Sort(j.kept)
	joined = counts{rests: slices.Clone(j.kept), documents: make([]uint32, len(j.kept))}
	for i, rest := range joined.rests {
		place := j.place(rest, c.secret)
		joined.documents[i] = j.documents[place]
		j.documents[place] = uint32(i) + 1
	}
	for number, place := range j.places {
		if at := j.documents[place]; at > 0 {
			j.numbers, j.of = append(j.numbers, uint32(number)), append(j.of, at-1)
		}
	}
	joined.numbers, joined.of = slices.Clone(j.numbers), slices.Clone(j.of)
	return joined, distinct, nil
}
