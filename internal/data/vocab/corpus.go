package vocab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// Corpus is a packed corpus whose file is mapped, or is in memory only. Its methods may be called from several
// goroutines at once.
type Corpus struct {
	Head
	Kind     Values
	Path     string // of the file, as it was given
	Size     int64  // of the file, in bytes
	Sections []Section
	totals   Totals
	keys     Section
	names    Section // zero if columns have no names
	listKeys func() ([]uint64, error)
	checksum uint32
	blocks   []block
	mapping  *osfile.Mapping
}

// Open maps a packed corpus and checks all of it but its blocks and names, which are checked whenever
// they are decoded. The file must not be changed in place while it is in use, but it may be replaced
// by renaming another to its name.
func Open(path string) (*Corpus, error) {
	mapping, err := osfile.Map(path)
	if err != nil {
		return nil, fmt.Errorf("packed: %w", err)
	}
	return open(path, mapping)
}

// OpenMemory is like Open for what a [Writer] has written to memory, which Close frees.
func OpenMemory(b *mem.Buffer) (*Corpus, error) {
	c, err := open("", osfile.InMemory(b.Bytes(), b.Free))
	if err == nil {
		c.listKeys = sync.OnceValues(c.decodeKeys)
	}
	return c, err
}

func open(path string, mapping *osfile.Mapping) (*Corpus, error) {
	c := &Corpus{Path: path, Size: int64(len(mapping.Bytes())), mapping: mapping}
	if err := c.guard(func() error { return c.parse(mapping.Bytes()) }); err != nil {
		mapping.Close()
		return nil, err
	}
	c.listKeys = c.decodeKeys
	mapping.DontNeed(int(c.keys.Offset), int(c.keys.Length)) // of many corpora, keys that were checked are much
	return c, nil
}

// Close gives the file or the memory up, after which the corpus must not be used.
func (c *Corpus) Close() error { return c.mapping.Close() }

// Totals returns the numbers of documents, entries and columns.
func (c *Corpus) Totals() Totals { return c.totals }

// Checksum returns the CRC-32C of the table, which holds the checksums of all sections: it stands for the whole file.
func (c *Corpus) Checksum() uint32 { return c.checksum }

// section returns the section of a name; it has no name if there is none.
func (c *Corpus) section(name string) Section {
	if i := slices.IndexFunc(c.Sections, func(s Section) bool { return s.Name == name }); i >= 0 {
		return c.Sections[i]
	}
	return Section{}
}

// Keys lists the keys of all columns, which must not be written to. Those of a corpus in memory, whose folds ask for
// them again and again, are decoded once.
func (c *Corpus) Keys() ([]uint64, error) { return c.listKeys() }

func (c *Corpus) decodeKeys() ([]uint64, error) {
	keys := make([]uint64, c.totals.Columns)
	return keys, c.EachColumn(func(column uint32, key, _ uint64) { keys[column] = key })
}

// ColumnsOf returns how many columns at least so many documents have. They are the first.
func (c *Corpus) ColumnsOf(least uint64) (columns uint64) {
	for _, run := range c.Runs {
		if run.Frequency < least {
			break
		}
		columns += run.Columns
	}
	return columns
}

// EachColumn visits the columns, in ascending order, with their keys and frequencies.
func (c *Corpus) EachColumn(visit func(column uint32, key, frequency uint64)) error {
	return c.guard(func() error {
		offset, length := int(c.keys.Offset), int(c.keys.Length)
		at, detail := eachColumn(c.mapping.Bytes()[offset:offset+length], c.Runs, visit)
		c.mapping.DontNeed(offset, length)
		if detail != "" { // it was right when the file was opened
			return fault(keysName, int64(offset+at), corrupt, "%s", detail)
		}
		return nil
	})
}

// Blocks returns the number of blocks.
func (c *Corpus) Blocks() int { return len(c.blocks) }

// BlockRange returns the documents of a block, from first to the one before end.
func (c *Corpus) BlockRange(i int) (first, end uint64) {
	b := &c.blocks[i]
	return b.First, b.First + uint64(b.Rows)
}

// Block decodes the rows of a block into m, whose memory is used again. The error says what is
// wrong with the block and where, or that the file was changed meanwhile.
func (c *Corpus) Block(i int, m *sparse.CSR) error {
	m.Reset(int(c.totals.Columns))
	return c.guard(func() error {
		b := &c.blocks[i]
		return c.decode(i, c.mapping.Bytes()[b.Offset:b.Offset+b.Length], m)
	})
}

func (c *Corpus) decode(i int, data []byte, m *sparse.CSR) error {
	b, before := &c.blocks[i], len(m.Indices)
	bad := func(at int64, kind error, message string, args ...any) error {
		return fault(fmt.Sprintf("BLOCK %d", i), int64(b.Offset)+at, kind, message, args...)
	}
	if computed := container.CRC(data); computed != b.CRC {
		return bad(0, badChecksum, "stored %08x, computed %08x", b.CRC, computed)
	}
	d := decoder{b: data}
	m.Indices = slices.Grow(m.Indices, int(b.Entries)) // opening the file has checked the number
	for row := range int(b.Rows) {
		m.Indices, m.Values = d.row(c.Kind, c.totals.Columns, m.Indices, m.Values)
		if d.bad != "" {
			return bad(int64(d.at), corrupt, "row %d: %s", row, d.bad)
		}
		m.Indptr = append(m.Indptr, int64(len(m.Indices)))
		m.Rows++
	}
	if entries := len(m.Indices) - before; d.at != len(data) || uint64(entries) != b.Entries {
		return bad(0, corrupt, "it has %d bytes and %d entries, not %d and %d", d.at, entries, len(data), b.Entries)
	}
	if c.Kind == Binary {
		m.Values = nil
	}
	return nil
}

// Release gives up the memory of a block, which stays in the system's page cache while
// there is room. It can be decoded again.
func (c *Corpus) Release(i int) { c.mapping.DontNeed(int(c.blocks[i].Offset), int(c.blocks[i].Length)) }

// Verify decodes every block and name, compares the number of documents that have each column
// with the frequency that the file tells, and makes sure that no two columns have the same key.
func (c *Corpus) Verify(ctx context.Context) error {
	if err := c.CheckKeys(); err != nil {
		return err
	}
	if err := c.EachName(func(uint32, []byte) {}); err != nil {
		return err
	}
	var m sparse.CSR
	var found count
	for i := range c.blocks {
		if err := errors.Join(ctx.Err(), c.Block(i, &m)); err != nil {
			return err
		}
		found += countEntries(m.Indices)
	}
	return c.compare(found)
}

// compare refuses rows whose entries contradict the frequencies.
func (c *Corpus) compare(found count) error {
	if found == countOf(c.Runs) {
		return nil
	}
	bad := fault(runsName, c.section(runsName).Offset, corrupt, "columns are in other numbers of documents")
	bad.Path = c.Path
	return bad
}

// guard runs fn, which reads the mapping, and names the file in its error.
func (c *Corpus) guard(fn func() error) error {
	err := osfile.Guard(c.mapping, fn)
	if e, ok := errors.AsType[*fileError](err); ok {
		e.Path = c.Path
	}
	return err
}
