package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// limited is a builder with so little memory that, as is drawn, blocks go to the spool, in memory or a file, texts are
// read again, counts wait in a file, and the vocabulary lies in one.
func limited(t *rapid.T, in corpus.Input, o Options) *builder {
	memory := int64(MinMemory)
	if rapid.Bool().Draw(t, "memory has no bound") {
		memory = 0
	}
	b, err := newBuilder(in, o, memory)
	must.OK(t, err)
	if memory > 0 {
		b.memory = rapid.SampledFrom([]int64{8, 64, 500, 4000, 100_000}).Draw(t, "memory")
	}
	b.mostWaiting = rapid.SampledFrom([]int64{0, 10, 100, 1 << 26}).Draw(t, "words that wait")
	b.texts.room = rapid.SampledFrom([]int64{-1, 0, 50, 1 << 20}).Draw(t, "room for texts")
	return b
}

// TestRows: rows in memory and rows in files are those that maps and sorting make, whatever there is of
// memory and threads, and wherever documents come from.
func TestRows(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocuments(t)
		o := text(func(o *Options) {
			o.Temp, o.MinDF, o.Threads = folder, rapid.IntRange(1, 3).Draw(t, "min-df"), rapid.IntRange(1, 3).Draw(t, "threads")
			o.Counts = rapid.Bool().Draw(t, "counts")
			if rapid.Bool().Draw(t, "min-df is decided later") {
				minDF := o.MinDF
				o.MinDF, o.MinDFOf = 1, func(d *Dataset) int {
					if len(d.Classes.Sets) != len(d.Classes.Labels) || d.Documents == 0 {
						panic("nothing is known of the documents")
					}
					return minDF
				}
			}
			o.Text.Bits = rapid.SampledFrom([]int{hashing.MinBits, 12, DefaultBits}).Draw(t, "bits")
			if o.Text.Families[0].NgramHi = rapid.IntRange(0, 3).Draw(t, "order"); o.Text.Families[0].NgramHi == 0 {
				o.Text.Families = hashing.Families{} // which leaves orders to documents
			}
		})
		from := rapid.SampledFrom([]string{"", folder}).Draw(t, "from")
		checked := func(ds *Dataset, err error, in corpus.Input) {
			must.OK(t, err)
			if in.Bad.Count() != d.bad {
				t.Fatalf("%d bad records were reported, want %d", in.Bad.Count(), d.bad)
			}
			d.check(t, ds, o)
			must.OK(t, errors.Join(ds.Close(), ds.Close()))
		}
		in := d.input(from)
		ds, err := Build(t.Context(), in, o)
		checked(ds, err, in)

		in = d.input(from)
		ds, err = limited(t, in, o).dataset(t.Context())
		checked(ds, err, in)

		bounded := o
		bounded.Memory, bounded.Names = MinMemory, true
		in = d.input(from)
		ds, err = Build(t.Context(), in, bounded)
		if err == nil && (ds.Rows.Named() == d.ready || ds.HasTexts() || ds.Path != "") {
			t.Fatalf("named %t, texts %t, path %q", ds.Rows.Named(), ds.HasTexts(), ds.Path)
		}
		checked(ds, err, in)

		var want, got bytes.Buffer
		names := o
		names.Names = !d.ready
		if _, err := Pack(t.Context(), d.input(from), names, &want); err != nil {
			t.Fatal(err)
		}
		in = d.input(from)
		b := limited(t, in, names)
		_, err = b.pack(t.Context(), &got)
		must.OK(t, errors.Join(err, b.close()))
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("%d bytes with little memory, %d others with much", got.Len(), want.Len())
		}
		path := filepath.Join(folder, "corpus.nbc")
		must.OK(t, os.WriteFile(path, got.Bytes(), 0o600))
		ds, err = Open(path)
		checked(ds, err, in)
		if ds, err = Open(path); err != nil {
			t.Fatal(err)
		}
		must.OK(t, errors.Join(ds.Rows.Verify(t.Context()), ds.Close()))
		_ = os.Remove(path)
		_ = os.Remove(filepath.Join(folder, "documents"))
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Fatalf("left behind: %v, %v", left, err)
		}
	})
}

// TestTextsAndRows: documents that are asked for are visited, in order, whether texts are kept or read again.
func TestTextsAndRows(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocuments(t)
		ds, err := limited(t, d.input(folder), text(func(o *Options) { o.Temp = folder })).dataset(t.Context())
		must.OK(t, err)
		defer ds.Close()
		some := roaring.New()
		var want []string
		for i, text := range d.texts {
			if rapid.Bool().Draw(t, "in") {
				some.Add(uint32(i))
				want = append(want, fmt.Sprint(i, text))
			}
		}
		rows := 0
		err = ds.EachRow(t.Context(), some, func(document int, columns []uint32) {
			if !strings.HasPrefix(want[rows], fmt.Sprint(document)) || len(d.texts[document]) == 0 && len(columns) > 0 {
				t.Fatalf("document %d of %d columns, want %q", document, len(columns), want[rows])
			}
			rows++
		})
		if err != nil || rows != len(want) {
			t.Fatalf("%d rows, want %d, %v", rows, len(want), err)
		}
		if ds.HasTexts() == d.ready {
			t.Fatal("ready-made features have texts, or texts have none")
		}
		if d.ready {
			return
		}
		var got []string
		err = ds.EachText(t.Context(), some, 1, func(_, document int, text []byte) { got = append(got, fmt.Sprint(document, string(text))) })
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("texts %q, want %q, %v", got, want, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ds.EachText(ctx, ds.All(), 2, func(int, int, []byte) {}); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled: %v", err)
		}
	})
}

