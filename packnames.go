package nbsvm

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// columnName is the text of an n-gram.
type columnName struct {
	column uint32
	name   string
}

// names reads the input again for the texts of the n-grams that have columns: each is named
// by the first document that has it.
func (p *packer) names(ctx context.Context, n *numbering) (*packed.Names, error) {
	if err := p.makeFolder(); err != nil {
		return nil, err
	}
	names := packed.NewNames(n.columns, p.folder.Path())
	err := stage.Do(ctx, stage.Names, func(ctx context.Context) error { return p.readNames(ctx, n, names) })
	if err != nil {
		names.Close()
		return nil, err
	}
	if missing := n.columns - names.Len(); missing > 0 {
		names.Close()
		return nil, fmt.Errorf("nbsvm: %s was changed while it was packed: %d n-grams were not found again", describePaths(p.in.Paths), missing)
	}
	return names, nil
}

func (p *packer) readNames(ctx context.Context, n *numbering, names *packed.Names) error {
	reader, err := corpus.Open(p.in.Paths, nil, p.in.Options)
	if err != nil {
		return err
	}
	defer reader.Close()
	namers := make([]namer, p.o.threads())
	for w := range namers {
		extract, err := hashing.NewExtractor(p.o.Text)
		if err != nil {
			return err
		}
		namers[w] = namer{extract: extract, columns: n, names: names, missing: map[uint64]uint32{}}
	}
	return ordered.Run(ctx, len(namers), nextChunk(ctx, reader), func(w int, c *corpus.Chunk) ([]columnName, error) {
		defer c.Release()
		return namers[w].chunk(c), nil
	}, func(found []columnName) error {
		for _, f := range found {
			if err := names.Add(f.column, f.name); err != nil {
				return err
			}
		}
		if p.o.Progress != nil {
			done, total := reader.Progress()
			p.o.Progress(Progress{Stage: stage.Names, Done: done, Total: total, Unit: "bytes"})
		}
		return nil
	})
}

// namer looks for n-grams that have no name yet; each worker has its own.
type namer struct {
	extract *hashing.Extractor
	columns *numbering
	names   *packed.Names
	hashes  []uint64
	missing map[uint64]uint32 // columns without a name, by hash: those of one document
	// settled are n-grams that need no name, or no more, each where its lowest bits say:
	// most n-grams of a document are among the frequent ones, and are found here.
	settled [1 << 16]uint64
}

// chunk names what is new in a chunk's documents, in their order.
func (n *namer) chunk(c *corpus.Chunk) (found []columnName) {
	for _, d := range c.Append(nil) {
		if d.Err == nil {
			found = n.document(found, d.Text)
		}
	}
	return found
}

func (n *namer) document(found []columnName, text []byte) []columnName {
	n.hashes, _ = n.extract.AppendDistinct(n.hashes[:0], nil, text)
	clear(n.missing)
	for _, h := range n.hashes {
		known := &n.settled[h%uint64(len(n.settled))]
		if *known == h && h != 0 { // nothing is settled yet where a 0 is
			continue
		}
		if column, ok := n.columns.column(h); ok && !n.names.Has(column) {
			n.missing[h] = column
		} else {
			*known = h
		}
	}
	if len(n.missing) == 0 {
		return found
	}
	for h, name := range n.extract.Ngrams(text) {
		if column, ok := n.missing[h]; ok {
			found = append(found, columnName{column, shorten(name)})
			if delete(n.missing, h); len(n.missing) == 0 {
				break
			}
		}
	}
	return found
}

// column is that of an n-gram, if it has one. Hashes are spread evenly, so that their place
// in the shard is nearly known.
func (n *numbering) column(hash uint64) (uint32, bool) {
	l := &n.shards[packPartition.Shard(hash)]
	if len(l.hashes) == 0 {
		return 0, false
	}
	place, _ := bits.Mul64(packPartition.Within(hash), uint64(len(l.hashes)))
	i := int(place)
	for i > 0 && l.hashes[i] > hash {
		i--
	}
	for i+1 < len(l.hashes) && l.hashes[i] < hash {
		i++
	}
	if l.hashes[i] != hash {
		return 0, false
	}
	return l.documents[i] - 1, true
}
