package par

import (
	"context"
	"runtime/pprof"
)

// The stages mark the parts of the pipeline in profiles, by the pprof label "stage", so that they read like the pipeline.
const (
	StageRead      = "read"      // files to chunks of records
	StageTokenize  = "tokenize"  // records to hashes of n-grams
	StageCount     = "count"     // document frequencies, and the n-grams that count
	StageLayout    = "layout"    // the matrix
	StageRatio     = "ratio"     // log-count ratios
	StageNegatives = "negatives" // documents of other nodes of a tree that each node is trained against
	StageSolve     = "solve"     // the solver
	StageScore     = "score"     // records to predictions, tokenizing included
	StageNames     = "names"     // the dictionary of n-grams
	StageWrite     = "write"     // models and scores to files
)

// InStage runs f as part of a stage. Goroutines that f starts belong to it as well.
func InStage(ctx context.Context, name string, f func(context.Context) error) (err error) {
	pprof.Do(ctx, pprof.Labels("stage", name), func(ctx context.Context) { err = f(ctx) })
	return err
}

// StageResult is like InStage for a function with a result.
func StageResult[T any](ctx context.Context, name string, f func(context.Context) (T, error)) (T, error) {
	var result T
	err := InStage(ctx, name, func(ctx context.Context) error {
		var err error
		result, err = f(ctx)
		return err
	})
	return result, err
}
