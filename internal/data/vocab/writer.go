package vocab

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// A block ends with the row by which it comes to one of these.
const (
	BlockEntries = 1 << 18
	blockRows    = 1 << 12
)

// block is a line of BLOCKS.
type block struct {
	Offset, Length uint64
	First          uint64 // document
	Entries        uint64
	Rows, CRC      uint32
}

// Writer writes a packed corpus.
type Writer struct {
	// Names are the columns' names, to be set before Finish; nil for none.
	Names *Names

	c      *container.Writer
	kind   Values
	docs   uint64
	blocks []block
	open   block // the last, which further rows may be added to

	maxEntries int // entries that end a block: BlockEntries, but for tests
}

// NewWriter begins a corpus whose rows have values of a kind.
func NewWriter(w io.Writer, kind Values) (*Writer, error) {
	pw := &Writer{c: format.NewWriter(w), kind: kind, maxEntries: BlockEntries}
	pw.c.Begin(rowsName, false)
	pw.beginBlock()
	return pw, pw.write(nil)
}

// write writes rows of a block.
func (w *Writer) write(rows []byte) error {
	w.open.CRC = crc32.Update(w.open.CRC, osfile.Castagnoli, rows)
	_, err := w.c.Write(rows)
	return err
}

// Append writes rows behind those that are there, and takes their memory back for NewEncoded. Where
// blocks end does not depend on how rows are grouped into calls.
func (w *Writer) Append(rows *Encoded) error {
	defer rows.release()
	from, end := 0, 0 // rows from here to end are not written yet
	for i, e := range rows.Ends {
		w.open.Rows++
		w.open.Entries += uint64(rows.Entries[i])
		w.docs++
		end = e
		if w.open.Rows >= blockRows || w.open.Entries >= uint64(w.maxEntries) {
			if err := w.write(rows.Bytes[from:end]); err != nil {
				return err
			}
			w.endBlock()
			from = end
		}
	}
	return w.write(rows.Bytes[from:end])
}

func (w *Writer) beginBlock() {
	w.open = block{Offset: uint64(w.c.Written()), First: w.docs}
}

func (w *Writer) endBlock() {
	if w.open.Rows > 0 {
		w.open.Length = uint64(w.c.Written()) - w.open.Offset
		w.blocks = append(w.blocks, w.open)
	}
	w.beginBlock()
}

// Finish writes what follows the rows, given the key of every column. It does not close the io.Writer.
func (w *Writer) Finish(h *Head, keys []uint64) (Totals, error) {
	w.endBlock()
	totals := Totals{Documents: w.docs, Columns: uint64(len(keys)), Distinct: h.Distinct}
	for _, b := range w.blocks {
		totals.Entries += b.Entries
	}
	return totals, w.finish(h, keys, &totals)
}

func (w *Writer) finish(h *Head, keys []uint64, sums *Totals) error {
	if err := checkSize(sums.Documents, len(keys)); err != nil {
		return err
	}
	if h.Distinct < sums.Columns {
		return fmt.Errorf("packed: %d columns of %d distinct keys", sums.Columns, h.Distinct)
	}
	if name, detail := h.check(sums); detail != "" {
		return fmt.Errorf("packed: %s would not be read again: %s", name, detail)
	}
	if err := checkKeys(h.Runs, keys); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w.c, 1<<16)
	for _, part := range []struct {
		name  string
		there bool
		write func() error // to b, which keeps the first error of writing
	}{
		{metaName, true, func() error { _, err := b.Write(h.Meta); return err }},
		{labelsName, true, func() error { return writeLabels(b, h.Labels) }},
		{setsName, true, func() error { return writeSets(b, h.Sets) }},
		{weightsName, h.Weights != nil, func() error { return writeWeights(b, h.Weights) }},
		{keysName, true, func() error { return writeKeys(b, h.Runs, keys) }},
		{runsName, true, func() error { return writeRuns(b, h.Runs) }},
		{namesName, w.Names != nil, func() error { return w.Names.write(b) }},
		{blocksName, true, func() error { _, err := b.Write(container.Encode(w.blocks)); return err }},
		{totalsName, true, func() error {
			_, err := b.Write(container.Encode(totals{Totals: *sums, Kind: w.kind}))
			return err
		}},
	} {
		if !part.there {
			continue
		}
		w.c.Begin(part.name, false)
		if err := errors.Join(part.write(), b.Flush()); err != nil {
			return err
		}
	}
	return w.c.Close()
}

func writeLabels(b *bufio.Writer, labels []string) (err error) {
	for _, l := range labels {
		_, err = b.Write(append(binary.AppendUvarint(b.AvailableBuffer(), uint64(len(l))), l...))
	}
	return err
}

func writeSets(b *bufio.Writer, sets []*roaring.Bitmap) (err error) {
	for _, s := range sets {
		if s.IsEmpty() {
			_, err = b.Write(container.Encode([]uint64{8, 0})) // of no parts
			continue
		}
		b.Write(container.Encode(setHead{Length: setHeadSize - 8 + s.GetSerializedSizeInBytes(), Parts: 1}))
		_, err = s.WriteTo(b)
	}
	return err
}

func writeWeights(b *bufio.Writer, weights []float32) (err error) {
	for _, w := range weights {
		_, err = b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), math.Float32bits(w)))
	}
	return err
}

func writeRuns(b *bufio.Writer, runs []Run) (err error) {
	for _, r := range runs {
		_, err = b.Write(binary.AppendUvarint(binary.AppendUvarint(b.AvailableBuffer(), r.Frequency), r.Columns))
	}
	return err
}
