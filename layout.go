package nbsvm

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// strip is the part of the matrix that comes of one batch.
type strip struct {
	columns []uint32
	values  []float32
	ends    []int
}

// layout builds the matrix: provisional columns row by row, their document
// frequencies, and the order that follows.
func (d *design) layout(ctx context.Context, ds *dataset, column columnsOf, o *Options, release bool) error {
	threads := o.threads()
	strips := make([]strip, len(ds.batches))
	df := make([][]uint32, threads)
	gatherers := make([]gatherer, threads)
	binary := ds.binary(o)
	err := ordered.Each(ctx, threads, len(ds.batches), func(w, i int) error {
		if df[w] == nil {
			df[w] = make([]uint32, len(d.ids))
			gatherers[w].seen = make([]uint32, len(d.ids))
		}
		b := ds.batches[i]
		strips[i] = gatherers[w].strip(b, d.rows, column, !binary)
		for _, j := range strips[i].columns {
			df[w][j]++
		}
		if release {
			b.hashes, b.counts, b.ids, b.values = nil, nil, nil, nil
			if i%64 == 63 {
				runtime.GC() // or the heap would grow to twice what is needed
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	total := make([]uint32, len(d.ids))
	for _, part := range df {
		for j, n := range part {
			total[j] += n
		}
	}
	rank, singles := d.renumber(total)
	if o.Values == TFIDF && !ds.ready {
		d.inverseDocumentFrequency(total, rank)
	}
	return d.join(ctx, strips, rank, singles, o, binary)
}

// single stands for the number of a column that occurs in one document, until join
// gives it one.
const single = math.MaxUint32

// renumber orders the columns by falling document frequency, ties by id, and
// returns the new number of every provisional column. Columns of one document come
// last and are not numbered yet: join does that row by row, so that a row has its own
// columns side by side. Their numbers are those from singles on.
func (d *design) renumber(df []uint32) (rank []uint32, singles uint32) {
	var order []uint64 // ascending: fewest documents missing first
	for j, n := range df {
		if n > 1 {
			order = append(order, uint64(math.MaxUint32-n)<<32|uint64(j))
		}
	}
	slices.Sort(order)
	rank = make([]uint32, len(df))
	for j := range rank {
		rank[j] = single
	}
	for k, key := range order {
		rank[uint32(key)] = uint32(k)
	}
	return rank, uint32(len(order))
}

// inverseDocumentFrequency is log((1+n)/(1+df)) + 1, scikit-learn's smoothed idf.
func (d *design) inverseDocumentFrequency(df, rank []uint32) {
	n := float64(d.rows.GetCardinality())
	of := func(count uint32) float32 { return float32(xmath.Log((1+n)/(1+float64(count))) + 1) }
	d.idf = slices.Repeat([]float32{of(1)}, len(df))
	for j, count := range df {
		if rank[j] != single {
			d.idf[rank[j]] = of(count)
		}
	}
}

// join puts the strips together as one matrix, ids ascending in every row, and gives
// columns of one document their numbers, in the order of the rows.
func (d *design) join(ctx context.Context, strips []strip, rank []uint32, singles uint32, o *Options, binary bool) error {
	x := &sparse.CSR{Cols: len(rank), Indptr: []int64{0}}
	starts := make([]int64, len(strips))
	for i, s := range strips {
		starts[i] = x.Indptr[x.Rows]
		for _, end := range s.ends {
			x.Indptr = append(x.Indptr, starts[i]+int64(end))
		}
		x.Rows += len(s.ends)
	}
	x.Indices = make([]uint32, x.NNZ())
	if !binary {
		x.Values = make([]float32, x.NNZ())
	}
	first := make([]uint32, len(strips)+1) // of a strip's own columns
	err := ordered.Each(ctx, o.threads(), len(strips), func(_, i int) error {
		indices, own := x.Indices[starts[i]:], uint32(0)
		for k, j := range strips[i].columns {
			indices[k] = rank[j]
			if rank[j] == single {
				own++
			}
		}
		first[i+1] = own
		return nil
	})
	if err != nil {
		return err
	}
	first[0] = singles
	for i := range strips {
		first[i+1] += first[i]
	}
	ids := make([]uint32, len(rank))
	for j, r := range rank {
		if r != single {
			ids[r] = d.ids[j]
		}
	}
	sorters := make([]rowSorter, o.threads())
	err = ordered.Each(ctx, len(sorters), len(strips), func(w, i int) error {
		s := &strips[i]
		indices := x.Indices[starts[i]:][:len(s.columns)]
		own := first[i]
		for k, j := range indices {
			if j == single {
				indices[k], ids[own] = own, d.ids[s.columns[k]]
				own++
			}
		}
		lo := 0
		for _, hi := range s.ends {
			if binary {
				sorters[w].sort(indices[lo:hi])
			} else {
				sorters[w].sortWith(indices[lo:hi], s.values[lo:hi])
				copy(x.Values[starts[i]+int64(lo):], s.values[lo:hi])
			}
			lo = hi
		}
		*s = strip{}
		return nil
	})
	if err != nil {
		return err
	}
	d.ids = ids
	if o.SublinearTF {
		for k, v := range x.Values {
			x.Values[k] = sublinear(v)
		}
	}
	d.x = x
	return nil
}

// sublinear is 1+log(tf).
func sublinear(tf float32) float32 { return float32(1 + xmath.Log(float64(tf))) }
