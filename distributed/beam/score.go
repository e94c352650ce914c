package nbsvmbeam

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(string), error](&beginFn{})
	register.DoFn4x2[context.Context, string, func(*string) bool, string, string, error](&uniqueFn{})
	register.DoFn2x2[context.Context, string, string, string](&nameFn{})
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
// A shard that can't be read as what it is said to be, or has a bad record if those are not to be skipped, is one with
// a Fault; the others are scored. An error of a file system fails the bundle, which runners try again.
func Score(s beam.Scope, shards beam.PCollection, o ScoreOptions) (beam.PCollection, error) {
	s = s.Scope("nbsvm.Score")
	if err := o.validate(); err != nil {
		return beam.PCollection{}, err
	}
	return makeShards(s, shards, encode(&o)), nil
}

// makeShards makes an output of each of the paths that are different.
func makeShards(s beam.Scope, shards beam.PCollection, encoded []byte) beam.PCollection {
	begun := beam.ParDo(s.Scope("Begin"), &beginFn{Options: encoded}, beam.Impulse(s))
	named := beam.ParDo(s.Scope("Name"), &nameFn{Options: encoded}, shards)
	grouped := beam.GroupByKey(s, named)
	unique := beam.ParDo(s.Scope("Unique"), &uniqueFn{Options: encoded}, grouped, beam.SideInput{Input: begun})
	return makeEach(s, unique, encoded)
}

// makeEach makes an output of each of the paths.
func makeEach(s beam.Scope, shards beam.PCollection, encoded []byte) beam.PCollection {
	return beam.ParDo(s.Scope("Make"), &makeFn{Options: encoded}, beam.Reshuffle(s, shards))
}

// beginFn makes sure that the folders are of this run, before anything is made.
type beginFn struct{ Options []byte }

// ProcessElement is called once, with nothing.
func (f *beginFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	o, err := decode(f.Options)
	if err == nil {
		err = begin(ctx, o)
	}
	if err != nil {
		return err
	}
	emit(o.folders()[0].path)
	return nil
}

// nameFn gives shards the names of their outputs.
type nameFn struct {
	Options []byte
	work    work
}

// Setup reads the options.
func (f *nameFn) Setup() (err error) {
	f.work, err = decode(f.Options)
	return err
}

// ProcessElement names a shard.
func (f *nameFn) ProcessElement(_ context.Context, path string) (string, string) {
	return f.work.outputName(path), path
}

// uniqueFn takes shards once, when the folders are ready, and removes outputs whose shards have changed.
type uniqueFn struct {
	Options []byte
	work    work
}

// Setup reads the options.
func (f *uniqueFn) Setup() (err error) {
	f.work, err = decode(f.Options)
	return err
}

// ProcessElement is given the shards whose outputs have one name.
func (f *uniqueFn) ProcessElement(ctx context.Context, name string, next func(*string) bool, _ string) (string, error) {
	var all []string
	var path string
	for next(&path) {
		if !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	if slices.Sort(all); len(all) > 1 {
		return "", fmt.Errorf("%s and %s would both become %s: take them apart, with folders of their own", all[0], all[1], name)
	}
	return all[0], newShard(&worker{work: f.work}, all[0]).freshen(ctx)
}

// makeFn makes outputs of the shards of a bundle: as many at the same time, in all bundles of the process together, as
// the process may. So all processors are at work whether a runner has a bundle for each of them, as Dataflow and Flink,
// or one for all, as Prism. A shard is taken of the bundle when it can begin: a runner may split off those that are
// left.
type makeFn struct {
	Options []byte
	worker  *worker
	begun   []*attempt
}

// attempt is one at a shard.
type attempt struct {
	made Made
	err  error
	done chan struct{}
}

// Setup loads the model, once in a process.
func (f *makeFn) Setup(ctx context.Context) (err error) {
	f.worker, err = workerOf(ctx, f.Options)
	return err
}

// StartBundle begins with none.
func (f *makeFn) StartBundle(_ context.Context, _ func(Made)) { f.begun = nil }

// ProcessElement begins with a shard as soon as the process has room for it.
func (f *makeFn) ProcessElement(ctx context.Context, path string, _ func(Made)) error {
	select {
	case f.worker.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, a := range f.begun {
		select {
		case <-a.done:
			if a.err != nil {
				<-f.worker.slots
				f.wait()
				return a.err
			}
		default:
		}
	}
	a := &attempt{done: make(chan struct{})}
	f.begun = append(f.begun, a)
	go func() {
		defer close(a.done)
		defer func() { <-f.worker.slots }()
		defer func() {
			if fault := recover(); fault != nil {
				a.err = fmt.Errorf("%s: %v\n%s", path, fault, debug.Stack())
			}
		}()
		if a.made, a.err = newShard(f.worker, path).attempt(ctx); a.err != nil {
			a.err = fmt.Errorf("%s: %w", path, a.err)
		}
	}()
	return nil
}

// FinishBundle waits for the shards, and gives what is known of them in the order of the bundle.
func (f *makeFn) FinishBundle(ctx context.Context, emit func(Made)) error {
	f.wait()
	for _, a := range f.begun {
		if a.err != nil {
			return a.err
		}
	}
	for _, a := range f.begun {
		count(ctx, &a.made)
		emit(a.made)
	}
	f.begun = nil
	return nil
}

// wait waits for all that has begun.
func (f *makeFn) wait() {
	for _, a := range f.begun {
		<-a.done
	}
}

// Counters that runners show.
var (
	shardsCounter    = beam.NewCounter("nbsvm", "shards")
	thereCounter     = beam.NewCounter("nbsvm", "shards_there")
	faultsCounter    = beam.NewCounter("nbsvm", "shards_failed")
	documentsCounter = beam.NewCounter("nbsvm", "documents")
	badCounter       = beam.NewCounter("nbsvm", "bad_records")
	readCounter      = beam.NewCounter("nbsvm", "read_bytes")
)

// count adds a shard to what runners show.
func count(ctx context.Context, m *Made) {
	shardsCounter.Inc(ctx, 1)
	switch {
	case m.Fault != "":
		faultsCounter.Inc(ctx, 1)
	case m.There:
		thereCounter.Inc(ctx, 1)
	default:
		documentsCounter.Inc(ctx, m.Documents)
		badCounter.Inc(ctx, m.Bad)
		readCounter.Inc(ctx, m.Read)
	}
}
