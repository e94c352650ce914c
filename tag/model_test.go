package tag

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

func trained(t testing.TB, text string, change func(*Options)) *Model {
	t.Helper()
	r, err := NewReader(Input{Stdin: strings.NewReader(text)})
	must.OK(t, err)
	defer r.Close()
	o := DefaultOptions(Perceptron)
	change(&o)
	m, err := Train(t.Context(), r, o)
	must.OK(t, err)
	return m
}

func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := m.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d of %d bytes: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func evaluated(t testing.TB, m *Model, text string, threads int) *Report {
	t.Helper()
	r, err := NewReader(Input{Stdin: strings.NewReader(text), Like: m.Input})
	must.OK(t, err)
	defer r.Close()
	report, err := m.Evaluate(t.Context(), r, threads)
	must.OK(t, err)
	return report
}

// TestFirstError: with any number of threads, the error is that of the first sentence that has one.
func TestFirstError(t *testing.T) {
	good := strings.Repeat("a b X\n\n", 2*batchSize)
	var tags strings.Builder
	for i := range mostTags {
		fmt.Fprintf(&tags, "a b T%d\n\n", i)
	}
	for _, test := range []struct{ text, want string }{
		{good + "a X\n", ":1025 (byte 3584): 2 columns instead of 3"},
		{good + tags.String() + "a X\n", ":9215: \"T4095\" is the 4097th tag"},
		{"a X\n", ":1: 2 columns, and a template takes c3"},
	} {
		for _, threads := range []int{1, 2, 5} {
			r, err := NewReader(Input{Stdin: strings.NewReader(test.text), Reading: Reading{Format: CoNLL}})
			must.OK(t, err)
			o := DefaultOptions(Perceptron)
			o.Threads, o.Templates = threads, "w[0] c3[0]"
			if _, err = Train(t.Context(), r, o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d threads: %v, want %s", threads, err, test.want)
			}
			r.Close()
		}
	}
}

// TestKinds trains, writes, reads and evaluates a model of each kind, on one thread and on three.
func TestKinds(t *testing.T) {
	train, test := testkit.Chunked(300, 1), testkit.Chunked(700, 2)
	for _, kind := range Kinds() {
		set := func(threads int) func(*Options) {
			return func(o *Options) { *o = DefaultOptions(kind); o.Threads = threads }
		}
		m := trained(t, train, set(1))
		data := encoded(t, m)
		if !bytes.Equal(data, encoded(t, trained(t, train, set(3)))) {
			t.Errorf("%s: the model differs with the number of threads", kind)
		}
		back, err := OpenBytes(data)
		must.OK(t, err)
		if !bytes.Equal(data, encoded(t, back)) {
			t.Errorf("%s: written again, the file differs", kind)
		}
		if m.Scheme != IOB2 {
			t.Errorf("%s: scheme %s, want %s", kind, m.Scheme, IOB2)
		}
		one, three := evaluated(t, m, test, 1), evaluated(t, back, test, 3)
		if one.Accuracy < 0.99 || one.F1 == nil || *one.F1 < 0.98 {
			t.Errorf("%s: accuracy %v, chunks %+v", kind, one.Accuracy, one.Chunks)
		}
		if one.Accuracy != three.Accuracy || *one.F1 != *three.F1 || one.Words != three.Words {
			t.Errorf("%s: %+v with one thread, %+v with three", kind, one, three)
		}
		var texts [2]bytes.Buffer
		for i := range texts {
			r, err := NewReader(Input{Stdin: strings.NewReader(test), Like: m.Input, Untagged: true})
			must.OK(t, err)
			must.OK(t, m.Score(t.Context(), r, &texts[i], 1+2*i))
			r.Close()
		}
		if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
			t.Errorf("%s: the output differs with the number of threads", kind)
		}
		if strings.Count(texts[0].String(), "\n") != strings.Count(test, "\n") {
			t.Errorf("%s: the output has other lines than the input", kind)
		}
	}
}

// TestSchemeKept: no sequence is found that the scheme forbids, not of words that were never seen either.
func TestSchemeKept(t *testing.T) {
	for _, kind := range Kinds() {
		m := trained(t, testkit.Chunked(50, 1), func(o *Options) { *o = DefaultOptions(kind); o.Epochs, o.Templates = 2, DefaultTemplates })
		r := xmath.SplitMix(5)
		tagger := m.NewTagger()
		for range 300 {
			s := &Sentence{}
			for range 1 + r.IntN(9) {
				s.Words = append(s.Words, []byte([]string{"the", "in", "New", "Town1", "zz", "."}[r.IntN(6)]))
			}
			before := ""
			tags, err := tagger.Tag(s)
			must.OK(t, err)
			for _, tag := range tags {
				if !m.Scheme.allows(before, tag) {
					t.Fatalf("%s: %s behind %q", kind, tag, before)
				}
				before = tag
			}
		}
	}
}

