// Package hostile has fuzz targets of the binary files that nbsvm reads, through the public interface. They take a file
// and need nothing else, so that OSS-Fuzz and ClusterFuzzLite can build them. The targets beside the packages use their
// helpers and reach further, and run in Go's own fuzzer alone.
package hostile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
	"github.com/seed-167f963f/nbsvm/tag"
)

// seedFiles adds the files of a pattern.
func seedFiles(f *testing.F, pattern string) {
	paths, _ := filepath.Glob(pattern)
	if len(paths) == 0 {
		f.Fatalf("no files %s", pattern)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must.OK(f, err)
		seed(f, filepath.Base(path), data)
	}
}

// seed adds a file. With NBSVM_SEEDS=FOLDER it also writes it there, as targets in libFuzzer read their argument: its
// length, then its bytes.
func seed(f *testing.F, name string, data []byte) {
	f.Add(data)
	if folder := os.Getenv("NBSVM_SEEDS"); folder != "" {
		copied := filepath.Join(folder, f.Name(), name)
		framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
		must.OK(f, errors.Join(os.MkdirAll(filepath.Dir(copied), 0o700), os.WriteFile(copied, framed, 0o600)))
	}
}

// inFile hands over a file with these bytes.
func inFile(data []byte, read func(path string)) {
	file, err := os.CreateTemp("", "nbsvm-fuzz-")
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(data); err != nil {
		panic(err)
	}
	if err := file.Close(); err != nil {
		panic(err)
	}
	read(file.Name())
}

// use predicts with a model, whatever that gives.
func use(c *nbsvm.Classifier, err error) {
	if err != nil {
		return
	}
	defer c.Close()
	for _, text := range []string{"", "the old gull saw a tram", "1:2.5 7:-1"} {
		_, _ = c.Predict([]byte(text))
	}
}

func FuzzModel(f *testing.F) {
	seedFiles(f, "../../internal/model/testdata/*.nbm")
	f.Fuzz(func(_ *testing.T, data []byte) { use(nbsvm.OpenBytes(data)) })
}

func FuzzFastText(f *testing.F) {
	seedFiles(f, "../../internal/model/fasttext/testdata/*.bin")
	seedFiles(f, "../../internal/model/fasttext/testdata/*.ftz")
	f.Fuzz(func(_ *testing.T, data []byte) { inFile(data, func(path string) { use(nbsvm.Open(path)) }) })
}

func FuzzPacked(f *testing.F) {
	for name, text := range map[string]string{
		"text": "gulls\tthe old gull saw a tram\ntrams\ta tram saw the gull, and the gull a tram\n", "features": "+1 1:2.5 7:-1\n-1 2:1 7:3\n",
	} {
		var corpora bytes.Buffer
		_, err := packed.Pack(context.Background(), corpus.Input{Stdin: strings.NewReader(text)}, nbsvm.DefaultOptions().Pack(), &corpora)
		must.OK(f, err)
		seed(f, name+".nbc", corpora.Bytes())
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		inFile(data, func(path string) { _ = packed.Verify(context.Background(), path) })
	})
}

func FuzzTags(f *testing.F) {
	for _, kind := range tag.Kinds() {
		r, err := tag.NewReader(tag.Input{Stdin: strings.NewReader("the\tDET\nold\tADJ\ngull\tNOUN\n\na\tDET\ntram\tNOUN\n\n")})
		must.OK(f, err)
		m, err := tag.Train(context.Background(), r, tag.DefaultOptions(kind))
		must.OK(f, err)
		var file bytes.Buffer
		_, err = m.WriteTo(&file)
		must.OK(f, err)
		seed(f, string(kind)+".nbt", file.Bytes())
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		m, err := tag.OpenBytes(data)
		if err != nil {
			return
		}
		_, _ = m.NewTagger().TagWords("the", "old", "gull")
	})
}
