package dataset

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/seed-167f963f/nbsvm/sparse"
)

// Export writes a packed corpus in SVMlight's format: labels, joined by commas, and
// features by ascending number. Ready-made features have the numbers they came with; an
// n-gram has that of its column, from 1. Weights are left out. Programs that read the format take
// whole numbers for labels: others are numbered from 1, in the order in which they are returned.
func Export(ctx context.Context, path string, w io.Writer) (numbered []string, err error) {
	d, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Ready() {
		if err := d.Rows.CheckKeys(); err != nil {
			return nil, err // a feature twice in a row could not be read again
		}
	}
	keys, err := d.Rows.Keys()
	if err := errors.Join(err, d.Classes.List(ctx)); err != nil {
		return nil, err
	}
	names := d.Classes.Labels
	if !WholeNumbers(names) {
		numbered, names = names, nil
		for k := range numbered {
			names = append(names, strconv.Itoa(k+1))
		}
	}
	out := bufio.NewWriter(w)
	var m sparse.CSR
	var line []byte
	for b := range d.Rows.Blocks() {
		if err := errors.Join(d.Rows.Block(b, &m), ctx.Err()); err != nil {
			return nil, err
		}
		first, _ := d.Rows.BlockRange(b)
		for i := range m.Rows {
			line = line[:0]
			for n, k := range d.Classes.LabelsOf(int(first) + i) {
				if n > 0 {
					line = append(line, ',')
				}
				line = append(line, names[k]...)
			}
			columns, values := m.Row(i)
			ids, numbers := d.exported(keys, columns, values)
			line = sparse.AppendSVMLightRow(line, "", ids, numbers)
			if _, err := out.Write(line); err != nil {
				return nil, err
			}
		}
	}
	return numbered, out.Flush()
}

// WholeNumbers reports whether all labels are whole numbers, and different ones, as LIBLINEAR needs.
func WholeNumbers(labels []string) bool {
	seen := map[int64]bool{}
	for _, label := range labels {
		n, err := strconv.ParseInt(label, 10, 32)
		if err != nil || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// exported returns the features of a row of a packed corpus.
func (d *Dataset) exported(keys []uint64, columns []uint32, values []float32) ([]uint32, []float64) {
	numbers := make([]float64, len(columns))
	for k, j := range columns {
		numbers[k] = 1
		if values != nil {
			numbers[k] = float64(values[k])
		}
		if d.Ready() {
			columns[k] = uint32(keys[j]) - 1
		}
	}
	sparse.SortRow(columns, numbers)
	return columns, numbers
}
