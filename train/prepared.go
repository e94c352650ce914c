package train

import (
	"context"

	"github.com/seed-167f963f/nbsvm/dataset"
	"github.com/seed-167f963f/nbsvm/matrix"
)

// Dataset is a labelled corpus in memory, tokenised once, to be laid out and solved
// any number of times. Train does both once and keeps less in memory. Close it in the end: most of its memory
// is not the garbage collector's.
type Dataset struct {
	ds *dataset.Dataset
	o  Options
}

// ReadDataset reads labelled documents as Train does.
func ReadDataset(ctx context.Context, in dataset.Input, o Options) (*Dataset, error) {
	ds, o, err := Prepare(ctx, in, o, false)
	if err != nil {
		return nil, err
	}
	return &Dataset{ds, o}, nil
}

// Options are those that the dataset was read with; what was left to the dataset
// (the orders of n-grams, beta) has its value.
func (d *Dataset) Options() Options { return d.o }

// Documents is the number of documents.
func (d *Dataset) Documents() int { return d.ds.Documents }

// TextBytes is the length of all texts.
func (d *Dataset) TextBytes() int64 { return d.ds.Meta.Bytes }

// Close gives up the dataset's memory and files. It and its layouts can't be used any more, but for closing.
func (d *Dataset) Close() error { return d.ds.Close() }

// Layout is a dataset's matrix as the solver takes it: the n-grams that count, their
// columns by falling document frequency, rows of ascending columns. Close it in the end, before its dataset
// or after.
type Layout struct {
	ds *dataset.Dataset
	d  *matrix.Matrix
	o  Options
}

// Layout makes the matrix of all documents.
func (d *Dataset) Layout(ctx context.Context) (*Layout, error) {
	design, err := d.o.LayOut(ctx, d.ds, d.ds.All(), false)
	if err != nil {
		return nil, err
	}
	return &Layout{d.ds, design, d.o}, nil
}

// Close gives up the matrix. The layout can't be solved any more.
func (l *Layout) Close() error { return l.d.Close() }

// Features tells what became of the n-grams.
func (l *Layout) Features() matrix.Stats { return l.d.Stats }

// SolverOptions are the options of a model that come into play once its matrix is
// laid out. Empty Loss is the model's own.
type SolverOptions struct {
	Loss      string
	C         float64
	Tol       float64
	MaxEpochs int
	Threads   int // over classes; 0 for all processors
}

// Solver are the options' solver options.
func (o *Options) Solver() SolverOptions {
	return SolverOptions{o.Loss, o.C, o.Tol, o.MaxEpochs, o.Threads}
}

// Solve computes the ratio and trains every class, and says how the solver fared. The
// weights are not kept.
func (l *Layout) Solve(ctx context.Context, so SolverOptions) (*Solution, error) {
	o := l.o
	o.Loss, o.C, o.Tol, o.MaxEpochs, o.Threads = so.Loss, so.C, so.Tol, so.MaxEpochs, so.Threads
	o.Progress, o.Checkpoint = nil, Checkpoint{}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f, err := Fit(ctx, l.ds, l.d, &o)
	if err != nil {
		return nil, err
	}
	return f.Solution(), nil
}
