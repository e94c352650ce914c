package vocab

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/container"
)

// parse reads all but the blocks.
func (c *Corpus) parse(data []byte) error {
	t, bad := format.Read(data)
	if bad == nil {
		bad = format.CheckKnown(t, func(name string) bool { return slices.Contains(known, name) })
	}
	if bad != nil {
		return bad
	}
	c.Sections, c.checksum = t.Sections, t.Own.Stored
	p := parser{c: c, rows: c.section(rowsName)}
	if p.rows.Name == "" {
		return fault(t.Own.Name, t.Own.Offset, corrupt, "there is no section %s", rowsName)
	}
	for _, part := range []struct {
		name     string
		read     func(b []byte) string
		optional bool
	}{
		{totalsName, p.totals, false},
		{metaName, p.meta, false},
		{labelsName, p.labels, false},
		{setsName, p.sets, false},
		{weightsName, p.weights, true},
		{runsName, p.runs, false},
		{keysName, p.keys, false},
		{blocksName, p.blocks, false},
	} {
		s := t.Find(part.name)
		switch {
		case s == nil && part.optional:
			continue
		case s == nil:
			return fault(t.Own.Name, t.Own.Offset, corrupt, "there is no section %s", part.name)
		}
		if bad := format.Check(s, data); bad != nil {
			return bad
		}
		p.at = 0
		if detail := part.read(s.Bytes(data)); detail != "" {
			return fault(s.Name, s.Offset+int64(p.at), corrupt, "%s", detail)
		}
	}
	if name, detail := c.check(&c.totals); detail != "" {
		return fault(name, c.section(name).Offset, corrupt, "%s", detail)
	}
	c.keys, c.names = c.section(keysName), c.section(namesName)
	return nil
}

// parser reads sections.
type parser struct {
	c    *Corpus
	rows Section // ROWS
	at   int     // within the section, of what is wrong
}

func (p *parser) totals(b []byte) string {
	if len(b) != totalsSize {
		return fmt.Sprintf("it has %d bytes", len(b))
	}
	t := container.Decode[totals](b)
	p.c.totals, p.c.Kind = t.Totals, t.Kind
	switch room := uint64(p.rows.Length); {
	case t.Kind > Floats:
		return fmt.Sprintf("rows have values of kind %d, which there is not", t.Kind)
	case t.Documents > room || t.Entries > t.Kind.mostEntries(room): // a row takes a byte or more
		return fmt.Sprintf("it has %d documents and %d entries in %d bytes", t.Documents, t.Entries, room)
	case t.Documents > math.MaxInt32:
		return fmt.Sprintf("it has %d documents, more than %d", t.Documents, math.MaxInt32)
	case t.Columns > math.MaxInt32 || t.Columns > t.Distinct:
		return fmt.Sprintf("it has %d columns of %d keys", t.Columns, t.Distinct)
	}
	return ""
}

func (p *parser) meta(b []byte) string {
	p.c.Meta = bytes.Clone(b)
	return ""
}

func (p *parser) labels(b []byte) string {
	for p.at < len(b) {
		n, size := binary.Uvarint(b[p.at:])
		if size <= 0 || n > uint64(len(b)-p.at-size) {
			return "it ends within a label"
		}
		if len(p.c.Labels) == MaxLabels {
			return fmt.Sprintf("there are more than %d labels", MaxLabels)
		}
		label := string(b[p.at+size:][:n])
		p.c.Labels = append(p.c.Labels, label)
		p.at += size + int(n)
	}
	return ""
}

func (p *parser) sets(b []byte) string {
	for len(p.c.Sets) < len(p.c.Labels) {
		if len(b)-p.at < 8 {
			return "it ends before the last label's set"
		}
		n := binary.LittleEndian.Uint64(b[p.at:])
		if n > uint64(len(b)-p.at-8) {
			return fmt.Sprintf("a set is said to have %d bytes", n)
		}
		set, err := decodeSet(b[p.at+8:][:n])
		if err != nil {
			return fmt.Sprintf("the set of label %q: %v", p.c.Labels[len(p.c.Sets)], err)
		}
		p.c.Sets = append(p.c.Sets, set)
		p.at += 8 + int(n)
	}
	if p.at != len(b) {
		return "bytes follow the last label's set"
	}
	return ""
}

