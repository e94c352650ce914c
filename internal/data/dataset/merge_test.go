package dataset

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

func lines(data []byte) corpus.Input {
	return corpus.Input{Stdin: bytes.NewReader(data), Format: corpus.TSV}
}

// TestMerge: corpora that are merged have the bytes of one that was packed in one go.
func TestMerge(t *testing.T) {
	all := zipf(3000, 20)
	cut := bytes.IndexByte(all[len(all)/3:], '\n') + len(all)/3 + 1
	for name, o := range map[string]Options{
		"text": text(), "counts": text(func(o *Options) { o.Counts = true }), "names": text(func(o *Options) { o.Names = true }),
	} {
		o.Temp = t.TempDir()
		least := o
		least.MinDF = 3
		a, b := packFile(t, lines(all[:cut]), o), packFile(t, lines(all[cut:]), o)
		for minDF, want := range map[int]Options{1: o, 3: least} {
			want, err := os.ReadFile(packFile(t, lines(all), want))
			must.OK(t, err)
			testkit.Leaves(t, func() {
				var merged bytes.Buffer
				r, err := Merge(t.Context(), []string{a, b}, MergeOptions{MinDF: minDF, Temp: o.Temp}, &merged)
				if err != nil || !bytes.Equal(merged.Bytes(), want) || r.Totals.Documents != 3000 {
					t.Errorf("%s, min-df %d: %d other bytes than the %d, %+v, %v", name, minDF, merged.Len(), len(want), r, err)
				}
			})
		}
		testkit.Empty(t, o.Temp)
	}
}

// TestMergeRefused: what does not go together is refused by the name of a file, and leaves nothing behind.
func TestMergeRefused(t *testing.T) {
	data := zipf(50, 5)
	plain := packFile(t, lines(data), text())
	features := packFile(t, corpus.Input{Stdin: strings.NewReader("a 3:1\nb 4:2\n"), Format: corpus.SVMLight}, text())
	folder := t.TempDir()
	for name, test := range map[string]struct {
		other, want string
		o           MergeOptions
	}{
		"min-df 0": {plain, "Options.MinDF must be 1 document or more, got 0", MergeOptions{}},
		"rare":     {packFile(t, lines(data), text(func(o *Options) { o.MinDF = 2 })), "Options.MinDF 1", MergeOptions{MinDF: 1}},
		"options":  {packFile(t, lines(data), text(func(o *Options) { o.Text.Lowercase = false })), "was packed with lowercase false, and ", MergeOptions{MinDF: 1}},
		"counts":   {packFile(t, lines(data), text(func(o *Options) { o.Counts = true })), "Options.Values count", MergeOptions{MinDF: 1}},
		"features": {features, "features of svmlight", MergeOptions{MinDF: 1}},
		"missing":  {filepath.Join(folder, "missing.nbc"), "missing.nbc", MergeOptions{MinDF: 1}},
		"temp":     {plain, "no/such/folder", MergeOptions{MinDF: 1, Temp: "no/such/folder"}},
	} {
		if test.o.Temp == "" {
			test.o.Temp = folder
		}
		testkit.Leaves(t, func() {
			if _, err := Merge(t.Context(), []string{plain, test.other}, test.o, io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v, want an error with %q", name, err, test.want)
			}
		})
	}
	if _, err := Merge(t.Context(), nil, MergeOptions{MinDF: 1}, io.Discard); err == nil {
		t.Error("nothing was merged")
	}
	testkit.Empty(t, folder)
}

// TestIs tells packed corpora from what is none.
func TestIs(t *testing.T) {
	path := packFile(t, lines(zipf(10, 5)), text())
	for path, want := range map[string]bool{
		path: true, filepath.Dir(path): false, path + "none": false, file(t, []byte("a\tx\n")): false,
	} {
		if is, err := IsPacked(path); err != nil || is != want {
			t.Errorf("%s: %v, error %v", path, is, err)
		}
	}
}

// TestNames: every column is called what hashes to its key.
func TestNames(t *testing.T) {
	data := append(zipf(500, 20), "a\tx \xff\xfe "+strings.Repeat("long", 100)+"é\n"...)
	for _, tokenizer := range []hashing.Tokenizer{hashing.Word, hashing.Space} {
		o := text(func(o *Options) { o.Names, o.Text.Families[0].Tokenizer = true, tokenizer })
		ds, err := Open(packFile(t, lines(data), o))
		must.OK(t, err)
		defer ds.Close()
		keys, err := ds.Rows.Keys()
		must.OK(t, err)
		extract, err := hashing.NewExtractor(o.Text)
		must.OK(t, err)
		seen := 0
		err = ds.Rows.EachName(func(j uint32, name []byte) {
			seen++
			hashes := extract.AppendHashes(nil, name)
			if len(hashes) == 0 || hashing.Key(hashes[len(hashes)-1], o.Text.Bits) != keys[j] && !bytes.Contains(name, []byte("…")) || len(name) > maxNameBytes+3 {
				t.Fatalf("column %d has the key %x and is called %q, whose n-grams are %x", j, keys[j], name, hashes)
			}
		})
		if err != nil || seen != len(keys) || !ds.Rows.Named() {
			t.Fatalf("%d names of %d columns, %v", seen, len(keys), err)
		}
	}
}

