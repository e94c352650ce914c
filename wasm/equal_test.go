//go:build !js

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// manyTexts is how many texts are compared with a model of real ones, and texts with one of generated ones.
const manyTexts, texts = 2_000, 300

// build builds this command for a system of WebAssembly.
func build(t *testing.T, system string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), system+".wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// words are documents of generated words: those of a class are more frequent in it.
func words(n int, r *rand.Rand) (labels, documents []string) {
	for k := range n {
		var text strings.Builder
		for range 5 + r.IntN(40) {
			w := int(r.ExpFloat64() * 300)
			if r.IntN(4) == 0 {
				w = w*3 + k%3
			}
			fmt.Fprintf(&text, "w%d%s ", w, []string{"", "", "", "é", "!", " 中文", "’s"}[r.IntN(7)])
		}
		labels, documents = append(labels, fmt.Sprint("class ", k%3)), append(documents, text.String())
	}
	return labels, documents
}

func lines(labels, documents []string) []byte {
	var all bytes.Buffer
	for k, text := range documents {
		fmt.Fprintf(&all, "%s\t%s\n", labels[k], text)
	}
	return all.Bytes()
}

// TestEqual: under a WASI runtime, labels, scores and explanations are those of a native build, byte for byte.
func TestEqual(t *testing.T) {
	run := newRuntime(t)
	labels, documents := words(texts+3000, rand.New(rand.NewPCG(1, 2)))
	train, input := lines(labels[texts:], documents[texts:]), []byte(strings.Join(documents[:texts], "\n")+"\n")
	for name, change := range map[string]func(o *nbsvm.Options){
		"default":       func(*nbsvm.Options) {},
		"probabilities": func(o *nbsvm.Options) { o.Calibrate = true },
		"small":         func(o *nbsvm.Options) { o.MaxModel = 40_000 },
		"logistic":      func(o *nbsvm.Options) { o.Kind, o.C = nbsvm.Logistic, 16 },
		"naive Bayes":   func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial },
		"neighbours": func(o *nbsvm.Options) {
			o.Kind, o.Values, o.Text.Families[0].NgramHi = nbsvm.KNN, nbsvm.LogTFIDF, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := nbsvm.DefaultOptions()
			change(&o)
			run.compare(t, corpus.Input{Stdin: bytes.NewReader(train), Format: corpus.TSV}, o, input, texts)
		})
	}
}

// TestEqualReviews: so it is with a model of IMDB's film reviews that takes less than a megabyte.
func TestEqualReviews(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("NBSVM_DATA"), "imdb", "t*.tsv*")) // the pattern is valid
	if os.Getenv("NBSVM_DATA") == "" || len(files) != 2 {
		t.Skip("NBSVM_DATA does not name a folder with imdb/train.tsv and imdb/test.tsv (or .zst)")
	}
	reader, err := corpus.Open(corpus.Input{Paths: files[:1]}) // test comes before train
	must.OK(t, err)
	defer reader.Close()
	var input []byte
	n := 0
	for d, err := range reader.Documents() {
		must.OK(t, err)
		if n++; n%25 < 2 { // of both classes
			input = append(append(input, d.Text...), '\n')
		}
	}
	o := nbsvm.DefaultOptions()
	o.MaxModel = 1_000_000
	newRuntime(t).compare(t, corpus.Input{Paths: files[1:]}, o, input, manyTexts)
}

// runtime runs this command in WebAssembly.
type runtime struct {
	wazero.Runtime
	program wazero.CompiledModule
}

func newRuntime(t *testing.T) *runtime {
	t.Helper()
	program, err := os.ReadFile(build(t, "wasip1"))
	must.OK(t, err)
	r := &runtime{Runtime: wazero.NewRuntime(t.Context())}
	t.Cleanup(func() { r.Close(context.WithoutCancel(t.Context())) })
	wasi_snapshot_preview1.MustInstantiate(t.Context(), r)
	if r.program, err = r.CompileModule(t.Context(), program); err != nil {
		t.Fatal(err)
	}
	return r
}

// compare trains a model and compares its answers to the lines of an input, of which there are so many.
func (r *runtime) compare(t *testing.T, in corpus.Input, o nbsvm.Options, input []byte, texts int) {
	t.Helper()
	c, _, err := nbsvm.Train(t.Context(), in, o)
	must.OK(t, err)
	folder := t.TempDir()
	must.OK(t, c.Save(filepath.Join(folder, "m.nbm")))
	var want, got, problems bytes.Buffer
	begin := time.Now()
	must.OK(t, stream([]string{filepath.Join(folder, "m.nbm"), "3", "4"}, bytes.NewReader(input), &want))
	native := time.Since(begin)
	config := wazero.NewModuleConfig().WithName("").WithArgs("wasm", "/m.nbm", "3", "4").
		WithStdin(bytes.NewReader(input)).WithStdout(&got).WithStderr(&problems).
		WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount(folder, "/"))
	begin = time.Now()
	if _, err := r.InstantiateModule(t.Context(), r.program, config); err != nil {
		t.Fatalf("%v: %s", err, problems.Bytes())
	}
	t.Logf("%d bytes of text: %v, natively %v", len(input), time.Since(begin), native)
	a, b := strings.Split(got.String(), "\n"), strings.Split(want.String(), "\n")
	if len(a) != texts+1 || len(b) != texts+1 {
		t.Fatalf("%d answers, natively %d, of %d texts", len(a)-1, len(b)-1, texts)
	}
	for k := range a {
		if a[k] != b[k] {
			t.Fatalf("text %d: %s, natively %s", k, a[k], b[k])
		}
	}
}
