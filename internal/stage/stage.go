// Package stage marks the parts of the pipeline in profiles and execution traces, so
// that they read like the pipeline: by the pprof label "stage", and as regions of a trace.
package stage

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
)

// The stages.
const (
	Read      = "read"      // files to chunks of records
	Tokenize  = "tokenize"  // records to hashes of n-grams
	Count     = "count"     // document frequencies, and the n-grams that count
	Layout    = "layout"    // the matrix
	Ratio     = "ratio"     // log-count ratios
	Negatives = "negatives" // documents of other nodes of a tree that each node is trained against
	Solve     = "solve"     // the solver
	Score     = "score"     // records to predictions, tokenizing included
	Names     = "names"     // the dictionary of n-grams
	Write     = "write"     // models and scores to files
)

// Do runs f as part of a stage. Goroutines that f starts belong to it as well.
func Do(ctx context.Context, name string, f func(context.Context) error) error {
	var err error
	pprof.Do(ctx, pprof.Labels("stage", name), func(ctx context.Context) {
		trace.WithRegion(ctx, name, func() { err = f(ctx) })
	})
	return err
}

// Get is like Do for a function with a result.
func Get[T any](ctx context.Context, name string, f func(context.Context) (T, error)) (T, error) {
	var result T
	err := Do(ctx, name, func(ctx context.Context) error {
		var err error
		result, err = f(ctx)
		return err
	})
	return result, err
}
