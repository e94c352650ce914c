package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// repacked is a corpus with another head and other values, whose checksums are right.
func repacked(t testing.TB, path string, kind vocab.Values, change func(head *vocab.Head)) string {
	t.Helper()
	c, err := vocab.Open(path)
	must.OK(t, err)
	defer c.Close()
	head := c.Head
	head.Runs, head.Distinct = nil, 0
	change(&head)
	var b bytes.Buffer
	o := vocab.MergeOptions{Kind: kind, MinDF: 1, Threads: 1, Temp: t.TempDir()}
	if _, err := vocab.Merge(context.Background(), &b, []*vocab.Corpus{c}, &head, o); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "repacked.nbc", b.Bytes())
}

// packedKinds are small corpora of text, of text with counts, and of features.
func packedKinds(t testing.TB) map[string]string {
	t.Helper()
	counts := nbsvm.DefaultOptions()
	counts.Text.Families, counts.Values = bigrams, nbsvm.Count
	binary := counts
	binary.Values = nbsvm.Binary
	s := small.with(func(s *shape) { s.docs = 20 })
	features := as(corpus.SVMLight, "a 3:1 5:2\nb 3:2 7:0.5\na 1:1\n")
	return map[string]string{
		"text": pack(t, s.input(), binary.Pack(), 0), "counts": pack(t, s.input(), counts.Pack(), 0), "features": pack(t, features, binary.Pack(), 0),
	}
}

// usePacked does with a corpus all that can be done, and returns the first error. What
// opens must not crash.
func usePacked(t testing.TB, path string) error {
	if _, err := packed.Inspect(path); err != nil {
		return err
	}
	_ = packed.Verify(t.Context(), path)
	_, _ = dataset.Merge(context.Background(), []string{path, path}, dataset.MergeOptions{MinDF: 1, Temp: t.TempDir()}, io.Discard)
	o := nbsvm.DefaultOptions()
	o.MaxEpochs, o.Text.Bits = 2, 10
	if err := inside.FollowPacked(&o, packedFile(path)); err != nil {
		return err
	}
	_, _ = nbsvm.CrossValidate(context.Background(), packedFile(path), o, 2)
	c, _, err := nbsvm.Train(context.Background(), packedFile(path), o)
	if err == nil {
		_, _ = c.Evaluate(context.Background(), packedFile(path), nbsvm.ScoreOptions{})
	}
	return nil
}