// TestLargeInput has texts in many chunks, which are worked on some at a time, with counts in files and without.
func TestLargeInput(t *testing.T) {
	documents := 30_000
	if testing.Short() {
		documents = 8000
	}
	in := corpus.Input{Paths: []string{file(t, zipf(documents, 40))}}
	o := text(func(o *Options) { o.Temp, o.MinDF = t.TempDir(), 2 })
	ds, err := Build(t.Context(), in, o)
	must.OK(t, err)
	defer ds.Close()
	o.Memory, o.Threads = MinMemory, 3
	got, err := Build(t.Context(), in, o)
	must.OK(t, err)
	defer got.Close()
	if a, b := ds.Rows.Checksum(), got.Rows.Checksum(); ds.Rows.Totals() != got.Rows.Totals() || !reflect.DeepEqual(ds.Meta, got.Meta) {
		t.Errorf("%+v, %+v, %08x in memory; %+v, %+v, %08x in a file", ds.Rows.Totals(), ds.Meta, a, got.Rows.Totals(), got.Meta, b)
	}
	sum := func(ds *Dataset) (sum uint64) {
		err := ds.EachRow(t.Context(), ds.All(), func(document int, columns []uint32) {
			for k, j := range columns {
				sum = sum*31 + uint64(document)*uint64(k+1) + uint64(j)
			}
		})
		must.OK(t, err)
		return sum
	}
	if a, b := sum(ds), sum(got); a != b {
		t.Errorf("rows %x in memory, %x in a file", a, b)
	}
}

// TestChangedInput: an input that is another one at the second reading is an error, also where its size and
// its time are the same.
func TestChangedInput(t *testing.T) {
	before, after := "a\tone two three\nb\tone two\n", "a\tone two two  \nb\tone two\n"
	for _, sameTime := range []bool{false, true} {
		for _, memory := range []int64{0, MinMemory} {
			path := file(t, []byte(before))
			info, err := os.Stat(path)
			must.OK(t, err)
			o := text(func(o *Options) { o.Temp, o.Memory, o.Text.Families = t.TempDir(), memory, hashing.Families{} }) // orders that depend on how much text there is
			o.Progress = func(p corpus.Progress) {
				if p.Stage != "read" {
					return
				}
				if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
					t.Error(err)
				}
				when := info.ModTime()
				if !sameTime {
					when = when.Add(time.Hour)
				}
				if err := os.Chtimes(path, when, when); err != nil {
					t.Error(err)
				}
			}
			testkit.Leaves(t, func() {
				b, err := newBuilder(corpus.Input{Paths: []string{path}}, o, memory)
				must.OK(t, err)
				b.memory, b.texts.room = memory, -1
				_, err = b.dataset(t.Context())
				if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "changed between two readings") {
					t.Errorf("same time %t, memory %d: %v", sameTime, memory, err)
				}
			})
			testkit.Empty(t, o.Temp)
		}
	}
}

// TestCancelled: what is cancelled, at whatever moment, leaves nothing behind.
func TestCancelled(t *testing.T) {
	in := corpus.Input{Paths: []string{file(t, zipf(4000, 60))}}
	o := text(func(o *Options) { o.Temp, o.Threads = t.TempDir(), 3 })
	for name, run := range map[string]func(ctx context.Context) error{
		"in memory": func(ctx context.Context) error {
			ds, err := Build(ctx, in, o)
			if err == nil {
				err = ds.Close()
			}
			return err
		},
		"in a file": func(ctx context.Context) error {
			o := o
			o.Memory, o.Names = MinMemory, true
			ds, err := Build(ctx, in, o)
			if err == nil {
				err = ds.Close()
			}
			return err
		},
	} {
		start := time.Now()
		testkit.Leaves(t, func() {
			if err := run(t.Context()); err != nil {
				t.Error(err)
			}
		})
		took := time.Since(start)
		const moments = 8
		for i := range moments {
			testkit.Leaves(t, func() {
				ctx, cancel := context.WithTimeout(t.Context(), took*time.Duration(i)/moments)
				defer cancel()
				if err := run(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", name, err)
				}
			})
			testkit.Empty(t, o.Temp)
		}
	}
}

// full is a writer with room for so many bytes.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestFull: a writer that fails ends the packing with its error, and leaves nothing behind.
func TestFull(t *testing.T) {
	in := corpus.Input{Paths: []string{file(t, zipf(1000, 40))}}
	o := text(func(o *Options) { o.Temp, o.Names = t.TempDir(), true })
	for _, room := range []full{0, 10, 30_000, 100_000} {
		testkit.Leaves(t, func() {
			if _, err := Pack(t.Context(), in, o, &room); !errors.Is(err, errFull) {
				t.Errorf("%d bytes: %v", room, err)
			}
		})
		testkit.Empty(t, o.Temp)
	}
}

