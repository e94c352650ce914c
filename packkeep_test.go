package nbsvm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// keeping packs files with a folder that keeps their corpora. read are the bytes of input
// that were read.
type keeping struct {
	t     *testing.T
	o     PackOptions
	paths []string
	read  int64
}

// longName is as long as names of files may be.
var longName = strings.Repeat("é", 125) + ".tsv"

// newKeeping has documents in some files, one of which has none.
func newKeeping(t *testing.T, docs []record) *keeping {
	t.Helper()
	o := options()
	k := &keeping{t: t, o: o.Pack()}
	k.o.Keep, k.o.Temp = t.TempDir(), t.TempDir()
	folder := t.TempDir()
	for name, part := range map[string][]record{"a.tsv": docs[:len(docs)/3], "b.tsv": docs[len(docs)/3 : len(docs)/2], longName: docs[len(docs)/2:], "none.tsv": nil} {
		if err := os.WriteFile(filepath.Join(folder, name), tsv(part), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.tsv", "none.tsv", "b.tsv", longName} {
		k.paths = append(k.paths, filepath.Join(folder, name))
	}
	return k
}

func (k *keeping) input(paths ...string) Input { return packedFile("").With(paths...) }

// pack packs files, and expects the same bytes as without the folder.
func (k *keeping) pack(paths ...string) {
	k.t.Helper()
	plain := k.o
	plain.Keep, plain.Progress = "", nil
	var want, got bytes.Buffer
	if _, err := Pack(k.t.Context(), k.input(paths...), plain, &want); err != nil {
		k.t.Fatal(err)
	}
	k.read = 0
	documents := int64(0)
	k.o.Progress = func(p Progress) {
		if k.read = p.Done; p.Done > p.Total {
			k.t.Errorf("%d bytes of %d are done", p.Done, p.Total)
		}
		if p.Stage != "read" {
			return
		}
		if p.Documents < documents {
			k.t.Errorf("%d documents were read, after %d", p.Documents, documents)
		}
		documents = p.Documents
	}
	r, err := Pack(k.t.Context(), k.input(paths...), k.o, &got)
	if err != nil {
		k.t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		k.t.Fatalf("%v: %d other bytes than the %d", paths, got.Len(), want.Len())
	}
	if r.Documents == 0 || r.Took == 0 {
		k.t.Errorf("the report is %+v", r)
	}
}

func (k *keeping) size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		k.t.Fatal(err)
	}
	return info.Size()
}

// kept are the names of the corpora that are kept.
func (k *keeping) kept() (names []string) {
	files, err := os.ReadDir(k.o.Keep)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// TestPackKeeping: the corpus is the one that all files at once make, and only files that are
// new, have changed, or are asked for otherwise are read.
func TestPackKeeping(t *testing.T) {
	s := small.with(func(s *shape) { s.docs, s.classes = 300, 3 })
	for _, least := range []int{1, 2} {
		k := newKeeping(t, s.records())
		k.o.MinDF = least
		a, none, b, c := k.paths[0], k.paths[1], k.paths[2], k.paths[3]
		k.pack(a, none)
		if k.read != k.size(a) {
			t.Errorf("%d bytes were read of %d", k.read, k.size(a))
		}
		k.pack(a, none, b)
		if k.read != k.size(b) {
			t.Errorf("a file more: %d bytes were read, want %d", k.read, k.size(b))
		}
		k.pack(c, b, a, a)
		if k.read != k.size(c) {
			t.Errorf("another order: %d bytes were read, want %d", k.read, k.size(c))
		}
		if len(k.kept()) != 3 {
			t.Errorf("kept: %v", k.kept())
		}
		k.o.MinDF = 3 - least
		if k.pack(k.paths...); k.read != 0 {
			t.Errorf("another min-df: %d bytes were read", k.read)
		}
		k.o.Names = true
		if k.pack(a, b); k.read < k.size(a)+k.size(b) {
			t.Errorf("names: %d bytes were read", k.read)
		}
		k.o.Names = false
		if err := os.Chtimes(b, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if k.pack(k.paths...); k.read != k.size(b) {
			t.Errorf("a changed file: %d bytes were read, want %d", k.read, k.size(b))
		}
		// A corpus that is damaged is made again.
		for _, name := range k.kept() {
			if err := os.Truncate(filepath.Join(k.o.Keep, name), 100); err != nil {
				t.Fatal(err)
			}
		}
		if k.pack(b); k.read != k.size(b) {
			t.Errorf("a damaged corpus: %d bytes were read, want %d", k.read, k.size(b))
		}
	}
}

// TestPackKeepingInterrupted: what was packed before an interruption stays.
func TestPackKeepingInterrupted(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 300 })
	k := newKeeping(t, s.records())
	k.o.AutoNgrams = false
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := k.size(k.paths[0])
	k.o.Progress = func(p Progress) {
		if p.Done > a {
			cancel()
		}
	}
	if _, err := Pack(ctx, k.input(k.paths...), k.o, new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if len(k.kept()) != 1 {
		t.Errorf("kept: %v", k.kept())
	}
	if k.pack(k.paths...); k.read != k.size(k.paths[2])+k.size(k.paths[3]) {
		t.Errorf("%d bytes were read", k.read)
	}
}

// TestPackKeepingBad: bad records are told in every run.
func TestPackKeepingBad(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 60 })
	k := newKeeping(t, s.records())
	data, err := os.ReadFile(k.paths[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(k.paths[0], append(data, "no label\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var told strings.Builder
		in := k.input(k.paths...)
		if in.Bad, err = corpus.NewBadRecords(corpus.Skip, &told); err != nil {
			t.Fatal(err)
		}
		r, err := Pack(t.Context(), in, k.o, new(bytes.Buffer))
		if err != nil {
			t.Fatal(err)
		}
		if r.Bad != 1 || in.Bad.Count() != 1 || !strings.Contains(told.String(), "a.tsv:21") {
			t.Errorf("%d bad records in the corpus, %d told: %s", r.Bad, in.Bad.Count(), told.String())
		}
	}
}

// TestPackKeepingRefused: what there is no file of, or nothing in.
func TestPackKeepingRefused(t *testing.T) {
	s := small.with(func(s *shape) { s.docs = 60 })
	k := newKeeping(t, s.records())
	for want, in := range map[string]Input{
		"standard input can be read only once": s.input(),
		"no documents in":                      k.input(k.paths[1]),
		"no such file":                         k.input(k.paths[0], k.paths[1]+"x"),
	} {
		k.o.AutoNgrams = false
		if _, err := Pack(t.Context(), in, k.o, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