// setHead is what stands in front of the bitmap of a set that is not empty.
type setHead struct {
	Length uint64 // of what follows
	Parts  uint64
	Upper  uint32 // bits of the numbers of the part
}

const setHeadSize = 20

// decodeSet reads a set, without its length, and makes sure that it is one.
func decodeSet(b []byte) (set *roaring.Bitmap, err error) {
	defer func() { // the library checks most of what it is given, not all
		if r := recover(); r != nil {
			err = fmt.Errorf("not a roaring bitmap: %v", r)
		}
	}()
	set = roaring.New()
	switch head := container.Encode(setHead{Parts: 1})[8:]; {
	case string(b) == string(make([]byte, 8)):
		return set, nil
	case !bytes.HasPrefix(b, head):
		return nil, errors.New("it is not of one part")
	default:
		b = b[len(head):]
	}
	if err := set.UnmarshalBinary(bytes.Clone(b)); err != nil {
		return nil, err
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if n := set.GetSerializedSizeInBytes(); n != uint64(len(b)) || set.IsEmpty() {
		return nil, fmt.Errorf("%d bytes instead of %d", len(b), n)
	}
	set.RunOptimize() // as the sets of documents that were read
	return set, nil
}

func (p *parser) weights(b []byte) string {
	if uint64(len(b)) != 4*p.c.totals.Documents {
		return fmt.Sprintf("it has %d bytes for %d documents", len(b), p.c.totals.Documents)
	}
	p.c.Weights = make([]float32, p.c.totals.Documents)
	for i := range p.c.Weights {
		p.c.Weights[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return ""
}

func (p *parser) keys(b []byte) (detail string) {
	p.at, detail = eachColumn(b, p.c.Runs, func(uint32, uint64, uint64) {})
	return detail
}

func (p *parser) runs(b []byte) string {
	last, left := uint64(math.MaxUint64), p.c.totals.Entries
	for p.at < len(b) {
		frequency, size := binary.Uvarint(b[p.at:])
		if size <= 0 {
			return "it ends within a frequency"
		}
		columns, more := binary.Uvarint(b[p.at+size:])
		if more <= 0 {
			return "it ends within a number of columns"
		}
		// Of a file that contradicts itself, no more is kept than of others.
		high, entries := bits.Mul64(frequency, columns)
		if frequency >= last || high > 0 || entries > left {
			return fmt.Sprintf("%d columns are said to be in %d documents each", columns, frequency)
		}
		last, left = frequency, left-entries
		p.c.Runs = append(p.c.Runs, Run{frequency, columns})
		p.at += size + more
	}
	return checkRuns(p.c.Runs, &p.c.totals)
}

func (p *parser) blocks(b []byte) string {
	if len(b)%blockSize != 0 {
		return fmt.Sprintf("it has %d bytes", len(b))
	}
	next, end := uint64(p.rows.Offset), uint64(p.rows.Offset+p.rows.Length)
	docs, entries := uint64(0), uint64(0)
	for p.at = 0; p.at < len(b); p.at += blockSize {
		x := container.Decode[block](b[p.at:])
		if x.Offset != next || x.Length > end-next || x.First != docs || x.Rows == 0 || x.Rows > blockRows ||
			uint64(x.Rows) > x.Length || x.Entries > p.c.Kind.mostEntries(x.Length) ||
			x.Entries >= BlockEntries+p.c.totals.Columns {
			return fmt.Sprintf("block %d is said to have %d rows and %d entries in %d bytes from byte %d on",
				len(p.c.blocks), x.Rows, x.Entries, x.Length, x.Offset)
		}
		next, docs, entries = next+x.Length, docs+uint64(x.Rows), entries+x.Entries
		p.c.blocks = append(p.c.blocks, x)
	}
	if docs != p.c.totals.Documents || entries != p.c.totals.Entries {
		return fmt.Sprintf("blocks have %d documents and %d entries, the file is said to have %d and %d",
			docs, entries, p.c.totals.Documents, p.c.totals.Entries)
	}
	if next != end {
		return fmt.Sprintf("blocks end at byte %d, and rows at %d", next, end)
	}
	return ""
}
