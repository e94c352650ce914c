package vocab

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// none stands in place of a column's number if the whole does not have the column.
const none = 1<<32 - 1

// numbering numbers the columns of several corpora together: those of one key become one column of the whole, whose
// frequencies add up. Columns of the whole are by falling frequency, ties by key, as in every corpus.
//
// The columns of all parts lie in a table that is dealt out into shards by key, each of which is sorted in memory. The
// table and the numbers are in temporary files that are mapped, so that the system may take them out of memory.
type numbering struct {
	runs     []Run
	keys     []uint64
	distinct uint64
	numbers  [][]uint32 // by part and column, what the column is in the whole, or none
	free     func()     // gives up the numbers
}

// partColumn is a column of a part.
type partColumn struct {
	key, frequency uint64
	part, column   uint32
}

// maxShards is how many shards there are of many keys.
const maxShards = 1 << 11

// shard is the columns whose keys have the same top bits.
type shard struct {
	columns  []partColumn
	distinct uint64
	numbers  map[uint64]uint32 // by frequency: how many columns of the whole there are, then the number of the next one
}

// newNumbering numbers the columns of corpora, and leaves out those of fewer than minDF documents.
func newNumbering(ctx context.Context, parts []*Corpus, o MergeOptions) (*numbering, error) {
	total, largest := 0, uint64(0)
	for _, c := range parts {
		total += int(c.totals.Columns)
		if err := c.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) }); err != nil {
			return nil, err
		}
	}
	table, freeTable, err := osfile.MakeTable[partColumn](total, o.Temp)
	if err != nil {
		return nil, fmt.Errorf("packed: cannot write columns to a temporary file: %w", err)
	}
	defer freeTable()
	shards, err := deal(parts, table, largest)
	if err != nil {
		return nil, err
	}
	n := &numbering{}
	if err := n.count(ctx, parts, shards, o); err != nil {
		return nil, err
	}
	numbers, free, err := osfile.MakeTable[uint32](total, o.Temp)
	if err != nil {
		return nil, fmt.Errorf("packed: cannot write columns to a temporary file: %w", err)
	}
	n.free = free
	for _, c := range parts {
		n.numbers = append(n.numbers, numbers[:c.totals.Columns])
		numbers = numbers[c.totals.Columns:]
	}
	err = par.Each(ctx, o.Threads, len(shards), func(_, i int) error {
		n.number(&shards[i])
		return ctx.Err()
	})
	if err != nil {
		free()
		return nil, err
	}
	return n, nil
}

// deal puts the columns of all parts into the table, shard by shard.
func deal(parts []*Corpus, table []partColumn, largest uint64) ([]shard, error) {
	shift := max(bits.Len64(largest)-bits.Len(maxShards-1), 0)
	ends := make([]int, largest>>shift+1)
	for _, c := range parts {
		if err := c.EachColumn(func(_ uint32, key, _ uint64) { ends[key>>shift]++ }); err != nil {
			return nil, err
		}
	}
	shards := make([]shard, len(ends))
	next := 0
	for i, n := range ends {
		shards[i].columns = table[next : next+n]
		ends[i] = next
		next += n
	}
	for part, c := range parts {
		err := c.EachColumn(func(column uint32, key, frequency uint64) {
			place := &ends[key>>shift]
			table[*place] = partColumn{key, frequency, uint32(part), column}
			*place++
		})
		if err != nil {
			return nil, err
		}
	}
	return shards, nil
}

// each visits the columns of one key, in ascending order of keys, of a shard that is sorted.
func (s *shard) each(visit func(same []partColumn, frequency uint64)) {
	for from, end := 0, 0; from < len(s.columns); from = end {
		frequency := uint64(0)
		for end = from; end < len(s.columns) && s.columns[end].key == s.columns[from].key; end++ {
			frequency += s.columns[end].frequency
		}
		visit(s.columns[from:end], frequency)
	}
}

// sortByKey sorts columns by key, those of one key as they stand. Those of one part and frequency stand one after the
// other, by key, so that merging what rises takes a comparison or two for each of the many rare columns. It returns the
// memory that it took besides, for the next call.
func sortByKey(columns, spare []partColumn) []partColumn {
	var begins []int // of what rises, the last of it up to end
	merge := func(end int) {
		k := len(begins) - 1
		from, right := begins[k-1], begins[k]
		spare = append(spare[:0], columns[from:right]...)
		begins = begins[:k]
		for to, left := from, 0; left < len(spare); to++ {
			if right < end && columns[right].key < spare[left].key {
				columns[to] = columns[right]
				right++
			} else {
				columns[to] = spare[left]
				left++
			}
		}
	}
	for from, end := 0, 0; from < len(columns); from = end {
		for end = from + 1; end < len(columns) && columns[end-1].key <= columns[end].key; end++ {
		}
		begins = append(begins, from)
		for k := len(begins) - 1; k > 0 && begins[k]-begins[k-1] <= end-begins[k]; k-- {
			merge(end)
		}
	}
	for len(begins) > 1 {
		merge(len(columns))
	}
	return spare
}

// count sorts the shards, counts their columns of each frequency, and decides which numbers they get.
func (n *numbering) count(ctx context.Context, parts []*Corpus, shards []shard, o MergeOptions) error {
	spares := make([][]partColumn, o.Threads)
	err := par.Each(ctx, o.Threads, len(shards), func(w, i int) (err error) {
		s := &shards[i]
		s.numbers = map[uint64]uint32{}
		spares[w] = sortByKey(s.columns, spares[w])
		s.each(func(same []partColumn, frequency uint64) {
			for k := 1; k < len(same); k++ {
				if part := same[k].part; part == same[k-1].part && err == nil {
					err = parts[part].sameKey(same[k].key)
				}
			}
			s.distinct++
			if frequency >= o.MinDF {
				s.numbers[frequency]++
			}
		})
		return err
	})
	if err != nil {
		return err
	}
	columns, all := map[uint64]uint64{}, 0
	for i := range shards {
		n.distinct += shards[i].distinct
		for f, k := range shards[i].numbers {
			columns[f] += uint64(k)
			all += int(k)
		}
	}
	if err := checkSize(0, all); err != nil {
		return err
	}
	n.keys = make([]uint64, all)
	next, sum := map[uint64]uint32{}, uint64(0)
	for _, f := range slices.Backward(slices.Sorted(maps.Keys(columns))) {
		n.runs = append(n.runs, Run{f, columns[f]})
		next[f] = uint32(sum)
		sum += columns[f]
	}
	for i := range shards {
		for f, k := range shards[i].numbers {
			shards[i].numbers[f] = next[f]
			next[f] += k
		}
	}
	return nil
}

// number numbers the columns of a shard.
func (n *numbering) number(s *shard) {
	s.each(func(same []partColumn, frequency uint64) {
		number, kept := s.numbers[frequency]
		if !kept {
			number = none
		} else {
			n.keys[number] = same[0].key
			s.numbers[frequency]++
		}
		for _, c := range same {
			n.numbers[c.part][c.column] = number
		}
	})
}
