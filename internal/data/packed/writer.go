package packed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

// A block ends with the row by which it comes to one of these.
const (
	BlockEntries = 1 << 18
	blockRows    = 1 << 12
)

// block is a line of BLOCKS.
type block struct {
	offset, length, first, entries uint64
	rows, crc                      uint32
}

// Writer writes a packed corpus.
type Writer struct {
	// MaxEntries is how many entries end a block: BlockEntries, unless it is set to less before the
	// first row.
	MaxEntries int
	// Names are the columns' names, to be set before Finish; nil for none.
	Names *Names

	w      io.Writer
	at     uint64 // bytes written
	docs   uint64
	blocks []block
	open   block // the last, which further rows may be added to
}

// NewWriter begins a corpus whose rows have values of a kind.
func NewWriter(w io.Writer, kind Values) (*Writer, error) {
	pw := &Writer{MaxEntries: BlockEntries, w: w}
	pw.open.offset = headerSize
	return pw, pw.write(appendHeader(nil, kind))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.at += uint64(n)
	return err
}

// Append writes rows behind those that are there, and takes their memory back for NewEncoded. Where
// blocks end does not depend on how rows are grouped into calls.
func (w *Writer) Append(rows *Encoded) error {
	defer rows.release()
	from, end := 0, 0 // rows from here to end are not written yet
	for i, e := range rows.Ends {
		w.open.rows++
		w.open.entries += uint64(rows.Entries[i])
		w.docs++
		end = e
		if w.open.rows >= blockRows || w.open.entries >= uint64(w.MaxEntries) {
			if err := w.extend(rows.Bytes[from:end]); err != nil {
				return err
			}
			w.endBlock()
			from = end
		}
	}
	return w.extend(rows.Bytes[from:end])
}

// extend writes bytes of the last block.
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

// Finish writes what follows the rows, given the key of every column. It does not close the io.Writer.
func (w *Writer) Finish(h *Head, keys []uint64) (Totals, error) {
	w.endBlock()
	totals := Totals{Documents: w.docs, Columns: uint64(len(keys)), Distinct: h.Distinct}
	for _, b := range w.blocks {
		totals.Entries += b.entries
	}
	return totals, w.finish(h, keys, &totals)
}

func (w *Writer) finish(h *Head, keys []uint64, totals *Totals) error {
	if err := checkColumns(len(keys)); err != nil {
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
	sets, err := encodeSets(h.Sets)
	if err != nil {
		return err
	}
	parts := []content{
		{metaName, whole(h.Meta)},
		{labelsName, whole(encodeLabels(h.Labels))},
		{setsName, whole(sets)},
		{weightsName, numbers(h.Weights)},
		{keysName, encodeKeys(h.Runs, keys)},
		{runsName, whole(encodeRuns(h.Runs))},
		{namesName, w.Names.encode},
		{blocksName, whole(encodeBlocks(w.blocks))},
	}
	parts = slices.DeleteFunc(parts, func(p content) bool {
		return p.name == weightsName && h.Weights == nil || p.name == namesName && w.Names == nil
	})
	return w.sections(parts, totals)
}

// content is a section to be written, in pieces.
type content struct {
	name   string
	pieces func(yield func([]byte) error) error
}

// sections writes sections, table and footer.
func (w *Writer) sections(parts []content, totals *Totals) error {
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
	for _, p := range parts {
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

// whole yields a slice in one piece.
func whole(b []byte) func(func([]byte) error) error {
	return func(yield func([]byte) error) error { return yield(b) }
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
