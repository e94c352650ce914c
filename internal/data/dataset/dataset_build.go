package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// Build reads documents and makes rows of them: in memory or, where Options.Memory bounds that, in a
// temporary packed corpus, which is gone when the dataset is closed.
func Build(ctx context.Context, in corpus.Input, o Options) (*Dataset, error) {
	if o.Memory > 0 {
		return buildOnDisk(ctx, in, o)
	}
	b, err := newBuilder(in, o, 0)
	if err != nil {
		return nil, err
	}
	return b.inMemoryDataset(ctx)
}

// inMemoryDataset makes a dataset of rows in memory, and closes the builder.
func (b *builder) inMemoryDataset(ctx context.Context) (*Dataset, error) {
	defer func() { _ = b.close() }()
	v, err := b.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	rows, err := b.inMemory(ctx, v)
	if err != nil {
		return nil, err
	}
	d := &Dataset{
		Meta: b.meta(), Rows: rows, Kind: b.kind, Documents: b.documents, Classes: b.classes, Weights: b.weights,
		from: b.in.Describe(),
	}
	if !b.ready {
		d.texts, b.texts = b.texts, nil
	}
	return d, nil
}

// buildOnDisk makes a dataset of a corpus that only this process reads. Ready-made features have no names,
// whatever the options say.
func buildOnDisk(ctx context.Context, in corpus.Input, o Options) (*Dataset, error) {
	b, err := newBuilder(in, o, o.Memory)
	if err != nil {
		return nil, err
	}
	b.temporary = true
	return b.onDiskDataset(ctx)
}

// onDiskDataset makes a dataset of rows in a temporary corpus, and closes the builder.
func (b *builder) onDiskDataset(ctx context.Context) (d *Dataset, err error) {
	path := filepath.Join(b.temp(), "corpus.nbc")
	if err = b.writeFile(ctx, path); err == nil {
		d, err = Open(path)
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	// Where a mapped file can be removed, nothing is left behind whatever happens.
	_ = os.Remove(path)
	d.Path, d.from, d.folder, b.folder = "", b.in.Describe(), b.folder, nil
	return d, b.close()
}

// writeFile writes a packed corpus.
func (b *builder) writeFile(ctx context.Context, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("nbsvm: cannot write rows to a temporary file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 1<<20)
	if _, err = b.pack(ctx, out); err != nil {
		return err
	}
	return out.Flush()
}
