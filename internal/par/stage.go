package par

import (
	"context"
	"runtime/pprof"
)

// The stages mark the parts of the pipeline in profiles, by the pprof label "stage", so that they read like the pipeline.
const (
	StageRead     = "read"     // files to chunks of records
	StageTokenize = "tokenize" // records to hashes of n-grams
	StageCount    = "count"    // document frequencies, and the n-grams that count
	StageLayout   = "layout"   // the matrix
	StageRatio    = "ratio"    // log-count ratios
	StageSolve    = "solve"    // the solver
	StageScore    = "score"    // records to predictions, tokenizing included
	StageNames    = "names"    // the dictionary of n-grams
	StageWrite    = "write"    // models and scores to files
)

// WithStage marks what the goroutine does until end is called, and all that goroutines do which it starts meanwhile.
func WithStage(ctx context.Context, stage string) (within context.Context, end func()) {
	within = pprof.WithLabels(ctx, pprof.Labels("stage", stage))
	pprof.SetGoroutineLabels(within)
	return within, func() { pprof.SetGoroutineLabels(ctx) }
}