// TestContradictions: what a corpus says about itself is checked when it is opened, and nothing stays open.
func TestContradictions(t *testing.T) {
	path := packFile(t, lines(zipf(50, 5)), text())
	for name, test := range map[string]struct {
		change func(m *Meta)
		want   string
	}{
		"source":   {func(m *Meta) { m.Source = "images" }, `the source is "images"`},
		"features": {func(m *Meta) { m.Source = sourceFeatures }, "have options of text"},
		"orders":   {func(m *Meta) { m.Text.Families[0].NgramHi = 99 }, "tokens, got 99"},
		"bits":     {func(m *Meta) { m.Text.Bits = 50 }, "keys have 50 bits, not 8 to 40"},
		"counts":   {func(m *Meta) { m.Counts = true }, "counts are there: true"},
		"min-df 0": {func(m *Meta) { m.MinDF = 0 }, "min-df is 0"},
		"min-df":   {func(m *Meta) { m.MinDF = 1000 }, "there are n-grams of "},
		"invalid":  {func(m *Meta) { m.Invalid = 1 << 40 }, "of them invalid"},
		"entries":  {func(m *Meta) { m.Entries = 3 }, "documents had 3 n-grams"},
	} {
		c, meta, err := OpenCorpus(path)
		must.OK(t, err)
		test.change(meta)
		if err := meta.check(c.Kind, c.Totals(), &c.Head); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
		meta.Text.Bits = hashing.MinBits
		if err := meta.checkKeys(c); meta.Source == sourceText && (err == nil || !strings.Contains(err.Error(), " of an n-gram has more than 8 bits")) {
			t.Errorf("%s: keys of more bits: %v", name, err)
		}
		c.Close()
	}
	whole, err := os.ReadFile(path)
	must.OK(t, err)
	testkit.Leaves(t, func() {
		for _, data := range [][]byte{whole[:len(whole)/2], bytes.ReplaceAll(whole, []byte(`"source":"text"`), []byte(`"source":"tent"`))} {
			if _, err := Open(file(t, data)); err == nil {
				t.Error("a damaged corpus was opened")
			}
		}
	})
}

// TestClasses numbers labels bytewise, whatever order they come in.
func TestClasses(t *testing.T) {
	classes := func(all ...[]string) Classes {
		c := NewClasses()
		for _, of := range all {
			var labels [][]byte
			for _, label := range of {
				labels = append(labels, []byte(label))
			}
			must.OK(t, c.Add(labels))
		}
		c.Sort()
		return c
	}
	c := classes([]string{"b"}, []string{"a"}, []string{"é"}, []string{"B"}, []string{"a"}, []string{"b", "b"})
	if got := strings.Join(c.Labels, " "); got != "B a b é" || c.Multi {
		t.Errorf("labels %s, multi %t", got, c.Multi)
	}
	if a, b := c.Checksum(), classes([]string{"b"}, []string{"a"}); a == b.Checksum() {
		t.Errorf("other classes have the checksum %08x, too", a)
	}
	for doc, want := range []int32{2, 1, 3, 0, 1, 2} {
		if got := c.LabelsOf(doc); len(got) != 1 || got[0] != want || !c.Sets[want].Contains(uint32(doc)) {
			t.Errorf("document %d has the labels %v, want %d", doc, got, want)
		}
	}
	if none, two := classes([]string{"a"}, nil), classes([]string{"a", "b"}); !none.Multi || !two.Multi {
		t.Error("none or several labels are not seen as multi-label")
	}
	defer func(before int) { maxClasses = before }(maxClasses)
	maxClasses = 1000
	for k := range maxClasses {
		if err := c.Add([][]byte{fmt.Appendf(nil, "id%d", k)}); err != nil {
			if !strings.Contains(err.Error(), "more than 1000 different labels") || k != maxClasses-4 {
				t.Errorf("label %d: %v", k, err)
			}
			return
		}
	}
	t.Error("there is no bound on the number of labels")
}
