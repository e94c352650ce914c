package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
)

// A block ends with the row by which it comes to one of these.
const (
	BlockEntries = 1 << 18
	BlockRows    = 1 << 12
)

// Head is what a corpus holds besides rows and the keys of their columns.
type Head struct {
	Meta    []byte              // JSON
	Labels  []string            // ascending
	Sets    []*roaring64.Bitmap // documents of each label
	Weights []float32           // of documents; nil if all are 1
	Runs    []Run               // of columns
	// Distinct is the number of keys that documents had, those included that are too
	// rare for a column.
	Distinct uint64
}

// Run is a number of columns, side by side, that occur in as many documents.
type Run struct{ Frequency, Columns uint64 }

// block is a line of BLOCKS.
type block struct {
	offset, length, first, entries uint64
	rows, crc                      uint32
}

// Writer writes a packed corpus.
type Writer struct {
	// MaxEntries and MaxRows are where blocks end, unless they are set to less before the
	// first row: BlockEntries and BlockRows.
	MaxEntries, MaxRows int
	// Names are those of columns, if it is not nil before Finish.
	Names *Names

	w      io.Writer
	at     uint64 // bytes written
	docs   uint64
	blocks []block
	open   block // under way
}

// NewWriter begins a corpus whose rows have values of a kind.
func NewWriter(w io.Writer, kind Values) (*Writer, error) {
	pw := &Writer{MaxEntries: BlockEntries, MaxRows: BlockRows, w: w}
	pw.open.offset = headerSize
	return pw, pw.write(appendHeader(nil, kind))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.at += uint64(n)
	return err
}

// Documents is the number of rows so far.
func (w *Writer) Documents() uint64 { return w.docs }

// Append writes rows behind those that are there, and releases them. Where blocks end does
// not depend on how rows come together.
func (w *Writer) Append(rows *Encoded) error {
	defer rows.Release()
	from, end := 0, 0 // rows from here to end are not written yet
	for i, e := range rows.Ends {
		w.open.rows++
		w.open.entries += uint64(rows.Entries[i])
		w.docs++
		end = e
		if int(w.open.rows) >= w.MaxRows || w.open.entries >= uint64(w.MaxEntries) {
			if err := w.extend(rows.Bytes[from:end]); err != nil {
				return err
			}
			w.endBlock()
			from = end
		}
	}
	return w.extend(rows.Bytes[from:end])
}

// extend writes bytes of the block under way.
func (w *Writer) extend(b []byte) error {
	w.open.crc = crc32.Update(w.open.crc, checksum.Castagnoli, b)
	return w.write(b)
}

func (w *Writer) endBlock() {
	if w.open.rows > 0 {
		w.open.length = w.at - w.open.offset
		w.blocks = append(w.blocks, w.open)
	}
	w.open = block{offset: w.at, first: w.docs}
}

// Finish writes what follows the rows; keys are the columns'. It does not close what it
// writes to.
func (w *Writer) Finish(h *Head, keys []uint64) (Totals, error) {
	w.endBlock()
	totals := Totals{Documents: w.docs, Columns: uint64(len(keys)), Distinct: h.Distinct}
	for _, b := range w.blocks {
		totals.Entries += b.entries
	}
	return totals, w.finish(h, keys, &totals)
}

