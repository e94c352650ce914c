package nbsvmbeam

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

func init() {
	register.DoFn4x1[context.Context, []byte, func(*string) bool, func(string), error](&beginFn{})
	register.DoFn3x1[context.Context, string, func(Made), error](&makeFn{})
	register.Emitter1[string]()
	register.Emitter1[Made]()
	register.Iter1[string]()
	beam.RegisterType(madeType)
}

// Score scores shards, a collection of paths (string), and writes an output of each into the folder of the options. It
// returns what is known of each output, a collection of [Made]. A shard that is there twice is scored once; two of one
// name are an error, for their outputs would be one file.
//
// A shard that is damaged or not what it is said to be fails alone, or is passed over if OnBadFile is skip; a record of
// it stands beside the outputs. A shard with a bad record, if those are not to be skipped, fails alone. The others are
// scored. An error of a file system fails the bundle, which runners try again.
func Score(s beam.Scope, shards beam.PCollection, o ScoreOptions) (beam.PCollection, error) {
	s = s.Scope("nbsvm.Score")
	encoded := encode(&o)
	if err := o.validate(); err != nil {
		return beam.PCollection{}, err
	}
	return makeShards(s, shards, encoded), nil
}

// makeShards makes an output of each of the paths.
func makeShards(s beam.Scope, shards beam.PCollection, encoded []byte) beam.PCollection {
	begun := beam.ParDo(s.Scope("Begin"), &beginFn{Options: encoded}, beam.Impulse(s), beam.SideInput{Input: shards})
	return makeEach(s, begun, encoded)
}

// makeEach makes an output of each of the paths, once more if one comes again.
func makeEach(s beam.Scope, shards beam.PCollection, encoded []byte) beam.PCollection {
	return beam.ParDo(s.Scope("Make"), &makeFn{Options: encoded}, beam.Reshuffle(s, shards))
}

// beginFn finds out what is to be made, before anything is: it refuses what can't be done, makes sure that the folders
// of outputs are of this run, and says so there. Of the inputs, it gives each once, without what jobs before have made.
type beginFn struct{ Options []byte }

// ProcessElement is called once, with all paths.
func (f *beginFn) ProcessElement(ctx context.Context, _ []byte, next func(*string) bool, emit func(string)) error {
	w, err := workerOf(ctx, f.Options) // so that the model is known to be one for these options
	if err != nil {
		return err
	}
	var given []string
	var path string
	for next(&path) {
		given = append(given, path)
	}
	if len(given) == 0 { // a runner may ask once more when the list has failed: then nothing is to be recorded
		return nil
	}
	job := w.jobAt(ctx)
	found, passed := job.Inputs(slices.Compact(slices.Sorted(slices.Values(given))))
	if len(passed) > 0 {
		log.Warnf(ctx, "skipped, because this command has written them: %s", display.Few(passed))
	}
	files, err := job.Files(found, corpus.Shard{})
	if err != nil {
		return err
	}
	for i := range files {
		emit(files[i].Input)
	}
	return job.Begin(w.of, files)
}

// makeFn makes outputs of the shards of a bundle: as many at the same time, in all bundles of the process together, as
// the process may. So all processors are at work whether a runner has a bundle for each of them, as Dataflow and Flink,
// or one for all, as Prism. A shard is taken of the bundle when it can begin: a runner may split off those that are
// left.
type makeFn struct {
	Options []byte
	worker  *worker
	begun   []*Made
	group   *errgroup.Group // of their attempts
	failed  context.Context // is done when one of them has failed
}

// Setup loads the model, once in a process.
func (f *makeFn) Setup(ctx context.Context) (err error) {
	f.worker, err = workerOf(ctx, f.Options)
	return err
}

// StartBundle begins with none.
func (f *makeFn) StartBundle(ctx context.Context, _ func(Made)) {
	f.begun = nil
	f.group, f.failed = errgroup.WithContext(ctx)
}

// ProcessElement begins with a shard as soon as the process has room for it.
func (f *makeFn) ProcessElement(ctx context.Context, path string, _ func(Made)) error {
	select {
	case f.worker.slots <- struct{}{}:
	case <-f.failed.Done():
		f.group.Wait()
		return context.Cause(f.failed)
	}
	made := &Made{}
	f.begun = append(f.begun, made)
	f.group.Go(func() (err error) {
		defer func() { <-f.worker.slots }()
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("%s: %v\n%s", path, fault, debug.Stack())
			}
		}()
		if *made, err = attempt(ctx, f.worker, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	return nil
}

// FinishBundle waits for the shards, and gives what is known of them in the order of the bundle.
func (f *makeFn) FinishBundle(_ context.Context, emit func(Made)) error {
	if err := f.group.Wait(); err != nil {
		return err
	}
	for _, made := range f.begun {
		emit(*made)
	}
	return nil
}
