package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// termList is n-grams, ascending, and the number of documents that have each.
type termList struct {
	hashes    []uint64
	documents []uint32
}

// numbering is the columns of all parts: numbered by falling frequency, ties by hash.
type numbering struct {
	shards   []termList // columns, from 1, have taken the place of documents
	distinct uint64     // n-grams, those included that are in too few documents
	runs     []packed.Run
	columns  int
}

// newNumbering numbers the n-grams of so many documents or more.
func newNumbering(ctx context.Context, parts []*packPart, least, threads int) (*numbering, error) {
	n := &numbering{shards: make([]termList, packPartition.Shards())}
	err := ordered.Map(ctx, threads, len(n.shards), func(_, shard int) (distinct int, err error) {
		lists := make([]termList, len(parts))
		for i, p := range parts {
			t, err := p.terms(shard)
			if err != nil {
				return 0, err
			}
			lists[i] = termList{t.Hashes, t.Documents}
			distinct += t.Distinct() - len(t.Hashes) // in too few documents; none of a part among others
		}
		all := mergeTerms(lists)
		distinct += len(all.hashes)
		n.shards[shard] = all.atLeast(uint32(least))
		return distinct, nil
	}, func(distinct int) error {
		n.distinct += uint64(distinct)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.order()
	return n, nil
}

// mergeTerms makes one list of some, whose documents add up; two by two, so that none is
// gone through more often than that takes.
func mergeTerms(lists []termList) termList {
	for len(lists) > 1 {
		n := 0
		for i := 0; i < len(lists); i += 2 {
			lists[n] = lists[i]
			if i+1 < len(lists) {
				lists[n] = mergeTwo(lists[i], lists[i+1])
			}
			n++
		}
		lists = lists[:n]
	}
	return lists[0]
}

func mergeTwo(a, b termList) termList {
	n := len(a.hashes) + len(b.hashes)
	all := termList{make([]uint64, n), make([]uint32, n)}
	i, j, k := 0, 0, 0
	for i < len(a.hashes) && j < len(b.hashes) {
		// Which is less is hard to predict: no branches on it.
		x, y := a.hashes[i], b.hashes[j]
		hash, documents := x, uint32(0)
		if y < x {
			hash = y
		}
		inA, inB := 0, 0
		if x == hash {
			inA = 1
		}
		if y == hash {
			inB = 1
		}
		documents = a.documents[i]&-uint32(inA) + b.documents[j]&-uint32(inB)
		all.hashes[k], all.documents[k] = hash, documents
		i, j, k = i+inA, j+inB, k+1
	}
	k += copy(all.hashes[k:], a.hashes[i:])
	copy(all.documents[k-len(a.hashes)+i:], a.documents[i:])
	k += copy(all.hashes[k:], b.hashes[j:])
	copy(all.documents[k-len(b.hashes)+j:], b.documents[j:])
	return termList{all.hashes[:k], all.documents[:k]}
}

// atLeast are the n-grams of so many documents or more, in memory of their own if they are few.
func (l termList) atLeast(least uint32) termList {
	n := 0
	for _, documents := range l.documents {
		if documents >= least {
			n++
		}
	}
	if n == len(l.hashes) {
		return l
	}
	some := termList{make([]uint64, 0, n), make([]uint32, 0, n)}
	for i, documents := range l.documents {
		if documents >= least {
			some.hashes, some.documents = append(some.hashes, l.hashes[i]), append(some.documents, documents)
		}
	}
	return some
}

// order numbers the columns of all shards.
func (n *numbering) order() {
	most := uint32(0)
	for _, l := range n.shards {
		for _, documents := range l.documents {
			most = max(most, documents)
		}
		n.columns += len(l.hashes)
	}
	next := make([]uint32, most+1) // by number of documents
	for _, l := range n.shards {
		for _, documents := range l.documents {
			next[documents]++
		}
	}
	sum := uint32(0)
	for documents := len(next) - 1; documents > 0; documents-- {
		if count := next[documents]; count > 0 {
			n.runs = append(n.runs, packed.Run{Frequency: uint64(documents), Columns: uint64(count)})
			next[documents], sum = sum, sum+count
		}
	}
	for _, l := range n.shards {
		for i, documents := range l.documents {
			l.documents[i] = next[documents] + 1
			next[documents]++
		}
	}
}

// keys lists the n-grams by column, and gives up what is known of them by shard.
func (n *numbering) keys() []uint64 {
	keys := make([]uint64, n.columns)
	for shard, l := range n.shards {
		for i, column := range l.documents {
			keys[column-1] = l.hashes[i]
		}
		n.shards[shard] = termList{}
	}
	return keys
}

// columnsOf are those of some of a shard's n-grams, ascending, from 1; 0 for those that have none.
func (n *numbering) columnsOf(shard int, hashes []uint64) []uint32 {
	all := n.shards[shard]
	columns := make([]uint32, len(hashes))
	i := 0
	for k, h := range hashes {
		for i < len(all.hashes) && all.hashes[i] < h {
			i++
		}
		if i < len(all.hashes) && all.hashes[i] == h {
			columns[k] = all.documents[i]
		}
	}
	return columns
}
