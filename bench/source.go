package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// Source is the corpus that a workload runs on: the files of Input, or, where it
// names none, a generated one.
type Source struct {
	Input     nbsvm.Input `json:"-"`
	Generated Corpus      `json:"-"`
	Temp      string      `json:"-"` // folder to generate it in; "" is the system's
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
	if err := atomicfile.WriteFile(path, func(w io.Writer) error { return s.Generated.WriteTSV(ctx, w, 0, nil) }); err != nil {
		remove()
		return nbsvm.Input{}, nil, err
	}
	return nbsvm.Input{Paths: []string{path}, Options: corpus.DefaultOptions()}, remove, nil
}

// describe names the corpus for a report's settings.
func (s Source) describe() any {
	if len(s.Input.Paths) > 0 {
		return s.Input.Paths
	}
	return s.Generated
}
