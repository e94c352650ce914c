package nbsvm

import (
	"context"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/learn/tune"
)

type (
	// TuneOptions say what Tune searches for, and for how long.
	TuneOptions = tune.Options
	// TuneOutcome is what a search found; train with its Options.
	TuneOutcome = tune.Outcome
	// TuneTrial is a setting that was tried, and what came of it.
	TuneTrial = tune.Trial
	// TuneProgress says how far a search is.
	TuneProgress = tune.Progress
)

// Tune searches for the options with which models of the documents cross-validate best.
func Tune(ctx context.Context, in corpus.Input, o TuneOptions) (*TuneOutcome, error) {
	return tune.Search(ctx, in, o)
}
