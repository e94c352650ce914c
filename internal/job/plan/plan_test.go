package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
	"github.com/seed-167f963f/nbsvm/internal/test/memtest"
	"github.com/seed-167f963f/nbsvm/packed"
)

// job is a small one, of generated documents.
func job(t *testing.T, documents int) Job {
	t.Helper()
	j := Job{Generated: bench.Defaults("gen", false).Generated, Machines: 1, Options: nbsvm.DefaultOptions(), Temp: t.TempDir()}
	j.Generated.Documents, j.Documents = documents, int64(documents)
	j.Options.Text.Bits, j.Options.Tol = 16, 1e-2
	return j
}

func mustMake(t *testing.T, j Job) *Plan {
	t.Helper()
	p, err := Make(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	memtest.Empty(t, j.Temp)
	return p
}

func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if math.Abs(got-want) > off*want {
		t.Errorf("%s: %.6g, want %.6g", what, got, want)
	}
}

// generated writes documents as nbsvm bench gen does.
func generated(t *testing.T, c bench.Corpus) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := c.WriteTSV(t.Context(), &text, 2); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestGrown: a plan for sixteen times as many documents tells within a quarter what these have when they are packed and
// trained on.
func TestGrown(t *testing.T) {
	j := job(t, 2500)
	j.Options.AutoNgrams = false
	j.Documents = 16 * 2500
	p := mustMake(t, j)
	c := j.Generated
	c.Documents, c.Seed = int(j.Documents), 7
	path := filepath.Join(t.TempDir(), "all.tsv")
	text := generated(t, c)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	all, err := packed.Pack(t.Context(), corpus.Input{Paths: []string{path}}, j.Options.Pack(), &b)
	if err != nil {
		t.Fatal(err)
	}
	_, trained, err := nbsvm.Train(t.Context(), corpus.Input{Paths: []string{path}}, j.Options)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bytes", float64(p.Bytes), float64(len(text)), 0.02)
	near(t, "distinct n-grams", float64(p.Distinct), float64(all.Distinct), 0.1)
	near(t, "n-grams that are kept", float64(p.Columns), float64(all.Columns), 0.25)
	near(t, "non-zeros", float64(p.NonZeros), float64(all.NonZeros), 0.1)
	near(t, "buckets", float64(p.Buckets), float64(trained.Features.Buckets), 0.05)
	near(t, "bytes of the corpus", float64(p.Stages[0].Output), float64(b.Len()), 0.1)
	if len(p.Stages) != 3 || p.Classes != 2 || p.Sample.Documents != 2500 || p.Ngrams != "1-2" {
		t.Errorf("%+v", p)
	}
}

