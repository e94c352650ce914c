package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// Source is the corpus that a workload runs on: the files of Input, or, where it
// names none, a generated one.
type Source struct {
	Input     nbsvm.Input
	Generated Corpus
	Temp      string // folder to generate it in; "" is the system's
}

// measure runs a workload of a configuration on the corpus: cases are what to measure. The
// configuration becomes the settings of the report, as it is then.
func (s Source) measure(ctx context.Context, workload string, config interface{ validate() error }, runs int, progress func(done, total int), cases func(in nbsvm.Input) ([]Case, error)) (*Report, error) {
	if err := config.validate(); err != nil {
		return nil, ConfigError{err}
	}
	in, remove, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer remove()
	all, err := cases(in)
	if err != nil {
		return nil, err
	}
	report, err := newReport(workload, config)
	if err != nil {
		return nil, err
	}
	report.Results, err = Measure(ctx, runs, all, progress)
	return report, err
}

// open gives the input to read, written to a temporary file if it is generated, and
// what to call when it is no longer needed.
func (s Source) open(ctx context.Context) (nbsvm.Input, func(), error) {
	if len(s.Input.Paths) > 0 {
		return s.Input, func() {}, nil
	}
	dir, err := os.MkdirTemp(s.Temp, "nbsvm-bench-")
	if err != nil {
		return nbsvm.Input{}, nil, fmt.Errorf("bench: a folder for the generated corpus: %w", err)
	}
	remove := func() { os.RemoveAll(dir) }
	path := filepath.Join(dir, "generated.tsv")
	if err := atomicfile.WriteFile(path, func(w io.Writer) error { return s.Generated.WriteTSV(ctx, w, 0) }); err != nil {
		remove()
		return nbsvm.Input{}, nil, err
	}
	return nbsvm.Input{Paths: []string{path}}, remove, nil
}

// MarshalJSON names the corpus for a report's settings.
func (s Source) MarshalJSON() ([]byte, error) {
	if len(s.Input.Paths) > 0 {
		return json.Marshal(s.Input.Paths)
	}
	return json.Marshal(s.Generated)
}
