package nbsvmbeam

import (
	"context"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// begin finds out what is to be made, before anything is: it refuses what can't be done, makes sure that the folders
// of outputs are of this run, and says so there. It returns the inputs, each once, without what jobs before have made.
func begin(ctx context.Context, w *worker, given []string) (inputs []string, err error) {
	if len(given) == 0 { // a runner may ask once more when the list has failed: then nothing is to be recorded
		return nil, nil
	}
	job := w.jobAt(ctx, &faults{})
	found, passed := job.Inputs(slices.Compact(slices.Sorted(slices.Values(given))))
	if len(passed) > 0 {
		log.Warnf(ctx, "skipped, because this command has written them: %s", display.Few(passed))
	}
	files, err := job.Files(found, corpus.Shard{})
	if err != nil {
		return nil, err
	}
	for i := range files {
		inputs = append(inputs, files[i].Input)
	}
	return inputs, job.Begin(w.of, files)
}
