package dataset

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Export writes a packed corpus in SVMlight's format: labels, joined by commas, and
// features by ascending number. Ready-made features have the numbers they came with; an
// n-gram has that of its column, from 1. Weights are left out. Programs that read the format take
// whole numbers for labels: others are numbered from 1, in the order in which they are returned.
func Export(ctx context.Context, path string, w io.Writer) (numbered []string, err error) {
	err = exportPacked(ctx, path, w, func(d *Dataset) rowWriter {
		names := d.Classes.Labels
		if !WholeNumbers(names) {
			numbered, names = names, nil
			for k := range numbered {
				names = append(names, strconv.Itoa(k+1))
			}
		}
		var line []byte
		return func(out io.Writer, labels []int32, ids []uint32, values []float64) error {
			line = line[:0]
			for i, k := range labels {
				if i > 0 {
					line = append(line, ',')
				}
				line = append(line, names[k]...)
			}
			line = sparse.AppendSVMLightRow(line, "", ids, values)
			_, err := out.Write(line)
			return err
		}
	})
	return numbered, err
}

// ExportBitmaps writes the documents of a packed corpus as sets of features, numbered as
// in Export: for each a length of 8 bytes, little-endian, and so many bytes of a 32-bit
// roaring bitmap in the portable format, which all of roaring's implementations read. Labels,
// weights and values are left out.
func ExportBitmaps(ctx context.Context, path string, w io.Writer) error {
	return exportPacked(ctx, path, w, func(*Dataset) rowWriter {
		return func(out io.Writer, _ []int32, ids []uint32, _ []float64) error {
			for k := range ids {
				ids[k]++
			}
			set := roaring.BitmapOf(ids...)
			set.RunOptimize()
			if err := binary.Write(out, binary.LittleEndian, set.GetSerializedSizeInBytes()); err != nil {
				return err
			}
			_, err := set.WriteTo(out)
			return err
		}
	})
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

// rowWriter writes a document: the numbers of its labels, and of its features, from 0, ascending, with values.
type rowWriter func(out io.Writer, labels []int32, ids []uint32, values []float64) error

// exportPacked hands the documents of a packed corpus to the writer that is made for it.
func exportPacked(ctx context.Context, path string, w io.Writer, writer func(d *Dataset) rowWriter) error {
	d, err := Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.Ready() {
		if err := d.Rows.(*packed.Corpus).CheckKeys(); err != nil {
			return err // a feature twice in a row could not be read again
		}
	}
	keys, err := d.Rows.Keys()
	if err := errors.Join(err, d.Classes.List(ctx)); err != nil {
		return err
	}
	write, out := writer(d), bufio.NewWriter(w)
	var m sparse.CSR
	for b := range d.Rows.Blocks() {
		if err := errors.Join(d.Rows.Block(b, &m), ctx.Err()); err != nil {
			return err
		}
		first, _, _ := d.Rows.BlockRange(b)
		for i := range m.Rows {
			columns, values := m.Row(i)
			ids, numbers := d.exported(keys, columns, values)
			if err := write(out, d.Classes.LabelsOf(int(first)+i), ids, numbers); err != nil {
				return err
			}
		}
	}
	return out.Flush()
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
