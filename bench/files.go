package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
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
		text := write
		write = func(w io.Writer) error { return writeJSONL(w, text) }
	}
	if form == zstdOfJSONL {
		lines := write
		write = func(w io.Writer) error { return compress(w, lines) }
	}
	return in, osfile.WriteFile(in.Paths[0], write)
}

// writeJSONL writes the documents that are written as TSV as JSON lines.
func writeJSONL(w io.Writer, write func(w io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	buffered := bufio.NewWriter(w)
	for line := range bytes.Lines(text.Bytes()) {
		label, words, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
		fmt.Fprintf(buffered, "{\"label\":%q,\"text\":%q}\n", label, words) // they are letters, digits and spaces
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