func (w *Writer) finish(h *Head, keys []uint64, totals *Totals) error {
	if err := h.check(w.docs, len(keys)); err != nil {
		return err
	}
	var sections []Section
	add := func(name string, pieces func(yield func([]byte) error) error) error {
		if err := w.pad(); err != nil {
			return err
		}
		s := Section{Name: name, Offset: int64(w.at)}
		err := pieces(func(b []byte) error {
			s.CRC = crc32.Update(s.CRC, checksum.Castagnoli, b)
			return w.write(b)
		})
		s.Length = int64(w.at) - s.Offset
		sections = append(sections, s)
		return err
	}
	whole := func(b []byte) func(func([]byte) error) error {
		return func(yield func([]byte) error) error { return yield(b) }
	}
	sets, err := encodeSets(h.Sets)
	if err != nil {
		return err
	}
	parts := []struct {
		name   string
		pieces func(func([]byte) error) error
	}{
		{metaName, whole(h.Meta)},
		{labelsName, whole(encodeLabels(h.Labels))},
		{setsName, whole(sets)},
		{weightsName, numbers(h.Weights)},
		{keysName, encodeKeys(h.Runs, keys)},
		{runsName, whole(encodeRuns(h.Runs))},
		{namesName, w.Names.encode},
		{blocksName, whole(encodeBlocks(w.blocks))},
	}
	for _, p := range parts {
		if p.name == weightsName && h.Weights == nil || p.name == namesName && w.Names == nil {
			continue
		}
		if err := add(p.name, p.pieces); err != nil {
			return err
		}
	}
	if err := w.pad(); err != nil {
		return err
	}
	table := appendTable(nil, sections)
	f := footer{table: w.at, length: w.at + uint64(len(table)) + footerSize, totals: *totals, tableCRC: crc(table)}
	return w.write(f.append(table))
}

func (w *Writer) pad() error { return w.write(make([]byte, padding(w.at))) }

// check refuses what would not be read again.
func (h *Head) check(docs uint64, keys int) error {
	columns := uint64(0)
	for _, r := range h.Runs {
		columns += r.Columns
	}
	if err := checkColumns(keys); err != nil {
		return err
	}
	switch {
	case columns != uint64(keys):
		return fmt.Errorf("packed: frequencies of %d columns for %d", columns, keys)
	case h.Distinct < uint64(keys):
		return fmt.Errorf("packed: %d columns of %d distinct keys", keys, h.Distinct)
	case len(h.Sets) != len(h.Labels):
		return fmt.Errorf("packed: %d sets of documents for %d labels", len(h.Sets), len(h.Labels))
	case h.Weights != nil && uint64(len(h.Weights)) != docs:
		return fmt.Errorf("packed: %d weights for %d documents", len(h.Weights), docs)
	}
	return nil
}

// numbers yields a slice in pieces of moderate size.
func numbers(s []float32) func(func([]byte) error) error {
	const step = 1 << 13
	return func(yield func([]byte) error) error {
		var b []byte
		for lo := 0; lo < len(s); lo += step {
			b, _ = binary.Append(b[:0], binary.LittleEndian, s[lo:min(lo+step, len(s))]) // all of fixed size
			if err := yield(b); err != nil {
				return err
			}
		}
		return nil
	}
}

func encodeLabels(labels []string) (b []byte) {
	for _, l := range labels {
		b = append(binary.AppendUvarint(b, uint64(len(l))), l...)
	}
	return b
}

func encodeSets(sets []*roaring64.Bitmap) ([]byte, error) {
	var b bytes.Buffer
	for _, s := range sets {
		b.Write(binary.LittleEndian.AppendUint64(nil, s.GetSerializedSizeInBytes()))
		if _, err := s.WriteTo(&b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func encodeRuns(runs []Run) (b []byte) {
	for _, r := range runs {
		b = binary.AppendUvarint(binary.AppendUvarint(b, r.Frequency), r.Columns)
	}
	return b
}

func encodeBlocks(blocks []block) (b []byte) {
	le := binary.LittleEndian
	for _, x := range blocks {
		for _, v := range [...]uint64{x.offset, x.length, x.first, x.entries} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(le.AppendUint32(b, x.rows), x.crc)
	}
	return b
}

// checkColumns refuses more columns than a matrix may have.
func checkColumns(n int) error {
	if n > math.MaxInt32 {
		return fmt.Errorf("packed: %d columns, more than %d: leave out rare n-grams", n, math.MaxInt32)
	}
	return nil
}
