package hashing

import (
	"iter"

	"github.com/seed-167f963f/nbsvm/internal/idset"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// Selection maps the n-grams that count to columns 0..Columns-1, which number
// the buckets in use in ascending order. It may be read concurrently.
type Selection struct {
	bits    int
	buckets *idset.Set
	table   *Frequencies // nil where every n-gram counts
	once    bool         // n-grams of one document count
}

// NotSelected stands for the column of an n-gram that does not count.
const NotSelected = ^uint32(0)

// Columns is the number of buckets in use.
func (s *Selection) Columns() int { return s.buckets.Len() }

// Buckets yields the bucket of every column, in ascending order.
func (s *Selection) Buckets() iter.Seq[uint32] { return s.buckets.All() }

// Ngrams is the number of n-grams that count, if it is known exactly.
func (s *Selection) Ngrams() (n uint64, exact bool) {
	if s.once {
		return 0, false
	}
	for e := range s.table.entries() {
		if e.column != NotSelected {
			n++
		}
	}
	return n, true
}

// Column is the column of an n-gram, if it counts.
func (s *Selection) Column(hash uint64) (column uint32, ok bool) {
	if s.table != nil {
		if e := s.table.shards[Shard(hash)].table.find(hash); e != nil {
			return e.column, e.column != NotSelected
		}
		if !s.once {
			return 0, false
		}
	}
	return s.buckets.Rank(Bucket(hash, s.bits))
}

// Tags returns the tag of every column's n-gram, 0 for a column that several
// n-grams share. rows must yield all hashes again where n-grams of one document
// count; otherwise it is not used.
func (s *Selection) Tags(rows iter.Seq[[]uint64]) []uint16 {
	tags := make([]uint16, s.Columns())
	shared := make([]bool, len(tags))
	note := func(column uint32, hash uint64) {
		switch tag := Tag(hash); tags[column] {
		case 0, tag:
			tags[column] = tag
		default:
			shared[column] = true
		}
	}
	if s.once {
		for hashes := range rows {
			for _, h := range hashes {
				if column, ok := s.Column(h); ok {
					note(column, h)
				}
			}
		}
	} else {
		for e := range s.table.entries() {
			if e.column != NotSelected {
				note(e.column, e.hash)
			}
		}
	}
	for column := range tags {
		if shared[column] {
			tags[column] = 0
		}
	}
	return tags
}

// AppendColumns appends the column of every n-gram, NotSelected for those that do
// not count.
func (s *Selection) AppendColumns(dst []uint32, hashes []uint64) []uint32 {
	for len(hashes) > 0 {
		n := min(ahead, len(hashes))
		if s.table != nil {
			for _, h := range hashes[:n] {
				kernels.Prefetch(s.table.shards[Shard(h)].table.at(h))
			}
		}
		for _, h := range hashes[:n] {
			column, ok := s.Column(h)
			if !ok {
				column = NotSelected
			}
			dst = append(dst, column)
		}
		hashes = hashes[n:]
	}
	return dst
}

// SelectAll makes every n-gram count whose hash is among those given. rows
// yields slices of hashes.
func SelectAll(bits int, rows iter.Seq[[]uint64]) *Selection {
	s := &Selection{bits: bits, buckets: idset.New(1 << bits), once: true}
	for hashes := range rows {
		for _, h := range hashes {
			s.buckets.Add(Bucket(h, bits))
		}
	}
	s.buckets.Index()
	return s
}

// SelectByFrequency makes those n-grams count that occur in minDF to maxDF
// documents. With minDF 1 rows must yield all hashes again; otherwise it is not
// used. The columns are kept in f, which belongs to the selection from then on.
func SelectByFrequency(bits int, f *Frequencies, minDF, maxDF uint32, rows iter.Seq[[]uint64]) *Selection {
	s := &Selection{bits: bits, buckets: idset.New(1 << bits), table: f, once: minDF <= 1 && maxDF >= 1}
	counts := func(e *entry) bool { return e.documents >= minDF && e.documents <= maxDF }
	for e := range f.entries() {
		if counts(e) {
			s.buckets.Add(Bucket(e.hash, bits))
		}
	}
	if s.once {
		for hashes := range rows {
			for _, h := range hashes {
				if f.shards[Shard(h)].table.find(h) == nil {
					s.buckets.Add(Bucket(h, bits))
				}
			}
		}
	}
	s.buckets.Index()
	for e := range f.entries() {
		e.column = NotSelected
		if counts(e) {
			e.column, _ = s.buckets.Rank(Bucket(e.hash, bits))
		}
	}
	return s
}

// entries yields the n-grams of at least two documents.
func (f *Frequencies) entries() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for i := range f.shards {
			entries := f.shards[i].table.entries
			for k := range entries {
				if entries[k].hash != 0 && !yield(&entries[k]) {
					return
				}
			}
		}
	}
}
