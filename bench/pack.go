package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// PackConfig measures how the cost of packing, training from packed corpora and scoring
// grows with the number of documents.
type PackConfig struct {
	Source    Source        `json:"Corpus"` // its number of documents does not matter; its Temp is for corpora, too
	Documents []int         // numbers of generated documents to measure with
	Options   nbsvm.Options // of packing and training
	Memory    int64         // to pack with, in bytes; 0 for the default
	Runs      int
}

// DefaultPackConfig measures 10,000 to a million documents of 60 words, all threads, to a
// gap of 1e-2.
func DefaultPackConfig() PackConfig {
	o := nbsvm.DefaultOptions()
	o.AutoNgrams, o.Text.NgramHi, o.Tol, o.NamesLimit = false, 2, 1e-2, 0
	return PackConfig{Source: Source{Generated: DefaultCorpus()}, Documents: []int{10_000, 100_000, 1_000_000}, Options: o, Runs: 3}
}

// validate reports the first setting out of its range.
func (c PackConfig) validate() error {
	if err := validRuns(c.Runs); err != nil {
		return err
	}
	if len(c.Documents) == 0 {
		return errors.New("bench: no numbers of documents to measure with")
	}
	for _, n := range c.Documents {
		if n < 1 {
			return fmt.Errorf("bench: %d documents, want 1 or more", n)
		}
	}
	po := c.pack()
	return errors.Join(po.Validate(), c.Options.Validate())
}

// pack are the options of packing.
func (c PackConfig) pack() nbsvm.PackOptions {
	o := c.Options.Pack()
	o.Memory, o.Temp = c.Memory, c.Source.Temp
	return o
}

// Run measures. Of each number of documents, or of the input's files, it tells microseconds
// a document: of packing them to a file, of laying out the matrix from that, of an epoch and
// of scoring; and MB/s of text when packing, bytes of the corpus a non-zero, and the peak of
// memory over all of these where the system tells.
func (c PackConfig) Run(ctx context.Context, progress func(done, total int)) (*Report, error) {
	if err := c.validate(); err != nil {
		return nil, ConfigError{err}
	}
	report, err := newReport("pack", c)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(c.Source.Temp, "nbsvm-bench-")
	if err != nil {
		return nil, fmt.Errorf("bench: a folder for corpora: %w", err)
	}
	defer os.RemoveAll(folder)
	sizes := c.Documents
	if len(c.Source.Input.Paths) > 0 {
		sizes = []int{0} // as many as there are
	}
	var cases []Case
	for _, n := range sizes {
		source, labels := c.Source, Labels("input", "files")
		if n > 0 {
			source.Generated.Documents, labels = n, Labels("documents", n)
		}
		in, remove, err := source.open(ctx)
		if err != nil {
			return nil, err
		}
		defer remove()
		cases = append(cases, Case{labels, func(ctx context.Context) ([]Value, error) { return c.measure(ctx, in, folder) }})
	}
	report.Results, err = Measure(ctx, c.Runs, cases, progress)
	return report, err
}

// measure packs an input, trains and scores.
func (c PackConfig) measure(ctx context.Context, in nbsvm.Input, folder string) ([]Value, error) {
	debug.FreeOSMemory() // what the run before left behind
	resetPeakMemory()
	path := filepath.Join(folder, "corpus.nbc")
	var packed *nbsvm.PackReport
	start := time.Now()
	err := atomicfile.WriteFile(path, func(w io.Writer) (err error) {
		packed, err = nbsvm.Pack(ctx, in, c.pack(), w)
		return err
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	o := c.Options
	o.Temp = folder
	classifier, trained, err := nbsvm.Train(ctx, in.With(path), o)
	if err != nil {
		return nil, err
	}
	stages := map[string]time.Duration{}
	for _, s := range trained.Stages {
		stages[s.Name] += s.Took
	}
	start = time.Now()
	render := func(dst []byte, _ *corpus.Document, _ *nbsvm.Prediction) []byte { return append(dst, '\n') }
	if _, err := classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: o.Threads}, render, io.Discard); err != nil {
		return nil, err
	}
	scored := time.Since(start)
	documents := float64(packed.Documents)
	each := func(name string, d time.Duration, times int) Value {
		return Value{name, Lower, d.Seconds() * 1e6 / documents / float64(max(1, times))}
	}
	values := []Value{
		each("pack µs", took, 1), each("layout µs", stages["layout"], 1),
		each("epoch µs", stages["solve"], trained.Solution.Epochs), each("score µs", scored, 1),
		{"MB/s", Higher, float64(packed.Bytes) / 1e6 / took.Seconds()},
		{"bytes/nnz", Lower, float64(info.Size()) / float64(max(1, packed.NonZeros))},
	}
	if peak, ok := peakMemory(); ok {
		values = append(values, Value{"peak MiB", Lower, float64(peak) / (1 << 20)})
	}
	return values, nil
}