// TestDamagedModels: no beginning of a file is a model, and no changed byte goes unnoticed.
func TestDamagedModels(t *testing.T) {
	m := trained(t, "a/X b/Y\nb/Y a/X\n", func(o *Options) { o.Templates = "w[0]" })
	data := encoded(t, m)
	for n := range data {
		if _, err := OpenBytes(data[:n]); err == nil {
			t.Fatalf("the first %d bytes are a model", n)
		}
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if _, err := OpenBytes(data); err == nil {
				t.Fatalf("bit %d of byte %d is not noticed", bit, i)
			}
			data[i] ^= 1 << bit
		}
	}
	if _, err := OpenBytes([]byte("label\ttext\n")); !errors.Is(err, ErrNotModel) {
		t.Error(err)
	}
	if _, err := OpenBytes(data[:9]); !errors.Is(err, osfile.ErrTruncated) || !strings.HasPrefix(err.Error(), "tag: model in memory: ") {
		t.Error(err)
	}
	table, bad := format.Read(data)
	if bad != nil {
		t.Fatal(bad)
	}
	copy(table.Find("CHAIN").Bytes(data), []byte{0, 0, 0xc0, 0x7f}) // it begins with NaN
	if _, err := OpenBytes(testkit.Mended(format, data)); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("a weight that is NaN: %v", err)
	}
	data = encoded(t, m)
	if _, err := OpenBytes(testkit.Mended(format, data, container.Section{Name: "LATER"})); !errors.Is(err, container.ErrNewerVersion) {
		t.Errorf("a section of a later version: %v", err)
	}
}