// TestRefused names what is wrong.
func TestRefused(t *testing.T) {
	good, svm := file(t, []byte("a\tx\nb\ty\n")), file(t, nil)
	must.OK(t, os.WriteFile(svm, []byte("a 3:1\n"), 0o600))
	corpusPath := packFile(t, corpus.Input{Paths: []string{good}}, text())
	missing := filepath.Join(t.TempDir(), "missing")
	svmlight := corpus.Input{Paths: []string{svm}, Format: corpus.SVMLight}
	for name, test := range map[string]struct {
		in     corpus.Input
		change func(*Options)
		want   string
	}{
		"min-df":       {corpus.Input{}, func(o *Options) { o.MinDF = 0 }, "Options.MinDF must be 1 document or more, got 0"},
		"memory":       {corpus.Input{}, func(o *Options) { o.Memory = 1 }, "1 bytes of memory"},
		"threads":      {corpus.Input{}, func(o *Options) { o.Threads = -1 }, "got -1"},
		"orders":       {corpus.Input{}, func(o *Options) { o.Text.Families[0].NgramHi = 99 }, "tokens, got 99"},
		"nothing":      {corpus.Input{Stdin: strings.NewReader("")}, nil, "no documents in standard input"},
		"missing":      {corpus.Input{Paths: []string{missing}}, nil, missing},
		"packed":       {corpus.Input{Paths: []string{corpusPath}}, nil, "is already packed"},
		"among others": {corpus.Input{Paths: []string{corpusPath, good}}, nil, "give only packed corpora"},
		"temp":         {corpus.Input{Paths: []string{good}}, func(o *Options) { o.Temp, o.Memory = missing, MinMemory }, missing},
		"temp of pipe": {corpus.Input{Stdin: strings.NewReader("a\tx\n")}, func(o *Options) { o.Temp = missing }, missing},
		"bad record":   {corpus.Input{Stdin: strings.NewReader("a\tx\nnone\n"), Format: corpus.TSV}, nil, "none"},
		"bad feature":  {corpus.Input{Stdin: strings.NewReader("a 3:1\na 4:x\n"), Format: corpus.SVMLight}, nil, "standard input:2"},
	} {
		for _, memory := range []int64{0, MinMemory} {
			o := text()
			if o.Memory = memory; test.change != nil {
				test.change(&o)
			}
			in := test.in
			if r, ok := in.Stdin.(*strings.Reader); ok { // a reading that failed may have left a read behind
				again := *r
				in.Stdin = &again
			}
			testkit.Leaves(t, func() {
				if ds, err := Build(t.Context(), in, o); err == nil || ds != nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: %v, want an error with %q", name, err, test.want)
				}
			})
		}
	}
	if _, err := Pack(t.Context(), svmlight, text(func(o *Options) { o.Names = true }), io.Discard); err == nil || !strings.Contains(err.Error(), "which have no names") {
		t.Errorf("names of features: %v", err)
	}
	mixed := corpus.Input{Paths: []string{good, svm + ".svm"}}
	must.OK(t, os.Rename(svm, svm+".svm"))
	if _, err := Build(t.Context(), mixed, text()); !errors.Is(err, errKinds) {
		t.Errorf("text and features: %v", err)
	}
}

// packFile packs an input into a file.
func packFile(t testing.TB, in corpus.Input, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.nbc")
	f, err := os.Create(path)
	must.OK(t, err)
	_, err = Pack(t.Context(), in, o, f)
	must.OK(t, errors.Join(err, f.Close()))
	return path
}

// TestIdleWorkers: a worker that had nothing to do at the first reading knows at the second, too, that features
// are ready-made.
func TestIdleWorkers(t *testing.T) {
	for range 20 {
		in := corpus.Input{Stdin: strings.NewReader("a 3:1 5:2\nb 4:1\n"), Format: corpus.SVMLight}
		b, err := newBuilder(in, text(func(o *Options) { o.Threads, o.Temp = 8, t.TempDir() }), 0)
		must.OK(t, err)
		b.texts.room = -1
		ds, err := b.dataset(t.Context())
		must.OK(t, err)
		ds.Close()
	}
}

// TestNamesOfTextsReadTwice packs so much text that it is read again, and that chunks are used again for other text.
func TestNamesOfTextsReadTwice(t *testing.T) {
	must.SkipUnderRace(t)
	path := file(t, zipf(20_000, 60))
	var packed [2]bytes.Buffer
	for i, memory := range []int64{MinMemory, DefaultMemory} {
		o := text(func(o *Options) { o.Memory, o.Names, o.Temp = memory, true, t.TempDir() })
		if _, err := Pack(t.Context(), corpus.Input{Paths: []string{path}}, o, &packed[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) {
		t.Fatal("names depend on memory")
	}
}
