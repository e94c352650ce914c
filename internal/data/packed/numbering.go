package packed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
)

// numbering numbers the columns of several corpora together: those of one key become one column of the whole, whose
// frequencies add up. Columns of the whole are by falling frequency, ties by key, as in every corpus.
//
// Dictionaries of all parts are matched a shard at a time, twice: at first only frequencies are counted, so that no
// more than a shard of each thread is in memory.
type numbering struct {
	parts        []*Corpus
	minDF        uint64
	threads      int
	file         *os.File // that the dictionaries are in
	dictionaries []*dictionary
	shards       shards
	runs         []Run // of the whole
	columns      int   // likewise
	distinct     uint64
	begins       []map[uint64]uint32 // by shard and frequency, where the shard's columns of the frequency begin
}

// newNumbering matches the columns of corpora, and counts those of the whole. folder is for a temporary file.
func newNumbering(ctx context.Context, parts []*Corpus, minDF uint64, threads int, folder string) (*numbering, error) {
	n := &numbering{parts: parts, minDF: minDF, threads: threads}
	err := n.writeDictionaries(ctx, folder)
	if err == nil {
		err = n.count(ctx)
	}
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// close removes the file. A nil numbering has none.
func (n *numbering) close() {
	if n != nil && n.file != nil {
		n.file.Close()
		os.Remove(n.file.Name())
	}
}

func (n *numbering) writeDictionaries(ctx context.Context, folder string) error {
	largest := uint64(0)
	for _, c := range n.parts {
		if err := c.EachColumn(func(_ uint32, key, _ uint64) { largest = max(largest, key) }); err != nil {
			return err
		}
	}
	n.shards = shardsOf(largest)
	var err error
	if n.file, err = os.CreateTemp(folder, "dictionaries-*"); err != nil {
		return fmt.Errorf("packed: cannot create a temporary file: %w", err)
	}
	end := int64(0)
	for _, c := range n.parts {
		d, err := writeDictionary(c, n.shards, n.file, end)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		n.dictionaries, end = append(n.dictionaries, d), d.end()
	}
	return nil
}

// add adds up the frequencies of a shard's keys.
func (n *numbering) add(t *tally, b *[]byte, shard int) (err error) {
	for part, d := range n.dictionaries {
		if *b, err = d.shard(shard, *b); err != nil {
			return err
		}
		for k := range len(*b) / entrySize {
			if e := entryAt(*b, k); !t.add(e.key, e.frequency, part) {
				return n.parts[part].sameKey(e.key)
			}
		}
	}
	return nil
}

// count counts the columns of each frequency, and decides which numbers they get.
func (n *numbering) count(ctx context.Context) error {
	n.begins = make([]map[uint64]uint32, n.shards.n) // at first, how many columns there are
	distinct := make([]uint64, n.shards.n)
	err := eachShard(ctx, n.dictionaries, n.shards, n.threads, func(t *tally, b *[]byte, shard int) error {
		if err := n.add(t, b, shard); err != nil {
			return err
		}
		columns := map[uint64]uint32{}
		for _, f := range t.frequencies[1:] {
			if f >= n.minDF {
				columns[f]++
			}
		}
		n.begins[shard], distinct[shard] = columns, uint64(len(t.keys)-1)
		return nil
	})
	if err != nil {
		return err
	}
	columns := map[uint64]uint64{} // by frequency
	for shard, some := range n.begins {
		n.distinct += distinct[shard]
		for f, k := range some {
			columns[f] += uint64(k)
			n.columns += int(k)
		}
	}
	if err := checkColumns(n.columns); err != nil {
		return err
	}
	next, sum := map[uint64]uint32{}, uint64(0)
	for _, f := range slices.Backward(slices.Sorted(maps.Keys(columns))) {
		n.runs = append(n.runs, Run{f, columns[f]})
		next[f] = uint32(sum)
		sum += columns[f]
	}
	for _, some := range n.begins {
		for f, k := range some {
			some[f] = next[f]
			next[f] += k
		}
	}
	return nil
}

// number writes the numbers of columns into the dictionaries, and has the keys of columns of the whole put in their
// places: some columns side by side at a time, from several goroutines.
func (n *numbering) number(ctx context.Context, put func(first uint32, keys []uint64) error) error {
	return eachShard(ctx, n.dictionaries, n.shards, n.threads, func(t *tally, b *[]byte, shard int) error {
		if err := n.add(t, b, shard); err != nil {
			return err
		}
		numbers, err := n.numberShard(t, n.begins[shard], put)
		if err != nil {
			return err
		}
		for _, d := range n.dictionaries {
			if *b, err = d.shard(shard, *b); err != nil {
				return err
			}
			for k := range len(*b) / entrySize {
				e := entryAt(*b, k)
				e.key = uint64(numbers[*t.slot(e.key)])
				e.put((*b)[entrySize*k:])
			}
			if err := d.rewrite(shard, *b); err != nil {
				return err
			}
		}
		return nil
	})
}

// numberShard returns the numbers of a shard's columns, by the numbers that keys have in the tally.
func (n *numbering) numberShard(
	t *tally, begins map[uint64]uint32, put func(first uint32, keys []uint64) error,
) ([]uint32, error) {
	var kept []uint32
	numbers := make([]uint32, len(t.keys))
	for k := 1; k < len(t.keys); k++ {
		if numbers[k] = none; t.frequencies[k] >= n.minDF {
			kept = append(kept, uint32(k))
		}
	}
	slices.SortFunc(kept, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(t.frequencies[b], t.frequencies[a]), cmp.Compare(t.keys[a], t.keys[b]))
	})
	var keys []uint64
	for len(kept) > 0 {
		f := t.frequencies[kept[0]]
		first := begins[f]
		keys = keys[:0]
		for len(keys) < len(kept) && t.frequencies[kept[len(keys)]] == f {
			k := kept[len(keys)]
			numbers[k] = first + uint32(len(keys))
			keys = append(keys, t.keys[k])
		}
		if err := put(first, keys); err != nil {
			return nil, err
		}
		kept = kept[len(keys):]
	}
	return numbers, nil
}
