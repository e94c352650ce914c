package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/parallel"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/packed"
)

// scaleDefaults project trainings on 20,000 generated documents to 32 processors.
func scaleDefaults(c *Config, quick bool) {
	trainDefaults(c, quick)
	c.Jobs, c.Threads = jobNames(), []int{2, 4, 8, 16, 32}
	if quick {
		c.Jobs, c.Threads = c.Jobs[:1], []int{2, 8, 32}
	}
}

// jobNames are the jobs that can be projected.
func jobNames() []string { return []string{"train", "score", "pack"} }

// scaleCases project what jobs take on more processors than there may be, in all and by
// stage: work s is what all threads do together, path s how long the job takes, and
// speed-up that of one thread over it. Where the machine has so many processors,
// measured s is what the job took on them.
func scaleCases(ctx context.Context, j *job) (cases []Case, err error) {
	for _, name := range j.Jobs {
		run, err := j.scaled(ctx, name)
		if err != nil {
			return nil, err
		}
		s := &scaling{run: run}
		first, err := s.project(ctx, 1) // which tells the stages
		if err != nil {
			return nil, err
		}
		for _, threads := range append([]int{1}, slices.DeleteFunc(slices.Clone(j.Threads), func(n int) bool { return n == 1 })...) {
			for _, stage := range first.Stages {
				cases = append(cases, Case{Labels("job", name, "threads", threads, "stage", stage.Name), func(ctx context.Context) ([]Value, error) {
					return s.values(ctx, threads, stage.Name)
				}})
			}
		}
	}
	one, all := j.memoryRate(1), j.memoryRate(runtime.GOMAXPROCS(0))
	j.notes = []string{
		"path s is a projection: each thread's part was run alone, and the longest of those that end together counts.",
		fmt.Sprintf("It presumes memory that keeps up. Here one thread reads %s GB/s, and %d read %s GB/s.", Number(one), runtime.GOMAXPROCS(0), Number(all)),
	}
	return cases, nil
}

// memoryRate is in GB/s.
func (j *job) memoryRate(threads int) float64 {
	table := j.newTable(256 << 20)
	return float64(len(table)*entry) / float64(fastest(100*time.Millisecond, func() { streamOnce(table, threads) }))
}

// scaled is a job to project, given the number of threads.
func (j *job) scaled(ctx context.Context, name string) (func(ctx context.Context, threads int) error, error) {
	switch name {
	case "score":
		classifier, _, err := nbsvm.Train(ctx, j.in, j.Options)
		render := func(dst []byte, _ *corpus.Document, _ *nbsvm.Prediction) []byte { return append(dst, '\n') }
		return func(ctx context.Context, threads int) error {
			_, err := classifier.Score(ctx, j.in, nbsvm.ScoreOptions{Threads: threads}, render, io.Discard)
			return err
		}, err
	case "pack":
		return func(ctx context.Context, threads int) error {
			o := j.pack()
			o.Threads = threads
			return atomicfile.WriteFile(filepath.Join(j.folder, "corpus.nbc"), func(w io.Writer) error {
				_, err := packed.Pack(ctx, j.in, o, w)
				return err
			})
		}, nil
	}
	return func(ctx context.Context, threads int) error {
		o := j.Options
		o.Threads = threads
		classifier, _, err := nbsvm.Train(ctx, j.in, o)
		if err == nil {
			_, err = classifier.WriteTo(io.Discard)
		}
		return err
	}, nil
}

// scaling is a job under projection.
type scaling struct {
	run     func(ctx context.Context, threads int) error
	single  parallel.Projected // the last one of one thread
	last    parallel.Projected // the last one, which is of so many threads
	threads int
}

// whole names the job as a whole among its stages, and other what belongs to none.
const whole, other = "all", "other"

// project is a projection with the whole job as its first stage.
func (s *scaling) project(ctx context.Context, threads int) (parallel.Projected, error) {
	p, err := parallel.Project(threads, func() error { return s.run(ctx, threads) })
	rest := parallel.Stage{Name: other, Work: p.Work, Path: p.Path}
	for _, stage := range p.Stages {
		rest.Work -= stage.Work
		rest.Path -= stage.Path
	}
	p.Stages = slices.Concat([]parallel.Stage{{Name: whole, Work: p.Work, Path: p.Path}}, p.Stages, []parallel.Stage{rest})
	return p, err
}

// values are those of a stage. All stages of a sample are of one run.
func (s *scaling) values(ctx context.Context, threads int, stage string) (values []Value, err error) {
	if stage == whole {
		if s.last, err = s.project(ctx, threads); err != nil {
			return nil, err
		}
		if s.threads = threads; threads == 1 {
			s.single = s.last
		}
	}
	of := func(p parallel.Projected) parallel.Stage {
		at := slices.IndexFunc(p.Stages, func(of parallel.Stage) bool { return of.Name == stage })
		return p.Stages[at]
	}
	one, many := of(s.single), of(s.last)
	values = []Value{
		{"work s", "", many.Work.Seconds()},
		{"path s", lower, many.Path.Seconds()},
		{"speed-up", higher, one.Path.Seconds() / many.Path.Seconds()},
	}
	if stage == whole && threads <= runtime.GOMAXPROCS(0) {
		start := time.Now()
		if err := s.run(ctx, threads); err != nil {
			return nil, err
		}
		values = append(values, Value{"measured s", lower, time.Since(start).Seconds()})
	}
	return values, nil
}
