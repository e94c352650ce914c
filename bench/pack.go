package bench

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/packed"
)

// packDefaults measure 10,000 to a million documents of 60 words, all threads, to a gap of 1e-2.
func packDefaults(c *Config, quick bool) {
	c.Options.AutoNgrams, c.Options.Text.NgramHi, c.Options.Tol, c.Options.NamesLimit = false, 2, 1e-2, 0
	c.Documents, c.Runs = []int{10_000, 100_000, 1_000_000}, 3
	if quick {
		c.Documents = []int{1_000, 10_000, 100_000}
	}
}

// pack are the options of packing.
func (c *Config) pack() packed.Options {
	o := c.Options.Pack()
	o.Memory, o.Temp = c.Memory, c.Temp
	return o
}

// packCases measure how the cost of packing, training from packed corpora and scoring grows
// with the number of documents. Of each number, or of the input's files, they tell microseconds
// a document: of packing them to a file, of laying out the matrix from that, of an epoch and
// of scoring; and MB/s of text when packing, bytes of the corpus a non-zero, and the peak of
// memory over all of these where the system tells.
func packCases(ctx context.Context, j *job) (cases []Case, err error) {
	if len(j.in.Paths) > 0 {
		return []Case{j.packCase(Labels("input", "files"), j.in)}, nil
	}
	for _, n := range j.Documents {
		c := j.Generated
		c.Documents = n
		in, err := j.generate(ctx, c, tsv)
		if err != nil {
			return nil, err
		}
		cases = append(cases, j.packCase(Labels("documents", n), in))
	}
	return cases, nil
}

func (j *job) packCase(labels []label, in corpus.Input) Case {
	return Case{labels, func(ctx context.Context) ([]Value, error) { return j.packOnce(ctx, in) }}
}

// packOnce packs an input, trains and scores.
func (j *job) packOnce(ctx context.Context, in corpus.Input) ([]Value, error) {
	process.ResetPeakMemory()
	path := filepath.Join(j.folder, "corpus.nbc")
	var report *packed.Report
	start := time.Now()
	err := atomicfile.WriteFile(path, func(w io.Writer) (err error) {
		report, err = packed.Pack(ctx, in, j.pack(), w)
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
	o := j.Options
	o.Temp = j.folder
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
	documents := float64(report.Documents)
	each := func(name string, d time.Duration, times int) Value {
		return Value{name, lower, d.Seconds() * 1e6 / documents / float64(max(1, times))}
	}
	values := []Value{
		each("pack µs", took, 1), each("layout µs", stages["layout"], 1),
		each("epoch µs", stages["solve"], trained.Solution.Epochs), each("score µs", scored, 1),
		{"MB/s", higher, float64(report.Bytes) / 1e6 / took.Seconds()},
		{"bytes/nnz", lower, float64(info.Size()) / float64(max(1, report.NonZeros))},
	}
	if peak, ok := process.PeakMemory(); ok {
		values = append(values, Value{"peak MiB", lower, float64(peak) / (1 << 20)})
	}
	return values, nil
}