// TestSeveral: several machines pack parts of the documents, which are merged; they take less time each.
func TestSeveral(t *testing.T) {
	j := job(t, 4000)
	j.Machines, j.Documents = 4, 1_000_000
	p := mustMake(t, j)
	var names []string
	sum := 0.0
	for _, s := range p.Stages {
		names = append(names, fmt.Sprintf("%s by %d", s.Name, s.Machines))
		if sum += s.Seconds; s.Seconds <= 0 || s.Output <= 0 {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(names, ", "); got != "pack by 4, merge by 1, train by 1, score by 4" {
		t.Error(got)
	}
	if merge := p.Stages[1]; merge.Temp < mergeTempBytes*p.Distinct {
		t.Errorf("merging takes %d bytes on disk, for %d n-grams", merge.Temp, p.Distinct)
	}
	j.Memory = 256 << 20
	if p := mustMake(t, j); p.Stages[1].Memory <= j.Memory || !strings.Contains(strings.Join(p.Assumed, "\n"), "merge needs ") {
		t.Errorf("merging takes %d bytes of memory, assuming %q", p.Stages[1].Memory, p.Assumed)
	}
	if p.Shards%4 != 0 || p.Shards < 4*4 || sum != p.Seconds || p.Disk <= p.Bytes {
		t.Errorf("%d files, %g s of %g, %d bytes of disk", p.Shards, sum, p.Seconds, p.Disk)
	}
}

// TestOrders: n-grams are those that training on all documents takes, not those of the sample.
func TestOrders(t *testing.T) {
	j := job(t, 2000) // 280 kB a class
	if p := mustMake(t, j); p.Ngrams != "word:1-2,char:2-5" {
		t.Errorf("n-grams %s of the sample", p.Ngrams)
	}
	j.Documents *= 100
	if p := mustMake(t, j); p.Ngrams != "1-3" {
		t.Errorf("n-grams %s of a hundred times as much text", p.Ngrams)
	}
}

// TestDisk: where rows don't fit into memory, training is planned and tried with rows on disk; with too little, the
// plan says so.
func TestDisk(t *testing.T) {
	j := job(t, 4000)
	j.Options.AutoNgrams, j.Documents, j.Memory = false, 2_000_000, 512<<20
	p := mustMake(t, j)
	if s := p.Stages[1]; s.MemoryFlag == 0 || s.MemoryFlag > j.Memory || s.Temp < p.NonZeros/2 || s.Temp > 8*p.NonZeros {
		t.Errorf("%+v, of %d non-zeros", s, p.NonZeros)
	}
	j.Memory = 64 << 20
	if _, err := Make(t.Context(), j); err == nil || !strings.Contains(err.Error(), "even with rows left on disk, and the limit is 48 MiB") ||
		!strings.Contains(err.Error(), "three quarters of the memory, 64.0 MiB") {
		t.Errorf("%v, want an error that tells how much memory it takes", err)
	}
}

// TestTake: samples are of all places of files, have the texts of good records, and tell how many there are in all.
func TestTake(t *testing.T) {
	c := job(t, 40_000).Generated
	c.Documents = 40_000
	lines := bytes.SplitAfter(generated(t, c), []byte("\n"))
	lines = lines[:len(lines)-1]
	var sorted []byte // by class: what stands first is not like the rest
	for class := range 2 {
		for i := class; i < len(lines); i += 2 {
			sorted = append(sorted, lines[i]...)
		}
	}
	folder := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(folder, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if kind := compressed.Of(path); kind != compressed.None {
			w, err := compressed.NewWriter(f, kind, 1)
			if err == nil {
				_, err = w.Write(text)
			}
			if err = errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			return path
		}
		if _, err := f.Write(text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := append([]byte("label\ttext\n"), sorted...)
	several := func(format string, count int) (paths []string) {
		for i := range count {
			some := lines[i*len(lines)/count : (i+1)*len(lines)/count]
			paths = append(paths, write(fmt.Sprintf(format, i), bytes.Join(some, nil)))
		}
		return paths
	}
	skip, err := corpus.NewBadRecords("skip", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		in  corpus.Input
		off float64 // of the estimate
	}{
		"sorted":     {corpus.Input{Paths: []string{write("sorted.tsv", sorted)}}, 0.03},
		"header":     {corpus.Input{Paths: []string{write("header.tsv", header)}, TextField: "text", LabelField: "label"}, 0.03},
		"several":    {corpus.Input{Paths: several("plain-%d.tsv", 100)}, 0.02},
		"compressed": {corpus.Input{Paths: several("%d.tsv.zst", 3)}, 0.2},
		"gzip":       {corpus.Input{Paths: several("%d.tsv.gz", 20)}, 0.2},
		"bad":        {corpus.Input{Paths: []string{write("bad.tsv", append([]byte("no label\n"), sorted...))}, Bad: skip}, 0.03},
	} {
		into := t.TempDir()
		s, err := take(t.Context(), into, test.in, int64(len(sorted))/4)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		near(t, name+": all documents", s.allDocuments, float64(len(lines)), test.off)
		if s.bytes < int64(len(sorted))/6 || s.bytes > int64(len(sorted))*3/4 {
			t.Errorf("%s: %d bytes of %d", name, s.bytes, len(sorted))
		}
		reader, err := corpus.Open(s.in)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		all, classes := map[string]bool{}, map[string]int64{}
		for _, line := range lines {
			_, text, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
			all[text] = true
		}
		documents := int64(0)
		for d, err := range reader.Documents() {
			if err != nil || d.Err != nil || !all[string(d.Text)] {
				t.Fatalf("%s: %v, %v, %q", name, err, d.Err, d.Text)
			}
			classes[string(d.Labels[0])]++
			documents++
		}
		if documents != s.documents || classes["c0"] < documents/4 || classes["c1"] < documents/4 {
			t.Errorf("%s: %d documents of %d, by class %v", name, documents, s.documents, classes)
		}
	}
}

// TestRefused: what no plan can be made of is told, and nothing is left behind.
func TestRefused(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad.tsv")
	if err := os.WriteFile(bad, []byte("a\tb\nno label\nb\tc\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(folder, "empty.tsv")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(j *Job)
		want   string
	}{
		"kind":      {func(j *Job) { j.Options = nbsvm.Options{Kind: nbsvm.GBDT} }, "gbdt"},
		"machines":  {func(j *Job) { j.Machines = 0 }, "machines must be 1 to 65536, got 0"},
		"documents": {func(j *Job) { j.Documents = 1 << 40 }, "got 1099511627776"},
		"memory":    {func(j *Job) { j.Memory = -1 }, "got -1"},
		"missing":   {func(j *Job) { j.Input.Paths = []string{filepath.Join(folder, "missing.tsv")} }, "missing.tsv"},
		"folder":    {func(j *Job) { j.Input.Paths = []string{folder} }, "not a regular file"},
		"bad":       {func(j *Job) { j.Input.Paths = []string{bad} }, "bad.tsv:2"},
		"empty":     {func(j *Job) { j.Input.Paths = []string{empty} }, "empty.tsv"},
	} {
		j := job(t, 100)
		j.Sample = 1 << 20
		test.change(&j)
		if _, err := Make(t.Context(), j); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error about %s", name, err, test.want)
		}
		memtest.Empty(t, j.Temp)
	}
}

// TestCancelled: a plan that is stopped leaves nothing behind.
func TestCancelled(t *testing.T) {
	for stop := range 5 {
		j := job(t, 2000)
		ctx, cancel := context.WithCancel(t.Context())
		j.Tell = func(_ string, done, _ int) {
			if done == stop {
				cancel()
			}
		}
		if _, err := Make(ctx, j); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at stage %d: %v", stop, err)
		}
		memtest.Empty(t, j.Temp)
	}
}
