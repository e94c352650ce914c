package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// generate writes a corpus to a temporary file, unless it is there.
func (j *job) generate(ctx context.Context, c Corpus) (corpus.Input, error) {
	name := fmt.Sprintf("generated-%d-%d-%d-%d.tsv", c.Documents, c.Words, c.Classes, c.Seed)
	in := corpus.Input{Paths: []string{filepath.Join(j.folder, name)}}
	if _, err := os.Stat(in.Paths[0]); err == nil {
		return in, nil
	}
	return in, osfile.WriteFile(in.Paths[0], func(w io.Writer) error { return c.WriteTSV(ctx, w, 0) })
}
