package dataset

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/packed"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Export writes a packed corpus in SVMlight's format: labels, joined by commas, and
// features by ascending number. Ready-made features have the numbers they came with; an
// n-gram has that of its column, from 1. Weights are left out.
func Export(ctx context.Context, path string, w io.Writer) error {
	var line []byte
	return exportPacked(ctx, path, w, func(out io.Writer, labels []string, ids []uint32, values []float64) error {
		line = sparse.AppendSVMLightRow(line[:0], strings.Join(labels, ","), ids, values)
		_, err := out.Write(line)
		return err
	}, checkSVMLightLabels)
}

// ExportBitmaps writes the documents of a packed corpus as sets of features, numbered as
// in Export: for each a length of 8 bytes, little-endian, and so many bytes of a 32-bit
// roaring bitmap in the portable format, which all of roaring's implementations read. Labels,
// weights and values are left out.
func ExportBitmaps(ctx context.Context, path string, w io.Writer) error {
	return exportPacked(ctx, path, w, func(out io.Writer, _ []string, ids []uint32, _ []float64) error {
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
	}, func([]string) error { return nil })
}

// checkSVMLightLabels refuses labels that could not be read again.
func checkSVMLightLabels(labels []string) error {
	for _, label := range labels {
		if strings.ContainsAny(label, " \t\r\n,#") {
			return fmt.Errorf("nbsvm: the label %q has a character that ends labels in SVMlight's format", label)
		}
	}
	return nil
}

// exportPacked hands the documents of a packed corpus to write: their labels, and the numbers
// of their features, from 0, ascending, with values.
func exportPacked(ctx context.Context, path string, w io.Writer, write func(out io.Writer, labels []string, ids []uint32, values []float64) error, checkLabels func([]string) error) error {
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
	if err := errors.Join(err, checkLabels(d.Classes.Labels), d.Classes.List(ctx)); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var m sparse.CSR
	for b := range d.Rows.Blocks() {
		if err := errors.Join(d.Rows.Block(b, &m), ctx.Err()); err != nil {
			return err
		}
		first, _, _ := d.Rows.BlockRange(b)
		for i := range m.Rows {
			var labels []string
			for _, class := range d.Classes.LabelsOf(int(first) + i) {
				labels = append(labels, d.Classes.Labels[class])
			}
			columns, values := m.Row(i)
			ids, numbers := d.exported(keys, columns, values)
			if err := write(out, labels, ids, numbers); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// exported are the features of a row of a packed corpus.
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
