package ngrams

import "context"

// frequentBits are the top bits of a hash that tell its place among the frequent n-grams: the table should stay
// in the second level of cache beside a block.
const (
	frequentBits  = 15
	frequentShift = 64 - frequentBits
)

// FrequentPlaces is how many frequent n-grams there are at most.
const FrequentPlaces = 1 << frequentBits

// Frequent are n-grams that occur often, each at a place of its own. They make up half of a text or more, and
// take two bytes each instead of eight, are not sorted by partition, and need not be searched for. It may
// be used from several goroutines at once, once Vocabulary.Number has been through.
type Frequent struct {
	hashes  [FrequentPlaces]uint64 // of the n-gram at each place, or one that belongs to another place
	columns [FrequentPlaces]uint32 // of each, or NoColumn; before, the numbers that AddFrequent found
}

// NoColumn is the column of an n-gram that is in too few documents.
const NoColumn = 1<<32 - 1

// empty returns what is at a place without an n-gram: a hash that belongs to another place.
func empty(place int) uint64 { return ^(uint64(place) << frequentShift) }

func newFrequent() *Frequent {
	f := new(Frequent)
	for place := range f.hashes {
		f.hashes[place], f.columns[place] = empty(place), NoColumn
	}
	return f
}

// Frequent returns the n-grams that were counted most often until now, of those with the same place one.
func (c *Counter) Frequent(ctx context.Context, threads int) (*Frequent, error) {
	const least = 3 // documents
	f := newFrequent()
	return f, eachPartition(ctx, threads, func(_, p int) error {
		part := &c.partitions[p]
		var most [FrequentPlaces / partitions]uint32
		for _, e := range part.entries {
			if e&fullCount < least {
				continue
			}
			hash := uint64(p)<<restBits | e>>partitionBits
			place := hash >> frequentShift
			if n := part.documents(e); n > most[place%uint64(len(most))] {
				most[place%uint64(len(most))] = n
				f.hashes[place] = hash
			}
		}
		return nil
	})
}

// Number gives n-grams that AddFrequent counted their columns.
func (v *Vocabulary) Number(f *Frequent) {
	for place, number := range f.columns {
		if number != NoColumn {
			f.columns[place] = v.columns[f.hashes[place]>>restBits].of(number)
		}
	}
}

// Split takes the frequent ones out of a document's hashes, in place, and appends their places to places.
func (f *Frequent) Split(hashes []uint64, places []uint16) (others []uint64, all []uint16) {
	from := len(places)
	for cap(places) < from+len(hashes)+1 {
		places = append(places[:cap(places)], 0)
	}
	places = places[:from+len(hashes)+1]
	n, m := 0, from
	for _, h := range hashes {
		// Which are frequent is hard to predict, so there is no branch on it: all are written to both, and
		// written over where they don't stay.
		place := h >> frequentShift
		hashes[n], places[m] = h, uint16(place)
		other := f.hashes[place] ^ h
		isOther := int((other | -other) >> 63)
		n += isOther
		m += 1 - isOther
	}
	return hashes[:n], places[:m]
}

// AddFrequent adds to the counts of frequent n-grams, given by their places, once all others are counted. Those without
// any get no column.
func (c *Counter) AddFrequent(f *Frequent, counts []uint32) error {
	for place, n := range counts {
		if n == 0 {
			continue
		}
		p, rest := int(f.hashes[place]>>restBits), f.hashes[place]&restMask
		part := &c.partitions[p]
		if part.room() <= 0 {
			if err := c.makeRoom(p, 1); err != nil {
				return err
			}
		}
		f.columns[place] = part.addMany(rest, n, c.secret)
	}
	return nil
}

// addMany counts an n-gram several times, and returns its number.
func (p *partition) addMany(rest uint64, times uint32, secret uint64) (number uint32) {
	place := p.search(rest, secret)
	e := p.entries[place]
	if e == 0 {
		p.numbers[place] = p.next
		p.used++
		p.next++
	}
	n := uint64(times) + e&fullCount
	if n >= fullCount {
		if p.carries == nil {
			p.carries = map[uint64]uint32{}
		}
		own := halfCount - 1 + n%halfCount // such a count has carries, see documents, and is not full
		p.carries[rest] += uint32(n - own)
		n = own
	}
	p.entries[place] = rest<<partitionBits | n
	return p.numbers[place]
}
