package nbsvmbeam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// work is what is made of shards: [ScoreOptions] or [PackOptions].
type work interface {
	job() *outdir.Job        // where outputs go
	reads() *flags.Input     // how shards are read
	readAs() corpus.Input    // likewise, but for where they are
	passOver(err error) bool // whether a shard with which this is wrong is passed over
	validate() error         // finds what contradicts itself, and fills in defaults
	threads() int            // shards that a process takes at the same time
	memory() int             // about what it takes for that

	// run tells the work from other work in the same folder. The model is nil if there is none.
	run(ctx context.Context) (run provenance.Run, model []byte, err error)
	// open loads what making outputs takes.
	open(model []byte) (making, error)
}

// making makes what is made of an input, and tells how many records there are.
type making func(ctx context.Context, in corpus.Input, f *outdir.File, create creating) (outdir.Counts, error)

// creating begins the file in the folder of a flag.
type creating func(flag string) (io.Writer, error)

// encode is for workers, which may be elsewhere. Options are as they were given: defaults are filled in there.
func encode(of work) []byte {
	in := of.reads()
	format := in.Format
	in.Format, in.OnBad = corpus.Format(format.String()), cmp.Or(in.OnBad, "fail") // as they are read again
	text, err := json.Marshal(of)
	in.Format = format
	if err != nil {
		panic(err) // there is nothing in it that can't be written
	}
	return append([]byte(of.job().Command+" "), text...)
}

// decode reads what encode has written.
func decode(encoded []byte) (of work, err error) {
	command, text, _ := bytes.Cut(encoded, []byte{' '})
	if of = new(ScoreOptions); string(command) == "pack" {
		of = new(PackOptions)
	}
	if err := json.Unmarshal(text, of); err != nil {
		return nil, err
	}
	return of, of.validate()
}

// worker is what a process has of a job, once: bundles are many, and several at a time.
type worker struct {
	work
	make  making
	begun *outdir.Job    // of the run
	of    provenance.Run // of which the folders are
	slots chan struct{}  // as many as shards may be taken at the same time
}

// jobAt returns the job as it is done in a context.
func (w *worker) jobAt(ctx context.Context) *outdir.Job { return w.begun.With(store{ctx}) }

// workers are those of this process, by their encoded options.
var workers struct {
	sync.Mutex
	of map[string]*worker
}

// workerOf returns the process's worker for the options, whose model is loaded when it is asked for first. An error is
// not remembered: the next bundle tries again.
func workerOf(ctx context.Context, encoded []byte) (*worker, error) {
	workers.Lock()
	defer workers.Unlock()
	if known := workers.of[string(encoded)]; known != nil {
		return known, nil
	}
	of, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	w := &worker{work: of}
	if err := w.load(ctx); err != nil {
		return nil, err
	}
	if workers.of == nil {
		workers.of = map[string]*worker{}
	}
	workers.of[string(encoded)] = w
	return w, nil
}

// load loads the model and makes sure that it is the one with which the job has begun.
func (w *worker) load(ctx context.Context) error {
	run, model, err := w.run(ctx)
	if err != nil {
		return err
	}
	w.of, w.begun = run, w.job()
	w.begun.Store = store{ctx}
	if err := w.begun.Resume(run); err != nil {
		return err
	}
	if w.make, err = w.open(model); err != nil {
		return err
	}
	w.slots = make(chan struct{}, w.threads())
	limitMemory(w.memory() + len(model))
	return nil
}

// limitMemory has the collector work harder rather than the heap grow beyond what is needed, unless GOMEMLIMIT says how
// far it may: a worker has neighbours.
func limitMemory(needed int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(64<<20 + needed))
	}
}

// heapOfThread is what scoring a shard takes on one thread, with what the runner's library takes.
const heapOfThread = 64 << 20
