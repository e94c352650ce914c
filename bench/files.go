package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
)

// The forms of generated files, by the end of their names.
const (
	tsv         = "tsv"
	jsonl       = "jsonl"
	zstdOfJSONL = "jsonl.zst"
)

// generate writes a corpus to a temporary file of some form, unless it is there.
func (j *job) generate(ctx context.Context, c Corpus, form string) (corpus.Input, error) {
	name := fmt.Sprintf("generated-%d-%d-%d-%d.%s", c.Documents, c.Words, c.Classes, c.Seed, form)
	in := corpus.Input{Paths: []string{filepath.Join(j.folder, name)}}
	if _, err := os.Stat(in.Paths[0]); err == nil {
		return in, nil
	}
	write := func(w io.Writer) error { return c.WriteTSV(ctx, w, 0) }
	if form != tsv {
		same, err := j.generate(ctx, c, tsv)
		if err != nil {
			return in, err
		}
		write = func(w io.Writer) error { return writeJSONL(w, same) }
	}
	if form == zstdOfJSONL {
		lines := write
		write = func(w io.Writer) error { return compress(w, lines) }
	}
	return in, atomicfile.WriteFile(in.Paths[0], write)
}

// writeJSONL writes the documents of an input, of one label each, as JSON lines.
func writeJSONL(w io.Writer, in corpus.Input) error {
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	buffered := bufio.NewWriter(w)
	lines := json.NewEncoder(buffered)
	for d, err := range reader.Documents() {
		if err == nil {
			err = d.Err
		}
		if err == nil {
			err = lines.Encode(struct {
				Label string `json:"label"`
				Text  string `json:"text"`
			}{string(d.Labels[0]), string(d.Text)})
		}
		if err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// compress compresses what is written, as zstd does by default.
func compress(w io.Writer, write func(w io.Writer) error) error {
	compressor, err := zstd.NewWriter(w)
	if err != nil {
		return err
	}
	return errors.Join(write(compressor), compressor.Close())
}