// TestDamagedRows: lists of features that lead nowhere are noticed.
func TestDamagedRows(t *testing.T) {
	m := trained(t, testkit.Chunked(20, 1), func(*Options) {})
	for what, change := range map[string]func(r *rows){
		"a key before the one before": func(r *rows) { r.keys[3], r.keys[4] = r.keys[4], r.keys[3] },
		"a key twice":                 func(r *rows) { r.keys[4] = r.keys[3] },
		"another place":               func(r *rows) { r.first[len(r.first)/2]++ },
		"places that fall":            func(r *rows) { r.first[2] = r.first[1] - 1 },
		"a place behind the last":     func(r *rows) { r.first[len(r.first)-1]++ },
		"a first place":               func(r *rows) { r.first[0]++ },
	} {
		back, err := OpenBytes(encoded(t, m))
		must.OK(t, err)
		changed := rows{slices.Clone(back.rows.keys), slices.Clone(back.rows.first), back.rows.shift}
		change(&changed)
		back.rows = changed
		if _, err := OpenBytes(encoded(t, back)); !errors.Is(err, container.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestTruncatedInUse: a model whose file is cut while it is in use is an error.
func TestTruncatedInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.nbt")
	must.OK(t, trained(t, testkit.Chunked(500, 1), func(*Options) {}).Save(path))
	m, err := Open(path)
	must.OK(t, err)
	defer m.Close()
	if err := os.Truncate(path, 100); err != nil {
		t.Skip("files that are mapped can't be truncated here: ", err)
	}
	r, err := NewReader(Input{Stdin: strings.NewReader("the D\n"), Like: m.Input, Untagged: true})
	must.OK(t, err)
	defer r.Close()
	if err := m.Score(t.Context(), r, io.Discard, 1); !errors.Is(err, osfile.ErrTruncated) {
		t.Error(err)
	}
}

// TestUnconverged: tags whose solver stopped too early are counted. Words say nothing of their tags here, and are too
// many for Newton's method.
func TestUnconverged(t *testing.T) {
	var noise strings.Builder
	r := xmath.SplitMix(1)
	for range 1500 {
		fmt.Fprintf(&noise, "word%d/%c\n", r.IntN(400), 'X'+rune(r.IntN(2)))
	}
	for _, test := range []struct {
		c    float64
		want int // at least
	}{{1, 0}, {1e6, 1}} {
		m := trained(t, noise.String(), func(o *Options) {
			*o = DefaultOptions(Window)
			o.C = test.c
		})
		if n := m.Training.Unconverged; n < test.want || test.want == 0 && n > 0 {
			t.Errorf("C %g: %d tags, want %d or more", test.c, n, test.want)
		}
	}
}

// TestColumnTemplates: further columns are known of words where there are some, but not of CoNLL-U.
func TestColumnTemplates(t *testing.T) {
	for want, r := range map[string]struct {
		as      Reading
		columns int
	}{
		"":              {Reading{CoNLL, 2, 1}, 2},
		"c2[-2]|c2[-1]": {Reading{CoNLL, 3, 1}, 3},
		"c1[0]|c1[1]":   {Reading{CoNLL, 3, 2}, 3},
		"c8[0]":         {Reading{CoNLL, 9, 1}, 9},
		" ":             {Reading{CoNLLU, 4, 2}, 10},
	} {
		got := templatesOf(r.as, r.columns)
		if plain := strings.TrimSpace(want) == ""; plain && got != DefaultTemplates || !strings.Contains(got, want) {
			t.Errorf("%+v, %d columns: %s, want %q", r.as, r.columns, got, want)
		}
		if _, err := parseTemplates(got); err != nil {
			t.Error(err)
		}
	}
	if _, err := parseTemplates(templatesOf(Reading{CoNLL, 2, 1}, mostColumns)); err != nil {
		t.Error(err)
	}
}

// FuzzDecode: whatever a file holds, it is refused or can be used.
func FuzzDecode(f *testing.F) {
	for _, kind := range Kinds() {
		f.Add(encoded(f, trained(f, "a/B-X b/I-X\nb/B-X a/O\n", func(o *Options) { *o = DefaultOptions(kind); o.Templates = "w[0] c1[1]|s2[-1]" })))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		m, err := OpenBytes(testkit.Mended(format, data))
		if err != nil {
			return
		}
		s := &Sentence{Words: [][]byte{[]byte("a"), []byte("Zürich")}}
		if tags, err := m.NewTagger().Tag(s); err == nil && len(tags) != 2 {
			t.Error("not two tags")
		}
	})
}

func TestWrongOptions(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"Options.Kind must be": func(o *Options) { o.Kind = "hmm" },
		"Options.Epochs":       func(o *Options) { o.Epochs = 0 },
		"Options.MinCount":     func(o *Options) { o.MinCount = 0 },
		"C must be":            func(o *Options) { *o = DefaultOptions(Window); o.C = math.Inf(1) },
		"Options.L2":           func(o *Options) { o.Kind, o.L2 = CRF, math.NaN() },
		"is given twice":       func(o *Options) { o.Templates = "w[0] w[0]" },
		"not like w[0]":        func(o *Options) { o.Templates = "w" },
		"from -8 to 8":         func(o *Options) { o.Templates = "w[9]" },
		"unknown name":         func(o *Options) { o.Templates = "q[0]" },
		"must be from 1":       func(o *Options) { o.Templates = "s10[0]" },
		"no templates":         func(o *Options) { o.Templates = " " },
	} {
		o := DefaultOptions(Perceptron)
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	r, err := NewReader(Input{Stdin: strings.NewReader("a b\n")})
	must.OK(t, err)
	defer r.Close()
	o := DefaultOptions(Window)
	o.Templates = "c3[0]"
	if _, err := Train(t.Context(), r, o); !errors.Is(err, errColumn) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestWordsAlone: words in memory get the tags that they get in a file, and models that take columns refuse them.
func TestWordsAlone(t *testing.T) {
	m := trained(t, testkit.Chunked(100, 1), func(o *Options) { o.Templates = DefaultTemplates })
	tagger := m.NewTagger()
	s := &Sentence{}
	words := []string{"in", "New", "Town1", "the", "word3", "."}
	for _, word := range words {
		s.Words = append(s.Words, []byte(word))
	}
	want, err := tagger.Tag(s)
	must.OK(t, err)
	want = slices.Clone(want)
	if got, err := tagger.TagWords(words...); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v of words, want %v: %v", got, want, err)
	}
	if got, err := tagger.TagWords(); err != nil || len(got) != 0 {
		t.Errorf("%v of no words: %v", got, err)
	}
	m = trained(t, testkit.Chunked(100, 1), func(*Options) {})
	if _, err := m.NewTagger().TagWords(words...); !errors.Is(err, errColumn) {
		t.Errorf("a model of parts of speech: %v", err)
	}
}

// TestInterrupted stops at once when it is told to.
func TestInterrupted(t *testing.T) {
	for _, kind := range []Kind{Perceptron, CRF} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := NewReader(Input{Stdin: strings.NewReader(testkit.Chunked(20, 1))})
		must.OK(t, err)
		o := DefaultOptions(kind)
		o.Progress = func(Epoch) { cancel() }
		if _, err := Train(ctx, r, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
		r.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := learner{ctx: ctx, o: &Options{C: 1}, examples: &examples{tags: []string{"X", "Y"}, rows: []uint32{0, 1}, ends: []int{0, 1, 2}, gold: []int{0, 1}}, keys: []uint64{1, 2}}
	if err := l.window(); !errors.Is(err, context.Canceled) {
		t.Errorf("window: %v", err)
	}
}
