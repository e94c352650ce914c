package packed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

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

	out    output
	docs   uint64
	blocks []block
	open   block // the last, which further rows may be added to

	maxEntries int // entries that end a block: BlockEntries, but for tests
}

// output counts the bytes that are written, and adds up the checksum of a block or section.
type output struct {
	w   io.Writer
	at  uint64 // bytes written
	crc uint32
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.at += uint64(n)
	o.crc = crc32.Update(o.crc, osfile.Castagnoli, b[:n])
	return n, err
}

// NewWriter begins a corpus whose rows have values of a kind.
func NewWriter(w io.Writer, kind Values) (*Writer, error) {
	pw := &Writer{maxEntries: BlockEntries, out: output{w: w}}
	_, err := pw.out.Write(encodeHeader(kind))
	pw.beginBlock()
	return pw, err
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
			if _, err := w.out.Write(rows.Bytes[from:end]); err != nil {
				return err
			}
			w.endBlock()
			from = end
		}
	}
	_, err := w.out.Write(rows.Bytes[from:end])
	return err
}

func (w *Writer) beginBlock() {
	w.open, w.out.crc = block{Offset: w.out.at, First: w.docs}, 0
}

func (w *Writer) endBlock() {
	if w.open.Rows > 0 {
		w.open.Length, w.open.CRC = w.out.at-w.open.Offset, w.out.crc
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

func (w *Writer) finish(h *Head, keys []uint64, totals *Totals) error {
	if err := checkSize(totals.Documents, len(keys)); err != nil {
		return err
	}
	if h.Distinct < totals.Columns {
		return fmt.Errorf("packed: %d columns of %d distinct keys", totals.Columns, h.Distinct)
	}
	if name, detail := h.check(totals); detail != "" {
		return fmt.Errorf("packed: %s would not be read again: %s", name, detail)
	}
	if err := checkKeys(h.Runs, keys); err != nil {
		return err
	}
	b := bufio.NewWriterSize(&w.out, 1<<16)
	var sections []Section
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
		{blocksName, true, func() error { _, err := b.Write(encode(w.blocks)); return err }},
	} {
		if !part.there {
			continue
		}
		if err := w.pad(); err != nil {
			return err
		}
		s := Section{Name: part.name, Offset: int64(w.out.at)}
		w.out.crc = 0
		if err := errors.Join(part.write(), b.Flush()); err != nil {
			return err
		}
		s.Length, s.CRC = int64(w.out.at)-s.Offset, w.out.crc
		sections = append(sections, s)
	}
	if err := w.pad(); err != nil {
		return err
	}
	table := encodeTable(sections)
	f := footer{
		Table: w.out.at, Length: w.out.at + uint64(len(table)) + footerSize, Totals: *totals,
		TableCRC: crc(table),
	}
	_, err := w.out.Write(append(table, f.encode()...))
	return err
}

func (w *Writer) pad() error {
	_, err := w.out.Write(make([]byte, padding(w.out.at)))
	return err
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
			_, err = b.Write(encode([]uint64{8, 0})) // of no parts
			continue
		}
		b.Write(encode(setHead{Length: setHeadSize - 8 + s.GetSerializedSizeInBytes(), Parts: 1}))
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
