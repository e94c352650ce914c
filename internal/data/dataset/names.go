package dataset

import (
	"iter"
	"slices"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
)

// columnNames are the texts of n-grams, one after the other: a long text has millions.
type columnNames struct {
	columns []uint32
	lengths []uint8 // up to maxNameBytes and an ellipsis
	bytes   []byte
}

func (c *columnNames) add(column uint32, name []byte) {
	before := len(c.bytes)
	c.bytes = appendShort(c.bytes, name)
	c.columns = append(c.columns, column)
	c.lengths = append(c.lengths, uint8(len(c.bytes)-before))
}

func (c *columnNames) all() iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		rest := c.bytes
		for i, column := range c.columns {
			name := rest[:c.lengths[i]]
			if rest = rest[len(name):]; !yield(column, name) {
				return
			}
		}
	}
}

// namer finds the texts of n-grams whose columns have no name yet; each worker has its own.
type namer struct {
	extract *hashing.Extractor
	names   *vocab.Names
	missing map[uint64]uint32 // columns of one document without a name, by hash
}

func newNamer(o *Options, names *vocab.Names) (*namer, error) {
	extract, err := hashing.NewExtractor(o.Text)
	return &namer{extract: extract, names: names, missing: map[uint64]uint32{}}, err
}

// mostMissing is how many columns are named in a pass over a text: a long one has millions.
const mostMissing = 1 << 18

// name appends the names of a document's columns that have none yet.
func (n *namer) name(found *columnNames, columns []uint32, keys []uint64, text []byte) {
	for some := range slices.Chunk(columns, mostMissing) {
		clear(n.missing)
		for _, j := range some {
			if !n.names.Has(j) {
				n.missing[keys[j]] = j
			}
		}
		if len(n.missing) == 0 {
			continue
		}
		for h, name := range n.extract.Ngrams(text) {
			if column, ok := n.missing[h]; ok {
				found.add(column, name)
				if delete(n.missing, h); len(n.missing) == 0 {
					break
				}
			}
		}
	}
}

// maxNameBytes shortens what a name may take.
const maxNameBytes = 200

// ShortenName cuts a name that is too long at a character's start.
func ShortenName(name []byte) string { return string(appendShort(nil, name)) }

func appendShort(dst, name []byte) []byte {
	if len(name) <= maxNameBytes {
		return append(dst, name...)
	}
	cut := maxNameBytes
	for cut > 0 && name[cut]&0xc0 == 0x80 {
		cut--
	}
	return append(append(dst, name[:cut]...), "…"...)
}
