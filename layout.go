package nbsvm

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// layout builds the matrix: the order of columns that follows from their document
// frequencies, and the rows. It gives up what was chosen on the way.
func (d *design) layout(ctx context.Context, c *chosen, ds *dataset, o *Options) error {
	df := c.columns.Documents
	number, singles := renumber(df)
	if o.Values == TFIDF && !ds.ready {
		d.inverseDocumentFrequency(df, number)
	}
	ids := make([]uint32, len(d.ids))
	for j, id := range d.ids {
		ids[number[j]] = id
	}
	d.ids, c.columns = ids, nil
	if err := d.renumber(ctx, c.blocks, number, o.threads()); err != nil {
		return err
	}
	return d.fill(ctx, c.blocks, singles, o.threads())
}

// renumber gives the blocks' entries the columns' new numbers.
func (d *design) renumber(ctx context.Context, blocks []*hashing.Block, number []uint32, threads int) error {
	counters := make([]hashing.Counter, threads)
	return ordered.Each(ctx, len(counters), d.selected.Shards(), func(w, shard int) error {
		d.selected.Renumber(&counters[w], blocks, shard, number)
		return nil
	})
}

// renumber orders the columns by falling document frequency, ties by id, and returns
// the new number of each. Columns of one document come last, from singles on.
func renumber(df []uint32) (number []uint32, singles uint32) {
	next := make([]uint32, slices.Max(df)+1) // by document frequency
	for _, n := range df {
		next[n]++
	}
	sum := uint32(0)
	for n := len(next) - 1; n > 0; n-- {
		next[n], sum = sum, sum+next[n]
	}
	singles = next[1]
	number = make([]uint32, len(df))
	for j, n := range df {
		number[j] = next[n]
		next[n]++
	}
	return number, singles
}

// inverseDocumentFrequency is log((1+n)/(1+df)) + 1, scikit-learn's smoothed idf.
func (d *design) inverseDocumentFrequency(df, number []uint32) {
	n := float64(d.rows.GetCardinality())
	d.idf = make([]float32, len(df))
	for j, count := range df {
		d.idf[number[j]] = float32(xmath.Log((1+n)/(1+float64(count))) + 1)
	}
}

// collectEvery is after how many entries given up their memory is collected: or the
// heap would grow to twice what is needed.
const collectEvery = 1 << 26

// place is where the rows of a block begin.
type place struct {
	row   int
	entry int64
	own   uint32 // number of the next column of one document
}

// fill makes the rows, ids ascending in every one. Columns of one document it numbers
// anew, document by document, so that a row has its own columns side by side.
func (d *design) fill(ctx context.Context, blocks []*hashing.Block, singles uint32, threads int) error {
	places := make([]place, len(blocks)+1)
	places[0].own = singles
	for i, b := range blocks {
		p := places[i]
		places[i+1] = place{p.row + b.Documents(), p.entry + int64(b.Kept()), p.own + uint32(b.Own())}
	}
	end := places[len(blocks)]
	d.x = &sparse.CSR{Rows: end.row, Cols: len(d.ids), Shared: int(singles), Indptr: make([]int64, end.row+1), Indices: make([]uint32, end.entry)}
	if d.valued {
		d.x.Values = make([]float32, end.entry)
	}
	single := slices.Clone(d.ids[singles:]) // ids
	workers := make([]filler, threads)
	var given atomic.Int64 // entries
	return ordered.Each(ctx, threads, len(blocks), func(w, i int) error {
		workers[w].rows.Fill(blocks[i])
		workers[w].fill(d, places[i], blocks[i].Documents(), singles, single)
		n := int64(blocks[i].Entries())
		blocks[i] = nil
		if sum := given.Add(n); sum/collectEvery > (sum-n)/collectEvery {
			runtime.GC()
		}
		return nil
	})
}

// sublinear takes 1+log(tf) of occurrences, where that is asked for.
func (o *Options) sublinear(values []float32) {
	if !o.SublinearTF {
		return
	}
	for k, v := range values {
		values[k] = sublinear(v)
	}
}

// sublinear is 1+log(tf).
func sublinear(tf float32) float32 { return float32(1 + xmath.Log(float64(tf))) }
