package packed

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
)

// none stands in place of a column's number if the whole does not have the column.
const none = math.MaxUint32

// A dictionary is the columns of one corpus, grouped into shards by key, so that the columns of several corpora can be
// matched a shard at a time. The dictionaries of all corpora are in one temporary file: processes may have few open.
type dictionary struct {
	file   *os.File
	starts []int64 // of the shards, in records of the file, and the end of the last
}

// entry is a record of a dictionary: key, frequency, and the number of the column in its
// corpus; once the columns of all corpora are numbered, that number takes the key's place.
type entry struct {
	key, frequency uint64
	column         uint32
}

const entrySize = 20

func (e entry) put(b []byte) {
	binary.LittleEndian.PutUint64(b, e.key)
	binary.LittleEndian.PutUint64(b[8:], e.frequency)
	binary.LittleEndian.PutUint32(b[16:], e.column)
}

func entryAt(b []byte, i int) entry {
	b = b[entrySize*i:]
	return entry{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint32(b[16:])}
}

// shards tells which shard a key is in: by its top bits, so that the keys of one shard are
// less than those of the next.
type shards struct {
	shift int
	n     int
}

// maxShards is how many shards there are of many keys.
const maxShards = 1 << 11

// shardsOf is for keys up to a largest one.
func shardsOf(largest uint64) shards {
	s := shards{shift: max(bits.Len64(largest)-bits.Len(maxShards-1), 0)}
	s.n = int(largest>>s.shift) + 1
	return s
}

func (s shards) of(key uint64) int { return int(key >> s.shift) }

// writeDictionary writes the dictionary of a corpus to a file, behind so many records.
func writeDictionary(c *Corpus, s shards, file *os.File, begin int64) (*dictionary, error) {
	d := &dictionary{file: file, starts: make([]int64, s.n+1)}
	next := make([]int64, s.n)
	if err := c.EachColumn(func(_ uint32, key, _ uint64) { next[s.of(key)]++ }); err != nil {
		return nil, err
	}
	d.starts[0] = begin
	for i, n := range next {
		next[i] = d.starts[i] - begin
		d.starts[i+1] = d.starts[i] + n
	}
	for from := 0; from < s.n; {
		end := from + 1 // of the shards that there is room for, or one
		for end < s.n && d.starts[end+1]-d.starts[from] <= dictionaryRoom/entrySize {
			end++
		}
		if err := d.write(c, s, next, from, end); err != nil {
			return nil, err
		}
		from = end
	}
	return d, nil
}

// dictionaryRoom is how many bytes of records are put in order in memory: columns are gone through as often as it
// takes. Tests change it.
var dictionaryRoom int64 = 16 << 20

// write writes the records of some shards. next is where the next one of each shard goes, behind the dictionary's
// begin.
func (d *dictionary) write(c *Corpus, s shards, next []int64, from, end int) error {
	first := d.starts[from] - d.starts[0]
	records := make([]byte, entrySize*(d.starts[end]-d.starts[from]))
	err := c.EachColumn(func(column uint32, key, frequency uint64) {
		shard := s.of(key)
		if shard < from || shard >= end {
			return
		}
		i := &next[shard]
		entry{key, frequency, column}.put(records[entrySize*(*i-first):])
		*i++
	})
	if err != nil {
		return err
	}
	if _, err := d.file.WriteAt(records, entrySize*d.starts[from]); err != nil {
		return fmt.Errorf("packed: temporary file of columns: %w", err)
	}
	return nil
}

// end is where another dictionary may begin, in records of the file.
func (d *dictionary) end() int64 { return d.starts[len(d.starts)-1] }

// shard reads a shard's records into b, whose memory is used again.
func (d *dictionary) shard(i int, b []byte) ([]byte, error) {
	n := int(entrySize * (d.starts[i+1] - d.starts[i]))
	if cap(b) < n {
		b = make([]byte, n)
	}
	b = b[:n]
	if _, err := d.file.ReadAt(b, entrySize*d.starts[i]); err != nil {
		return nil, fmt.Errorf("packed: temporary file of columns: %w", err)
	}
	return b, nil
}

// rewrite replaces a shard's records.
func (d *dictionary) rewrite(i int, b []byte) error {
	if _, err := d.file.WriteAt(b, entrySize*d.starts[i]); err != nil {
		return fmt.Errorf("packed: temporary file of columns: %w", err)
	}
	return nil
}

// numbers reads, once the columns of all corpora are numbered, the number of each of this
// corpus's columns.
func (d *dictionary) numbers() ([]uint32, error) {
	all := make([]uint32, d.end()-d.starts[0])
	var b []byte
	var err error
	for i := range len(d.starts) - 1 {
		if b, err = d.shard(i, b); err != nil {
			return nil, err
		}
		for k := range len(b) / entrySize {
			e := entryAt(b, k)
			all[e.column] = uint32(e.key)
		}
	}
	return all, nil
}

// tally adds up the frequencies of keys.
type tally struct {
	slots       []uint32 // hash table of numbers of keys, from 1; 0 is free
	keys        []uint64 // by number
	frequencies []uint64 // by number
	last        []uint32 // which corpus had a key last, by number of the key, from 1; for add
}

// reset makes room for so many keys.
func (t *tally) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if size > cap(t.slots) {
		t.slots = make([]uint32, size)
	}
	t.slots = t.slots[:size]
	clear(t.slots)
	t.keys, t.frequencies, t.last = append(t.keys[:0], 0), append(t.frequencies[:0], 0), append(t.last[:0], 0)
}

// spread is the odd factor that takes keys to slots. It is drawn anew in every process: whoever
// makes a corpus can't choose keys that all want one slot.
var spread = rand.Uint64() | 1

// slot is where a key is, or goes.
func (t *tally) slot(key uint64) *uint32 {
	mask := uint64(len(t.slots) - 1)
	for i := key * spread >> 32; ; i++ {
		if s := &t.slots[i&mask]; *s == 0 || t.keys[*s] == key {
			return s
		}
	}
}

// add adds the frequency that a corpus has of a key; it returns false if the corpus had that key before.
func (t *tally) add(key, frequency uint64, corpus int) bool {
	s := t.slot(key)
	if *s == 0 {
		*s = uint32(len(t.keys))
		t.keys, t.frequencies, t.last = append(t.keys, key), append(t.frequencies, 0), append(t.last, 0)
	}
	t.frequencies[*s] += frequency
	before := t.last[*s]
	t.last[*s] = uint32(corpus) + 1
	return before <= uint32(corpus)
}

// eachShard visits the shards of all dictionaries, on several threads, with scratch
// memory for records.
func eachShard(ctx context.Context, all []*dictionary, s shards, threads int,
	visit func(t *tally, b *[]byte, shard int) error,
) error {
	tallies, scratch := make([]tally, threads), make([][]byte, threads)
	return ordered.Each(ctx, threads, s.n, func(w, shard int) error {
		n := int64(0)
		for _, d := range all {
			n += d.starts[shard+1] - d.starts[shard]
		}
		tallies[w].reset(int(n))
		return visit(&tallies[w], &scratch[w], shard)
	})
}
