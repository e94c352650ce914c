package vocab

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
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
	run     []uint64
	table   []kernels.CountLine // counts are of documents; at the end, places among those that are kept, from 1
	places  []uint32            // in the table, by the number of an n-gram
	numbers []uint32            // that have a column
	of      []uint32            // see counts
	kept    []uint64            // the rest of a key, above the place
}

// at returns the key and the count at a place of the table.
func (j *joiner) at(place int) (key, count *uint32) {
	line, lane := &j.table[place/lineKeys], place%lineKeys
	return &line.Keys[lane], &line.Counts[lane]
}

// add counts a run.
func (j *joiner) add(run []uint64, secret uint64) {
	for _, e := range run {
		line, lane := kernels.FindKey(j.table, restOf(e), secret)
		place := line*lineKeys + lane
		key, count := j.at(place)
		*key = restOf(e) + 1
		*count += uint32(e & fullCount)
		j.places = append(j.places, uint32(place))
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
	j.table = grow(j.table, entries/lineRoom+1)
	clear(j.table)
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
	for place := range len(j.table) * lineKeys {
		key, count := j.at(place)
		if *key == 0 {
			continue
		}
		distinct++
		rest := *key - 1
		if *count >= halfCount-1 { // fewer than an entry counts itself that has carries
			*count += part.carries[rest]
		}
		if *count >= minDF {
			j.kept = append(j.kept, uint64(rest)<<32|uint64(place))
		} else {
			*count = 0
		}
	}
	slices.Sort(j.kept)
	joined = counts{rests: make([]uint32, len(j.kept)), documents: make([]uint32, len(j.kept))}
	for i, k := range j.kept {
		_, count := j.at(int(uint32(k)))
		joined.rests[i], joined.documents[i] = uint32(k>>32), *count
		*count = uint32(i) + 1
	}
	for number, place := range j.places {
		if _, at := j.at(int(place)); *at > 0 {
			j.numbers, j.of = append(j.numbers, uint32(number)), append(j.of, *at-1)
		}
	}
	joined.numbers, joined.of = slices.Clone(j.numbers), slices.Clone(j.of)
	return joined, distinct, nil
}
