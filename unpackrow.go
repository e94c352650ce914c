package nbsvm

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// unpackRow makes rows of the matrix of rows of the corpus; it is scratch memory, for one
// goroutine at a time.
//
// In nearly all columns of the matrix is one n-gram. Of these, documents of the whole corpus have
// theirs in order: in both, columns come by falling frequency, ties by key. Only columns that
// several n-grams share have to be sorted, and merged with the others.
type unpackRow struct {
	own, shared  sparse.RowSorter
	columns      []uint32 // shared by several n-grams
	values       []float32
	inOrder      bool // rows are those of the whole corpus
	withoutValue bool
}

func (u *unpacker) newRows() []unpackRow {
	rows := make([]unpackRow, u.o.threads())
	for w := range rows {
		rows[w].inOrder, rows[w].withoutValue = u.all, !u.d.valued
	}
	return rows
}

// append adds to x the row that a document has, given its columns in the corpus, in whose memory it
// works, and the numbers of all.
func (r *unpackRow) append(x *sparse.CSR, columns []uint32, values []float32, number []uint32) {
	if r.withoutValue {
		values = nil
	}
	columns, values = r.split(columns, values, number)
	if !r.inOrder {
		columns, values = r.own.Sort(columns, values)
	}
	shared, sharedValues := r.columns, r.values
	if len(shared) > 0 {
		shared, sharedValues = sparse.AddEqual(r.shared.Sort(shared, sharedValues))
	}
	n, m := len(x.Indices), len(columns)+len(shared)
	x.Indices = slices.Grow(x.Indices, m)[:n+m]
	if values != nil {
		x.Values = slices.Grow(x.Values, m)[:n+m]
		mergeValued(x.Indices[n:], x.Values[n:], columns, values, shared, sharedValues)
	} else {
		mergeColumns(x.Indices[n:], columns, shared)
	}
	x.Indptr = append(x.Indptr, int64(n+m))
	x.Rows++
}

// split gives columns their numbers in the matrix, in place, and puts those that several n-grams
// share apart.
func (r *unpackRow) split(columns []uint32, values []float32, number []uint32) ([]uint32, []float32) {
	r.columns = slices.Grow(r.columns[:0], len(columns))[:len(columns)]
	shared, sharedValues := r.columns, []float32(nil)
	if values != nil {
		r.values = slices.Grow(r.values[:0], len(columns))[:len(columns)]
		sharedValues = r.values
	}
	look(columns, columns, number)
	n, m := 0, 0
	for k, column := range columns {
		// Which columns are shared is hard to predict, so there is no branch on it: all are
		// written to both sides, and written over where they don't stay.
		columns[n], shared[m] = column, column&^manyGrams
		if values != nil {
			values[n], sharedValues[m] = values[k], values[k]
		}
		many, other := column>>31, column^uncounted
		n += int((other | -other) >> 31 &^ many)
		m += int(many)
	}
	r.columns = shared[:m]
	if values != nil {
		values, r.values = values[:n], sharedValues[:m]
	}
	return columns[:n], values
}

// look looks up what stands in a table at each of some places. It does nothing else, so that many
// places are waited for at a time: the table seldom fits the cache.
func look(dst, places, table []uint32) {
	dst = dst[:len(places)]
	for k, place := range places {
		dst[k] = table[place]
	}
}

// mergeColumns merges two rows that have no column in common.
func mergeColumns(dst, a, b []uint32) {
	i, j := len(a), len(b)
	for j > 0 {
		if i > 0 && a[i-1] > b[j-1] {
			i--
			dst[i+j] = a[i]
		} else {
			j--
			dst[i+j] = b[j]
		}
	}
	copy(dst, a[:i])
}

// mergeValued is mergeColumns for rows with values.
func mergeValued(dst []uint32, dstValues []float32, a []uint32, aValues []float32, b []uint32, bValues []float32) {
	i, j := len(a), len(b)
	for j > 0 {
		if i > 0 && a[i-1] > b[j-1] {
			i--
			dst[i+j], dstValues[i+j] = a[i], aValues[i]
		} else {
			j--
			dst[i+j], dstValues[i+j] = b[j], bValues[j]
		}
	}
	copy(dst, a[:i])
	copy(dstValues, aValues[:i])
}
