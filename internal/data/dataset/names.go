package dataset

import (
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
)

// columnName is the text of an n-gram.
type columnName struct {
	column uint32
	name   string
}

// namer finds the texts of n-grams whose columns have no name yet; each worker has its own.
type namer struct {
	extract *hashing.Extractor
	names   *packed.Names
	missing map[uint64]uint32 // columns of one document without a name, by hash
}

func newNamer(o *Options, names *packed.Names) (*namer, error) {
	text := o.Text
	text.Bits = hashing.MaxBits
	extract, err := hashing.NewExtractor(text)
	return &namer{extract: extract, names: names, missing: map[uint64]uint32{}}, err
}

// name appends the names of a document's columns that have none yet.
func (n *namer) name(found []columnName, columns []uint32, keys []uint64, text []byte) []columnName {
	clear(n.missing)
	for _, j := range columns {
		if !n.names.Has(j) {
			n.missing[keys[j]] = j
		}
	}
	if len(n.missing) == 0 {
		return found
	}
	for h, name := range n.extract.Ngrams(text) {
		if column, ok := n.missing[h]; ok {
			found = append(found, columnName{column, ShortenName(string(name))})
			if delete(n.missing, h); len(n.missing) == 0 {
				break
			}
		}
	}
	return found
}

// maxNameBytes shortens what a name may take.
const maxNameBytes = 200

// ShortenName cuts a name that is too long at a character's start.
func ShortenName(name string) string {
	if len(name) <= maxNameBytes {
		return name
	}
	cut := maxNameBytes
	for cut > 0 && name[cut]&0xc0 == 0x80 {
		cut--
	}
	return name[:cut] + "…"
}
