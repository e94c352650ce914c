package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/ngrams"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Pack reads labelled documents and writes them to w as a packed corpus. Its bytes depend on
// the input and the options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in corpus.Input, o Options, w io.Writer) (*Contents, error) {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	b, err := newBuilder(in, o, o.Memory)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.close() }()
	return b.pack(ctx, w)
}

// pack reads the input and writes the corpus.
func (b *builder) pack(ctx context.Context, w io.Writer) (*Contents, error) {
	v, err := b.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	b.o.Names = b.o.Names && !b.ready // there was an error unless the corpus is a temporary one
	return b.write(ctx, v, w)
}

// write writes the rows, and all else that a corpus holds.
func (b *builder) write(ctx context.Context, v *ngrams.Vocabulary, w io.Writer) (*Contents, error) {
	pw, err := packed.NewWriter(w, b.kind)
	if err != nil {
		return nil, err
	}
	namers := make([]*namer, b.threads)
	if b.o.Names {
		pw.Names = packed.NewNames(len(v.Keys), b.o.Temp)
		defer pw.Names.Close()
		for w := range namers {
			if namers[w], err = newNamer(&b.o, pw.Names); err != nil {
				return nil, err
			}
		}
	}
	err = b.makeRows(ctx, v, nil, func(m *rowMaker, w int, from *block) *made {
		some := &made{encoded: packed.NewEncoded()}
		m.sort(from)
		for i := range from.Documents() {
			columns, values := m.radix.Row(i)
			some.encoded.Append(b.kind, columns, values)
			if b.o.Names {
				namers[w].name(&some.names, columns, v.Keys, from.texts[i])
			}
		}
		return some
	}, func(some *made) error {
		for column, name := range some.names.all() {
			if err := pw.Names.Add(column, name); err != nil {
				return err
			}
		}
		return pw.Append(some.encoded)
	})
	if err != nil {
		return nil, err
	}
	b.note()
	meta := b.meta()
	head := &packed.Head{Labels: b.classes.Labels, Sets: b.classes.Sets, Weights: b.weights, Distinct: v.Distinct}
	if head.Meta, err = json.Marshal(&meta); err != nil {
		return nil, fmt.Errorf("nbsvm: metadata of the corpus: %w", err)
	}
	for _, run := range v.Runs {
		head.Runs = append(head.Runs, packed.Run{Frequency: run.Documents, Columns: run.Columns})
	}
	b.narrow(v.Keys)
	return par.StageResult(ctx, par.StageWrite, func(context.Context) (*Contents, error) {
		totals, err := pw.Finish(head, v.Keys)
		return &Contents{&meta, totals, head}, err
	})
}

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
	names   *packed.Names
	missing map[uint64]uint32 // columns of one document without a name, by hash
}

func newNamer(o *Options, names *packed.Names) (*namer, error) {
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
