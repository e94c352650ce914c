package tag

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// chunked are sentences of chunks, which words before and behind tell apart.
func chunked(n int, seed uint64) string {
	var b strings.Builder
	r := splitmix.Source(seed)
	for range n {
		for range 1 + r.IntN(4) {
			switch r.IntN(3) {
			case 0:
				fmt.Fprintf(&b, "the D B-NP\nword%d N I-NP\n", r.IntN(20))
			case 1:
				fmt.Fprintf(&b, "word%d V B-VP\n", r.IntN(20))
			default:
				fmt.Fprintf(&b, "in P O\nNew N B-NP\nTown%d N I-NP\n", r.IntN(9))
			}
		}
		b.WriteString(". . O\n\n")
	}
	return b.String()
}

func trained(t testing.TB, text string, change func(*Options)) *Model {
	t.Helper()
	r, err := Open(nil, strings.NewReader(text), Reading{}, Reading{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := DefaultOptions(Perceptron)
	change(&o)
	m, err := Train(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
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
	r, err := Open(nil, strings.NewReader(text), Reading{}, m.Input, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	report, err := m.Evaluate(t.Context(), r, threads)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestKinds trains, writes, reads and evaluates a model of each kind, twice with the same bytes.
func TestKinds(t *testing.T) {
	train, test := chunked(300, 1), chunked(700, 2)
	for _, kind := range Kinds() {
		set := func(o *Options) { *o = DefaultOptions(kind) }
		m := trained(t, train, set)
		data := encoded(t, m)
		if !bytes.Equal(data, encoded(t, trained(t, train, set))) {
			t.Errorf("%s: trained twice, models differ", kind)
		}
		back, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, encoded(t, back)) {
			t.Errorf("%s: written again, the file differs", kind)
		}
		if want := map[bool]Scheme{true: Free, false: IOB2}[kind == Window]; m.Scheme != want {
			t.Errorf("%s: scheme %s, want %s", kind, m.Scheme, want)
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
			r, err := Open(nil, strings.NewReader(test), Reading{}, m.Input, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Score(t.Context(), r, &texts[i], 1+2*i); err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
		if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) || texts[0].Len() != len(test) {
			t.Errorf("%s: the output differs with the number of threads", kind)
		}
	}
}

// TestSchemeKept: no sequence is found that the scheme forbids, not of words that were never seen either.
func TestSchemeKept(t *testing.T) {
	for _, kind := range []Kind{Perceptron, CRF} {
		m := trained(t, chunked(50, 1), func(o *Options) { *o = DefaultOptions(kind); o.Epochs = 2 })
		r := splitmix.Source(5)
		tagger := m.NewTagger()
		for range 300 {
			s := &Sentence{}
			for range 1 + r.IntN(9) {
				s.Words = append(s.Words, []byte([]string{"the", "in", "New", "Town1", "zz", "."}[r.IntN(6)]))
			}
			before := ""
			for _, tag := range tagger.Tag(s) {
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
	data := encoded(t, trained(t, "a/X b/Y\nb/Y a/X\n", func(o *Options) { o.Templates = "w[0]" }))
	for n := range data {
		if _, err := Decode(data[:n]); err == nil {
			t.Fatalf("the first %d bytes are a model", n)
		}
	}
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if _, err := Decode(data); err == nil {
				t.Fatalf("bit %d of byte %d is not noticed", bit, i)
			}
			data[i] ^= 1 << bit
		}
	}
	if _, err := Decode([]byte("label\ttext\n")); !errors.Is(err, ErrNotModel) {
		t.Error(err)
	}
	copy(data[len(data)-8:], []byte{0, 0, 0xc0, 0x7f}) // NaN
	if _, err := Decode(mended(data)); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("a weight that is NaN: %v", err)
	}
}

// mended is a file with the right checksum.
func mended(data []byte) []byte {
	data = bytes.Clone(data)
	body := data[:len(data)-4]
	binary.LittleEndian.PutUint32(data[len(body):], crc32.Checksum(body, checksum.Castagnoli))
	return data
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
		m, err := Decode(mended(data))
		if err != nil {
			return
		}
		s := &Sentence{Words: [][]byte{[]byte("a"), []byte("Zürich")}}
		if m.templates.check(s) == nil && len(m.NewTagger().Tag(s)) != 2 {
			t.Error("not two tags")
		}
	})
}

func TestWrongOptions(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"no model":        func(o *Options) { o.Kind = "hmm" },
		"epochs":          func(o *Options) { o.Epochs = 0 },
		"min-count":       func(o *Options) { o.MinCount = 0 },
		"l2":              func(o *Options) { o.Kind, o.L2 = CRF, math.NaN() },
		"stands twice":    func(o *Options) { o.Templates = "w[0] w[0]" },
		"not like w[0]":   func(o *Options) { o.Templates = "w" },
		"from -8 to 8":    func(o *Options) { o.Templates = "w[9]" },
		"there is no":     func(o *Options) { o.Templates = "q[0]" },
		"a number from 1": func(o *Options) { o.Templates = "s10[0]" },
		"no templates":    func(o *Options) { o.Templates = " " },
	} {
		o := DefaultOptions(Perceptron)
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	r, err := Open(nil, strings.NewReader("a b\n"), Reading{}, Reading{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := DefaultOptions(Window)
	o.Templates = "c3[0]"
	if _, err := Train(t.Context(), r, o); !errors.Is(err, ErrColumn) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestInterrupted stops at once when it is told to.
func TestInterrupted(t *testing.T) {
	for _, kind := range Kinds() {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := Open(nil, strings.NewReader(chunked(20, 1)), Reading{}, Reading{}, true)
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultOptions(kind)
		o.Progress = func(Epoch) { cancel() }
		if _, err := Train(ctx, r, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", kind, err)
		}
		r.Close()
	}
}
