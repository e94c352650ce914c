package hashing

// Rows are the documents of a block, as rows of columns. They are scratch memory, to
// be filled again and again.
type Rows struct {
	columns []uint32
	values  []float32
	starts  []uint32
	ends    []uint32
}

// Fill deals the entries of a block that count to their documents.
func (r *Rows) Fill(b *Block) {
	if n := len(b.entries); len(r.columns) < n {
		r.columns = make([]uint32, n)
	}
	if n := len(b.values); len(r.values) < n {
		r.values = make([]float32, n)
	}
	r.starts, r.ends = b.rows, append(r.ends[:0], b.rows[:b.Documents()]...)
	ends, columns, shift := r.ends, r.columns, b.shift&63
	for k, e := range b.entries {
		// Whether an entry counts is hard to predict, so there is no branch on it: it is
		// written at the end of its row, which moves if it counts.
		end, column := &ends[e>>shift], uint32(e)
		columns[*end] = column - 1
		if b.values != nil {
			r.values[*end] = b.values[k]
		}
		*end += (column | -column) >> 31
	}
}

// Row is the row of a document: its columns in no particular order, those of several
// n-grams as often as the document has these; and its values, if there are any.
func (r *Rows) Row(document int) (columns []uint32, values []float32) {
	lo, hi := r.starts[document], r.ends[document]
	if len(r.values) > 0 {
		values = r.values[lo:hi]
	}
	return r.columns[lo:hi], values
}
