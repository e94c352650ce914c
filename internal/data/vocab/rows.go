package vocab

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Values says what values rows have.
type Values uint32

// The kinds of values.
const (
	Binary Values = iota // none: entries count as 1
	Counts               // whole numbers from 1 to 2^32 that float32 holds exactly
	Floats               // any finite float32
)

// mostEntries returns how many entries a number of bytes may hold: an entry has a quarter of a byte for the
// length of its gap, which may have no bytes, and its value.
func (v Values) mostEntries(bytes uint64) uint64 {
	switch v {
	case Counts:
		return 4 * bytes / 5
	case Floats:
		return 4 * bytes / 17
	}
	return 4 * bytes
}

// isCount reports whether a row of Counts may have this value.
func isCount(v uint64) bool { return v >= 1 && v <= 1<<32 && uint64(float32(v)) == v }

// Encoded holds rows as they lie in a block.
type Encoded struct {
	Bytes   []byte
	Ends    []int // where each row ends in Bytes
	Entries []int // how many each row has
}

var encoded = sync.Pool{New: func() any { return new(Encoded) }}

// NewEncoded returns an empty Encoded, in memory that Writer.Append gave up.
func NewEncoded() *Encoded {
	e := encoded.Get().(*Encoded)
	e.Bytes, e.Ends, e.Entries = e.Bytes[:0], e.Ends[:0], e.Entries[:0]
	return e
}

// release gives up the memory of rows that have been written.
func (e *Encoded) release() { encoded.Put(e) }

// Append adds a row of ascending, distinct columns, with values parallel to them unless
// the kind is Binary.
func (e *Encoded) Append(kind Values, columns []uint32, values []float32) {
	least := leastLength(columns)
	b := binary.AppendUvarint(e.Bytes, uint64(len(columns))<<1|uint64(least))
	control := len(b)
	b = append(b, make([]byte, (len(columns)+3)/4)...)
	// Room for every gap, of which 4 bytes are written whatever its length.
	b = slices.Grow(b, 4*len(columns)+4)
	at, next := len(b), uint32(0)
	b = b[:cap(b)]
	for group := range slices.Chunk(columns, 4) {
		lengths := 0
		for k, column := range group {
			gap := column - next
			next = column + 1
			more := max((bits.Len32(gap)+7)/8-least, 0) // length in bytes, less the least
			lengths |= more << (2 * k)
			binary.LittleEndian.PutUint32(b[at:], gap)
			at += least + more
		}
		b[control] = byte(lengths)
		control++
	}
	b = b[:at]
	switch kind {
	case Counts:
		for _, v := range values {
			b = binary.AppendUvarint(b, uint64(v))
		}
	case Floats:
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	e.Bytes, e.Ends, e.Entries = b, append(e.Ends, len(b)), append(e.Entries, len(columns))
}

// leastLength returns the length in bytes of a row's shortest gaps, to which two bits an entry add up to
// three: 1 if a gap needs 4 bytes, or else 0, which saves a byte wherever one column follows
// another. Of text, every tenth gap is such.
func leastLength(columns []uint32) int {
	if n := len(columns); n == 0 || columns[n-1] < 1<<24 {
		return 0
	}
	next := uint32(0)
	for _, column := range columns {
		if column-next >= 1<<24 {
			return 1
		}
		next = column + 1
	}
	return 0
}

// decoder reads the rows of a block.
type decoder struct {
	b  []byte
	at int
	// bad is what is wrong with the row at about at; it is empty if nothing is.
	bad string
}

const endsWithin = "it ends within a row"

// row appends the next row to columns and values. Columns are ascending and below cols, which are at most 2^31.
func (d *decoder) row(kind Values, cols uint64, columns []uint32, values []float32) ([]uint32, []float32) {
	n, size := binary.Uvarint(d.b[d.at:])
	least := n & 1
	n >>= 1
	if size <= 0 || n > kind.mostEntries(uint64(len(d.b)-d.at)) {
		d.bad = endsWithin
		return columns, values
	}
	d.at += size
	control := d.b[d.at:]
	if uint64(len(control)) < (n+3)/4 {
		d.bad = endsWithin
		return columns, values
	}
	control = control[:(n+3)/4]
	d.at += len(control)
	first := len(columns)
	columns = slices.Grow(columns, int(n))[:first+int(n)]
	used, ok := kernels.ColumnsOfGaps(columns[first:], d.b[d.at:], control, int(least))
	if !ok || n > 0 && uint64(columns[len(columns)-1]) >= cols {
		d.bad = badGaps(d.b[d.at:], control, int(n), int(least), cols)
		return columns[:first], values
	}
	d.at += used
	switch kind {
	case Counts:
		values = d.counts(values, int(n))
	case Floats:
		values = d.floats(values, int(n))
	}
	return columns, values
}

// badGaps returns what is wrong with the gaps of a row: a column that is not below cols, or else its end.
func badGaps(data, control []byte, n, least int, cols uint64) string {
	column := uint64(0)
	for k := range n {
		length := least + int(control[k/4]>>(2*(k%4))&3)
		if length > len(data) {
			break
		}
		var gap [4]byte
		copy(gap[:], data[:length])
		data = data[length:]
		if column += uint64(binary.LittleEndian.Uint32(gap[:])); column >= cols {
			return fmt.Sprintf("it has column %d, but the corpus has %d columns", column, cols)
		}
		column++
	}
	return endsWithin
}

func (d *decoder) counts(values []float32, n int) []float32 {
	for range n {
		v, size := binary.Uvarint(d.b[d.at:])
		if size <= 0 || !isCount(v) {
			d.bad = badCount(v, size)
			return values
		}
		d.at += size
		values = append(values, float32(v))
	}
	return values
}

// badCount returns what is wrong with a count, of which binary.Uvarint returned these.
func badCount(v uint64, size int) string {
	switch {
	case size == 0:
		return endsWithin
	case size < 0:
		return "a count is beyond 64 bits"
	}
	return fmt.Sprintf("count %d is not a whole number from 1 to 4294967296 that a float32 holds exactly", v)
}

func (d *decoder) floats(values []float32, n int) []float32 {
	if len(d.b)-d.at < 4*n {
		d.bad = endsWithin
		return values
	}
	for range n {
		v := math.Float32frombits(binary.LittleEndian.Uint32(d.b[d.at:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			d.bad = fmt.Sprintf("value %v is not finite", v)
			return values
		}
		d.at += 4
		values = append(values, v)
	}
	return values
}
