package nbsvmbeam

import (
	"context"
	"os"
	"runtime/debug"
	"sync"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
)

// worker is what a process has of a job, once: bundles are many, and several at a time.
type worker struct {
	options    ScoreOptions
	classifier *nbsvm.Classifier
	run        string        // which tells it from others
	slots      chan struct{} // as many as shards may be scored at the same time
}

// workers are those of this process, by their encoded options.
var workers struct {
	sync.Mutex
	of map[string]*worker
}

// workerOf is the process's worker for the options, whose model is loaded when it is asked for first. An error is not
// remembered: the next bundle tries again.
func workerOf(ctx context.Context, encoded []byte) (*worker, error) {
	workers.Lock()
	defer workers.Unlock()
	if known := workers.of[string(encoded)]; known != nil {
		return known, nil
	}
	w := &worker{}
	if err := w.options.decode(encoded); err != nil {
		return nil, err
	}
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
	o := &w.options
	text, err := readAll(ctx, o.Model)
	if err != nil {
		return err
	}
	run := o.runOf(text)
	recorded, there, err := readRecord(ctx, o.OutDir)
	if err != nil {
		return err
	}
	if there {
		if err := checkRecord(&outdir.Record{Run: run}, o.folders()[0], recorded); err != nil {
			return err
		}
	}
	w.run = run.ID()
	if isLocal(o.Model) {
		text = nil // it is mapped
		w.classifier, err = nbsvm.Open(o.Model)
	} else {
		w.classifier, err = nbsvm.OpenBytes(text)
	}
	if err != nil {
		return err
	}
	w.slots = make(chan struct{}, o.threads())
	limitMemory(o.threads()*o.ShardThreads, len(text))
	return nil
}

// limitMemory has the collector work harder rather than the heap grow beyond what so many threads need, unless
// GOMEMLIMIT says how far it may: a worker has neighbours. Model is the size of one that is on the heap.
func limitMemory(threads, model int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(64<<20 + threads*heapOfThread + model))
	}
}

// heapOfThread is what scoring a shard takes on one thread, with what the runner's library takes.
const heapOfThread = 64 << 20