// TestPackedContradictions: a corpus whose checksums are right, but that can't be, is
// refused when it is opened.
func TestPackedContradictions(t *testing.T) {
	all := packedKinds(t)
	meta := func(change map[string]any) func(*vocab.Head) {
		return func(head *vocab.Head) {
			var m map[string]any
			must.OK(t, json.Unmarshal(head.Meta, &m))
			text, _ := m["text"].(map[string]any)
			for key, value := range change {
				if name, ok := strings.CutPrefix(key, "text."); ok {
					text[name] = value
				} else {
					m[key] = value
				}
			}
			head.Meta, _ = json.Marshal(m)
		}
	}
	for _, test := range []struct {
		name, of string
		kind     vocab.Values
		change   func(*vocab.Head)
		want     string
	}{
		{"no JSON", "text", vocab.Binary, func(h *vocab.Head) { h.Meta = []byte("{") }, "unexpected end of JSON"},
		{"nothing", "text", vocab.Binary, func(h *vocab.Head) { h.Meta = nil }, "unexpected end of JSON"},
		{"null", "text", vocab.Binary, func(h *vocab.Head) { h.Meta = []byte("null") }, `the source is ""`},
		{"source", "text", vocab.Binary, meta(map[string]any{"source": "images"}), `the source is "images"`},
		{"source of features", "text", vocab.Binary, meta(map[string]any{"source": "svmlight"}), "have options of text"},
		{"source of text", "features", vocab.Binary, meta(map[string]any{"source": "text"}), "keys have 0 bits"},
		{"tokenizer", "text", vocab.Binary, meta(map[string]any{"text.families": []string{"hieroglyph:1-2"}}), "hieroglyph"},
		{"no orders", "text", vocab.Binary, meta(map[string]any{"text.families": []string{"word:0-2"}}), "0"},
		{"orders", "text", vocab.Binary, meta(map[string]any{"text.families": []string{"word:1-99"}}), "99"},
		{"bits", "text", vocab.Binary, meta(map[string]any{"text.bits": 20}), " of an n-gram has more than 20 bits"},
		{"min-df 0", "text", vocab.Binary, meta(map[string]any{"min_df": 0}), "min-df is 0"},
		{"min-df", "text", vocab.Binary, meta(map[string]any{"min_df": -1 << 40}), "min-df is -1099511627776"},
		{"rarer", "text", vocab.Binary, meta(map[string]any{"min_df": 3}), "there are n-grams of "},
		{"no number", "text", vocab.Binary, meta(map[string]any{"min_df": "2"}), "cannot unmarshal"},
		{"too large", "text", vocab.Binary, meta(map[string]any{"bytes": 1e300}), "cannot unmarshal"},
		{"counts", "text", vocab.Binary, meta(map[string]any{"counts": true}), "counts are there: true"},
		{"no counts", "counts", vocab.Counts, meta(map[string]any{"counts": false}), "counts are there: false"},
		{"values of counts", "text", vocab.Counts, func(*vocab.Head) {}, "values are of kind 1"},
		{"numbers of text", "text", vocab.Floats, func(*vocab.Head) {}, "values are of kind 2"},
		{"min-df of features", "features", vocab.Floats, meta(map[string]any{"min_df": 2}), "have options of text"},
		{"counts of features", "features", vocab.Floats, meta(map[string]any{"counts": true}), "have options of text"},
		{"bytes", "text", vocab.Binary, meta(map[string]any{"bytes": -1}), "it is of -1 bytes"},
		{"invalid", "text", vocab.Binary, meta(map[string]any{"invalid": 1 << 40}), "1099511627776 of them invalid"},
		{"bad", "text", vocab.Binary, meta(map[string]any{"bad": -5}), "-5 bad records"},
		{"entries", "text", vocab.Binary, meta(map[string]any{"entries": 3}), "documents had 3 n-grams"},
		{"negative entries", "text", vocab.Binary, meta(map[string]any{"entries": -3}), "documents had -3 n-grams"},
		{"no label", "text", vocab.Binary, func(h *vocab.Head) { h.Labels = []string{"", "z"} }, `a label is ""`},
		{"label", "text", vocab.Binary, func(h *vocab.Head) { h.Labels = []string{"a", "\xff"} }, `a label is "\xff"`},
		{"two labels", "text", vocab.Binary, func(h *vocab.Head) {
			h.Sets[0] = h.Sets[0].Clone()
			h.Sets[0].Add(h.Sets[1].Minimum())
		}, "every document has one label, but 20 documents have 21"},
		{"another label", "text", vocab.Binary, func(h *vocab.Head) {
			h.Sets[0] = h.Sets[0].Clone()
			h.Sets[0].Remove(h.Sets[0].Minimum())
			h.Sets[0].Add(h.Sets[1].Minimum())
		}, "every document has one label, but 20 documents have 20"},
		{"labels gone", "text", vocab.Binary, func(h *vocab.Head) { h.Labels, h.Sets = nil, nil }, "every document has one label, but 20 documents have 0"},
	} {
		path := repacked(t, all[test.of], test.kind, test.change)
		err := usePacked(t, path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
	for name, path := range all {
		if err := usePacked(t, path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPackedFeatureNumbers: those of features must be ones that SVMlight has.
func TestPackedFeatureNumbers(t *testing.T) {
	var meta []byte
	c, err := vocab.Open(packedKinds(t)["features"])
	must.OK(t, err)
	meta = bytes.Clone(c.Meta)
	c.Close()
	for _, key := range []uint64{0, 1<<31 - 1, 1 << 32, 1<<64 - 1} {
		path := madeUp(t, vocab.Head{Meta: meta, Labels: []string{"a", "b"}, Distinct: 1, Runs: []vocab.Run{{Frequency: 4, Columns: 1}}}, []uint64{key}, [][]uint32{{0}, {0}, {0}, {0}})
		if err := usePacked(t, path); err == nil || !strings.Contains(err.Error(), "there is a feature ") {
			t.Errorf("key %d: %v", key, err)
		}
	}
}

// madeUp is a corpus of rows that are all there is to it, whose documents have one label
// after the other.
func madeUp(t *testing.T, head vocab.Head, keys []uint64, rows [][]uint32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made-up.nbc")
	f, err := os.Create(path)
	must.OK(t, err)
	defer f.Close()
	w, err := vocab.NewWriter(f, vocab.Binary)
	must.OK(t, err)
	for range head.Labels {
		head.Sets = append(head.Sets, roaring.New())
	}
	for i, columns := range rows {
		head.Sets[i%len(head.Sets)].Add(uint32(i))
		e := vocab.NewEncoded()
		e.Append(vocab.Binary, columns, nil)
		must.OK(t, w.Append(e))
	}
	if _, err := w.Finish(&head, keys); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPackedFrequencies: a corpus that says of columns that they are in other documents
// than they are is refused where that matters, and by verify.
func TestPackedFrequencies(t *testing.T) {
	c, err := vocab.Open(packedKinds(t)["text"])
	must.OK(t, err)
	var meta map[string]any
	must.OK(t, json.Unmarshal(c.Meta, &meta))
	c.Close()
	meta["min_df"] = 1
	head := vocab.Head{Labels: []string{"a", "b"}, Distinct: 4, Runs: []vocab.Run{{Frequency: 3, Columns: 1}, {Frequency: 1, Columns: 3}}}
	head.Meta, err = json.Marshal(meta)
	must.OK(t, err)
	keys := []uint64{4, 16, 32, 64}
	for name, test := range map[string]struct {
		rows [][]uint32
		good bool
	}{
		"right":  {[][]uint32{{0, 1}, {0, 2}, {0, 3}, {}}, true},
		"twice":  {[][]uint32{{0, 1}, {0, 1}, {0, 1}, {}}, false},
		"fewer":  {[][]uint32{{0, 1}, {0, 2}, {0}, {0}}, false},
		"others": {[][]uint32{{0, 1}, {1, 2}, {2, 3}, {}}, false},
	} {
		path := madeUp(t, head, keys, test.rows)
		o := options(func(o *nbsvm.Options) { o.Text.Families, o.MinDF, o.Text.Bits = bigrams, 1, 40 })
		_, _, err := nbsvm.Train(context.Background(), packedFile(path), o)
		if test.good != (err == nil) || err != nil && !strings.Contains(err.Error(), path+" contradicts itself") {
			t.Errorf("%s: training: %v", name, err)
		}
		if err := packed.Verify(t.Context(), path); test.good != (err == nil) || err != nil && !strings.Contains(err.Error(), "are in other numbers of documents") {
			t.Errorf("%s: verify: %v", name, err)
		}
		if err := usePacked(t, path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// pack packs an input into a file.
func pack(t testing.TB, in corpus.Input, o packed.Options, memory int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.nbc")
	f, err := os.Create(path)
	must.OK(t, err)
	o.Temp, o.Memory = t.TempDir(), memory
	if _, err := packed.Pack(context.Background(), in, o, f); err != nil {
		t.Fatal(err)
	}
	must.OK(t, f.Close())
	if left, _ := filepath.Glob(filepath.Join(o.Temp, "*")); len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	return path
}

func packedFile(path string) corpus.Input {
	return corpus.Input{Paths: []string{path}}
}

// packShapes are corpora of every kind.
func packShapes() map[string]shape {
	return map[string]shape{
		"two classes": small,
		"three":       small.with(func(s *shape) { s.classes = 3 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 3, true }),
		"weights":     small.with(func(s *shape) { s.weights = true }),
		"many":        small.with(func(s *shape) { s.docs, s.classes = 9000, 5 }),
	}
}
