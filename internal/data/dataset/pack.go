package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
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
func (b *builder) write(ctx context.Context, v *vocab.Vocabulary, w io.Writer) (*Contents, error) {
	pw, err := vocab.NewWriter(w, b.kind)
	if err != nil {
		return nil, err
	}
	makers := make([]rowMaker, b.threads)
	for w := range makers {
		makers[w] = rowMaker{kind: b.kind, keys: v.Keys}
	}
	if b.o.Names {
		pw.Names = vocab.NewNames(len(v.Keys), b.o.Temp)
		defer pw.Names.Close()
		for w := range makers {
			if makers[w].namer, err = newNamer(&b.o, pw.Names); err != nil {
				return nil, err
			}
		}
	}
	for last := false; !last; {
		blocks, err := b.spool.take(ctx, b.mostWaiting)
		if last = len(blocks) == 0; last {
			blocks, b.blocks = b.blocks, nil
		}
		if err == nil {
			err = b.writeRows(ctx, v, pw, makers, blocks)
		}
		if err != nil {
			return nil, err
		}
	}
	b.note()
	meta := b.meta()
	head := &vocab.Head{
		Labels: b.classes.Labels, Sets: b.classes.Sets, Weights: b.weights, Runs: v.Runs, Distinct: v.Distinct,
	}
	if head.Meta, err = json.Marshal(&meta); err != nil {
		return nil, fmt.Errorf("nbsvm: metadata of the corpus: %w", err)
	}
	shift := hashing.MaxBits - b.keyBits()
	for j := range v.Keys { // hashes so far
		v.Keys[j] >>= shift
	}
	_, end := par.WithStage(ctx, par.StageWrite)
	defer end()
	totals, err := pw.Finish(head, v.Keys)
	return &Contents{&meta, totals, head}, err
}

// writeRows writes the rows of some blocks.
func (b *builder) writeRows(
	ctx context.Context, v *vocab.Vocabulary, w *vocab.Writer, makers []rowMaker, blocks []*vocab.Block,
) error {
	ctx, end := par.WithStage(ctx, par.StageLayout)
	defer end()
	if err := v.Find(ctx, blocks, b.threads); err != nil {
		return err
	}
	err := par.Run(ctx, b.threads, par.Slice(blocks), func(w int, some *vocab.Block) (*made, error) {
		m := makers[w].make(some)
		give(some, &b.memories)
		return m, ctx.Err()
	}, func(some *made) error {
		b.written += len(some.encoded.Ends)
		for column, name := range some.names.all() {
			if err := w.Names.Add(column, name); err != nil {
				return err
			}
		}
		return w.Append(some.encoded)
	})
	if b.o.Progress != nil && b.bytes > 0 {
		done := int64(float64(b.bytes) * float64(b.written) / float64(b.documents))
		b.o.Progress(corpus.Progress{
			Stage: "layout", Done: done, Total: b.bytes, Unit: "bytes", Documents: int64(b.written),
		})
	}
	return err
}

// rowMaker makes rows of blocks whose n-grams have been looked up; each worker has its own, and uses its
// memory again.
type rowMaker struct {
	kind  vocab.Values
	keys  []uint64 // hashes of columns
	radix vocab.RowBuilder
	namer *namer // nil where columns get no names
}

// made are the rows of a block, and the names of columns that had none.
type made struct {
	encoded *vocab.Encoded
	names   columnNames
}

// make makes the rows of a block.
func (m *rowMaker) make(from *vocab.Block) *made {
	entries, entryValues := m.radix.Reserve(from.Entries(), m.kind != vocab.Binary)
	m.radix.Build(from.Found(entries, entryValues), from.Documents())
	some := &made{encoded: vocab.NewEncoded()}
	for i := range from.Documents() {
		columns, values := m.radix.Row(i)
		some.encoded.Append(m.kind, columns, values)
		if m.namer != nil {
			m.namer.name(&some.names, columns, m.keys, from.Texts[i])
		}
	}
	m.radix.Release()
	return some
}
