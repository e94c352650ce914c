package tests

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// endless repeats its data for ever.
type endless struct {
	data []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.data[e.at:])
	e.at = (e.at + n) % len(e.data)
	return n, nil
}

// promptly is how long stopping may take: far less than what is stopped would.
const promptly = 5 * time.Second

// TestCancelledTraining cancels in each stage of the work, as told by Progress.
func TestCancelledTraining(t *testing.T) {
	data := tsv(small.with(func(s *shape) { s.classes = 3 }).records())
	hard := func(o *nbsvm.Options) { // for a solution that takes hours
		o.Tol, o.MaxEpochs, o.C, o.Normalize, o.Loss = 0, 1<<30, 100, false, "logistic"
	}
	two := tsv(small.records())
	for name, test := range map[string]struct {
		in    io.Reader
		o     func(*nbsvm.Options)
		stage string // "" for a context that is cancelled from the start
		after time.Duration
	}{
		"before":   {bytes.NewReader(data), func(*nbsvm.Options) {}, "", 0},
		"reading":  {&endless{data: data}, func(*nbsvm.Options) {}, "read", 0},
		"hold out": {bytes.NewReader(data), func(o *nbsvm.Options) { o.Calibrate = true }, "hold out", 0},
		"epochs":   {bytes.NewReader(two), hard, "solve", 0},
		"classes":  {bytes.NewReader(data), hard, "", 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Leaves(t, func() {
				cause := errors.New("enough")
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				var cancelled time.Time
				stop := func() {
					if ctx.Err() == nil {
						cancelled = time.Now()
						cancel(cause)
					}
				}
				o := options(test.o, func(o *nbsvm.Options) {
					o.Progress = func(p corpus.Progress) {
						if p.Stage == test.stage {
							stop()
						}
					}
				})
				switch {
				case test.after > 0:
					done := make(chan struct{})
					timer := time.AfterFunc(test.after, func() { stop(); close(done) })
					defer func() {
						if !timer.Stop() {
							<-done
						}
					}()
				case test.stage == "":
					stop()
				}
				c, report, err := nbsvm.Train(ctx, corpus.Input{Stdin: test.in, Format: corpus.TSV}, o)
				took := time.Since(cancelled)
				if !errors.Is(err, context.Canceled) || c != nil || report != nil {
					t.Errorf("%v, classifier %v, report %v", err, c, report)
				}
				if took > promptly {
					t.Errorf("it took %v to stop", took)
				}
			})
		})
	}
}

// TestCancelledScoring stops over an endless input, and so does a writer that
// fails.
func TestCancelledScoring(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options())
	data := tsv(small.records())
	in := func() corpus.Input { // a read of the one before may not have ended
		return corpus.Input{Stdin: &endless{data: data}, Format: corpus.TSV}
	}
	testkit.Leaves(t, func() {
		ctx, cancel := context.WithCancel(context.Background())
		o := nbsvm.ScoreOptions{Threads: 3, Progress: func(corpus.Progress) { cancel() }}
		if _, err := c.Score(ctx, in(), o, render, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("Score: %v", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		o.Progress = func(corpus.Progress) { cancel() }
		if _, err := c.Evaluate(ctx, in(), o); !errors.Is(err, context.Canceled) {
			t.Errorf("Evaluate: %v", err)
		}
		if _, err := c.Score(context.Background(), in(), nbsvm.ScoreOptions{}, render, brokenPipe{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Score to a broken pipe: %v", err)
		}
	})
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
