package vocab

import (
	"bufio"
	"encoding/binary"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Names collects the names of columns for a corpus that is written. They may be added in any order;
// those that do not fit into memory are kept in a temporary file until the end.
type Names struct {
	room    int // for bytes that wait
	columns int
	count   int             // of columns that have their name
	named   []atomic.Uint64 // a bit a column
	shares  [][]byte        // records that wait, by share of the columns
	waiting int             // bytes of them
	spill   osfile.Spill
	spilled [][]span // what the file has of each share
}

// span is a part of a file.
type span struct {
	offset int64
	length int
}

// shareColumns is how many neighbouring columns make a share, whose names are sorted in memory.
const shareColumns = 1 << 16

// namesRoom is memory enough for names to wait in without many small writes.
const namesRoom = 64 << 20

// NewNames begins a collection for so many columns. folder is for the file; "" is the system's.
func NewNames(columns int, folder string) *Names {
	n := (columns + shareColumns - 1) / shareColumns
	return &Names{
		spill: osfile.Spill{Folder: folder}, room: namesRoom, columns: columns,
		named: make([]atomic.Uint64, (columns+63)/64), shares: make([][]byte, n), spilled: make([][]span, n),
	}
}

// Has reports whether a column has its name. It may be called from several goroutines at once,
// and beside Add.
func (n *Names) Has(column uint32) bool { return n.named[column/64].Load()>>(column%64)&1 != 0 }

// Len returns the number of columns that have their name.
func (n *Names) Len() int { return n.count }

// Add gives a column its name, unless it has one.
func (n *Names) Add(column uint32, name []byte) error {
	if n.Has(column) {
		return nil
	}
	word := &n.named[column/64]
	word.Store(word.Load() | 1<<(column%64))
	n.count++
	share := &n.shares[column/shareColumns]
	before := len(*share)
	*share = binary.AppendUvarint(binary.AppendUvarint(*share, uint64(column%shareColumns)), uint64(len(name)))
	*share = append(*share, name...)
	if n.waiting += len(*share) - before; n.waiting <= n.room {
		return nil
	}
	for i, b := range n.shares {
		if len(b) == 0 {
			continue
		}
		at, err := n.spill.Write(b)
		if err != nil {
			return err
		}
		n.spilled[i] = append(n.spilled[i], span{at, len(b)})
		n.shares[i] = b[:0]
	}
	n.waiting = 0
	return nil
}

// Close removes the file, if there is one. A nil collection has none.
func (n *Names) Close() {
	if n != nil {
		n.spill.Close()
	}
}

// write writes NAMES, a share at a time.
func (n *Names) write(b *bufio.Writer) error {
	var records []byte
	for i := range n.shares {
		records = records[:0]
		for _, s := range n.spilled[i] {
			at := len(records)
			records = append(records, make([]byte, s.length)...)
			if err := n.spill.Read(records[at:], s.offset); err != nil {
				return err
			}
		}
		records = append(records, n.shares[i]...)
		n.shares[i] = nil
		if err := writeNames(b, records, min(shareColumns, n.columns-i*shareColumns)); err != nil {
			return err
		}
	}
	return nil
}

// writeNames writes the records of a share of so many columns in order.
func writeNames(b *bufio.Writer, records []byte, columns int) (err error) {
	names := make([][]byte, columns)
	for len(records) > 0 {
		column, size := binary.Uvarint(records)
		length, more := binary.Uvarint(records[size:])
		records = records[size+more:]
		names[column], records = records[:length], records[length:]
	}
	for _, name := range names {
		_, err = b.Write(append(binary.AppendUvarint(b.AvailableBuffer(), uint64(len(name))), name...))
	}
	return err
}

// Named reports whether columns have names.
func (c *Corpus) Named() bool { return c.names.Name != "" }

// EachName visits the columns that have a name, in ascending order. The name is a part of the mapped
// file and must not be kept.
func (c *Corpus) EachName(visit func(column uint32, name []byte)) error {
	if !c.Named() {
		return nil
	}
	return c.guard(func() error {
		offset, length := int(c.names.Offset), int(c.names.Length)
		defer c.mapping.DontNeed(offset, length)
		section := c.names // of this call: several may run at once
		if bad := format.Check(&section, c.mapping.Bytes()); bad != nil {
			return bad
		}
		return c.eachName(c.mapping.Bytes()[offset:offset+length], visit)
	})
}

func (c *Corpus) eachName(b []byte, visit func(column uint32, name []byte)) error {
	at := 0
	wrong := func(message string, args ...any) error {
		return fault(namesName, c.names.Offset+int64(at), corrupt, message, args...)
	}
	for column := range c.totals.Columns {
		n, size := binary.Uvarint(b[at:])
		if size <= 0 || n > uint64(len(b)-at-size) {
			return wrong("it ends within the name of column %d", column)
		}
		name := b[at+size:][:n]
		at += size + int(n)
		if n > 0 {
			visit(uint32(column), name)
		}
	}
	if at != len(b) {
		return wrong("bytes follow the last name")
	}
	return nil
}
