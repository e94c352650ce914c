package records

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

var (
	// errShort is a column that has fewer values than its row group has rows, and errLong one that has more.
	errShort = errors.New("it has fewer values than its row group has rows")
	errLong  = errors.New("it has more values than its row group has rows")
	// errHeadless is a column whose first value goes on with a row.
	errHeadless = errors.New("its first value belongs to no row")
	// errTexts are texts that are not where a page says.
	errTexts = errors.New("a text is longer than its page, or dictionary")
)

// texts reads a column of texts page by page. A text that is not in a dictionary stands in its page as it does in a
// block of package recordstream, so that many are copied as one.
type texts struct {
	*pages
	row   int    // of the page, that comes next
	rest  []byte // the page's texts from there on, each behind its length; not of indexes
	index int    // of the page's indexes, that comes next
	entry [][]byte

	// Memory of pages that are neither PLAIN nor indexes.
	bytes, memory []byte
	offsets       []uint32
}

// turn goes to the next page.
func (t *texts) turn() error {
	if err := t.pages.next(); err != nil {
		return err
	}
	t.row, t.index, t.rest = 0, 0, t.data
	switch {
	case t.byIndex():
		if t.entry == nil {
			return t.cutDictionary()
		}
	case t.encoding != format.Plain:
		return t.decode()
	}
	return nil
}

// decode makes the rest of a page whose lengths stand elsewhere, or whose texts begin as those before them.
func (t *texts) decode() error {
	typ, of := parquet.ByteArrayType, parquet.LookupEncoding(t.encoding)
	values, err := typ.Decode(typ.NewValues(t.bytes[:0], t.offsets[:0]), t.data, of)
	if err != nil {
		return err
	}
	data, offsets := values.ByteArray()
	if len(offsets) != t.there+1 && t.there > 0 {
		return errTexts
	}
	t.memory = slices.Grow(t.memory[:0], len(data)+4*t.there)
	for i := range t.there {
		t.memory = recordstream.AppendText(t.memory, data[offsets[i]:offsets[i+1]])
	}
	t.bytes, t.offsets, t.rest = data, offsets, t.memory
	return nil
}

// cutDictionary finds the texts of the dictionary.
func (t *texts) cutDictionary() error {
	t.entry = make([][]byte, 0, t.entries)
	rest := t.dictionary
	for range t.entries {
		n, ok := length(rest)
		if !ok {
			return errTexts
		}
		t.entry = append(t.entry, rest[4:4+n])
		rest = rest[4+n:]
	}
	return nil
}

// length is that of the text that begins behind it; ok is false if it is not all there.
func length(rest []byte) (n int, ok bool) {
	if len(rest) < 4 {
		return 0, false
	}
	n = int(binary.LittleEndian.Uint32(rest))
	return n, n <= len(rest)-4
}

// append appends the values of rows to a block, as values of package recordstream, until these have so many bytes or
// rows. A mask tells which rows are wanted, nil that all are.
func (t *texts) append(block []byte, bytes, rows, maxValue int, mask []bool) (grown []byte, n int, err error) {
	for full := len(block) + bytes; n < rows && len(block) < full; {
		if t.row == t.n {
			if err := t.turn(); err == io.EOF {
				return block, n, errShort
			} else if err != nil {
				return block, n, err
			}
		}
		if t.definitions == nil && mask == nil && !t.byIndex() {
			count, bytes := t.run(min(rows-n, t.n-t.row), full-len(block), maxValue)
			block = append(block, t.rest[:bytes]...)
			t.rest = t.rest[bytes:]
			t.row += count
			if n += count; count > 0 {
				continue
			}
		}
		is := mask == nil || mask[n]
		if t.definitions != nil && int(t.definitions[t.row]) != t.of.maxDefinition {
			if is {
				block = recordstream.AppendNull(block)
			}
		} else {
			text, err := t.text()
			if err != nil {
				return block, n, err
			}
			if is {
				block = appendValue(block, text, maxValue)
			}
		}
		t.row++
		n++
	}
	return block, n, nil
}

// run counts the next texts of a page, so many at most, that stand in a block as they do here, and their bytes.
func (t *texts) run(most, room, maxValue int) (count, bytes int) {
	for count < most && bytes < room {
		n, ok := length(t.rest[bytes:])
		if !ok || n > maxValue {
			break
		}
		bytes += 4 + n
		count++
	}
	return count, bytes
}

// text is the next text of the page.
func (t *texts) text() (text []byte, err error) {
	if t.byIndex() {
		text = t.entry[t.indexes[t.index]]
		t.index++
		return text, nil
	}
	n, ok := length(t.rest)
	if !ok {
		return nil, errTexts
	}
	text, t.rest = t.rest[4:4+n], t.rest[4+n:]
	return text, nil
}

// atEnd tells whether no value is left.
func (t *texts) atEnd() error {
	if t.row < t.n {
		return errLong
	}
	switch err := t.pages.next(); err {
	case io.EOF:
		return nil
	case nil:
		return errLong
	default:
		return err
	}
}

// column reads any column value by value.
type column struct {
	*pages
	of         *field
	typ        parquet.Type
	dictionary []parquet.Value
	values     []parquet.Value // of the page that are there, if they are not indexes
	at         int             // of the page's levels, that comes next
	value      int             // of its values
	memory     []byte
}

func (f *File) openColumn(group int, of *field, beat func()) *column {
	return &column{pages: f.pages(group, of.node, beat), of: of, typ: f.RowGroups()[group].ColumnChunks()[of.leaf].Type()}
}

// turn goes to the next page.
func (c *column) turn() (err error) {
	if err := c.pages.next(); err != nil {
		return err
	}
	c.at, c.value = 0, 0
	switch {
	case !c.byIndex():
		c.values, err = decode(c.typ, c.data, c.there, c.encoding)
	case c.dictionary == nil:
		c.dictionary, err = decode(c.typ, c.pages.dictionary, c.entries, format.Plain)
	}
	return err
}

// row gives each value of the next row to a function, in order; a row without a value gives none. A null in a list is a
// null value.
func (c *column) row(each func(v parquet.Value)) error {
	for first := true; ; first = false {
		if c.at == c.n {
			switch err := c.turn(); {
			case err == io.EOF && first:
				return errShort
			case err == io.EOF:
				return nil
			case err != nil:
				return err
			}
		}
		if begins := c.repetitions == nil || c.repetitions[c.at] == 0; begins != first {
			if first {
				return errHeadless
			}
			return nil
		}
		level := c.of.maxDefinition
		if c.definitions != nil {
			level = int(c.definitions[c.at])
		}
		c.at++
		switch {
		case level == c.of.maxDefinition:
			if c.byIndex() {
				each(c.dictionary[c.indexes[c.value]])
			} else {
				each(c.values[c.value])
			}
			c.value++
		case c.of.list && level == c.of.maxDefinition-1 && c.of.element.RepetitionType.V == format.Optional:
			each(parquet.NullValue())
		}
		if !c.of.list {
			return nil
		}
	}
}
