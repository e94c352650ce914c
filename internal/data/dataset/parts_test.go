package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// badRecords are those that drawDocuments puts between good ones.
var badRecords = []string{"no tab", "a,b", "a 3:x"}

// packParts packs the records of made-up documents into corpora of some records each, which may be none.
func (d *madeUp) packParts(t *rapid.T, folder string, o Options) (paths []string) {
	lines := bytes.SplitAfter(d.data, []byte("\n"))
	lines = lines[:len(lines)-1]
	var header []byte
	if d.weighted {
		header, lines = lines[0], lines[1:]
	}
	parts := rapid.IntRange(1, 6).Draw(t, "parts")
	for part := range parts {
		n := len(lines)
		if part+1 < parts {
			n = rapid.IntRange(0, n).Draw(t, "records")
			for n < len(lines) && slices.Contains(badRecords, strings.TrimSpace(string(lines[n]))) {
				n++ // no file begins with one
			}
		}
		in := d.in
		in.Bad, _ = corpus.NewBadRecords("skip", nil)
		in.Stdin = bytes.NewReader(append(slices.Clone(header), bytes.Join(lines[:n], nil)...))
		lines = lines[n:]
		path := filepath.Join(folder, fmt.Sprintf("part%d.nbc", part))
		f, err := os.Create(path)
		must.OK(t, err)
		if n == 0 {
			err = d.packNothing(f, o)
		} else {
			_, err = Pack(t.Context(), in, o, f)
		}
		must.OK(t, errors.Join(err, f.Close()))
		paths = append(paths, path)
	}
	return paths
}

// packNothing writes a corpus without documents, which packing refuses to make, but others may have written.
func (d *madeUp) packNothing(w io.Writer, o Options) error {
	meta := Meta{Source: sourceText, Text: o.Text, Counts: o.Counts, MinDF: 1}
	kind := vocab.Binary
	switch {
	case d.ready:
		meta = Meta{Source: sourceFeatures, MinDF: 1}
	case o.Counts:
		kind = vocab.Counts
	}
	said, err := json.Marshal(&meta)
	if err != nil {
		return err
	}
	pw, err := vocab.NewWriter(w, kind)
	if err == nil {
		_, err = pw.Finish(&vocab.Head{Meta: said}, nil)
	}
	return err
}

// TestPartsProperty: packed parts of documents are the dataset of all of them.
func TestPartsProperty(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocuments(t)
		o := text(func(o *Options) {
			o.Temp, o.Counts = folder, rapid.Bool().Draw(t, "counts")
		})
		paths := d.packParts(t, folder, o)
		if len(paths) > 1 { // a single one is as it is
			o.MinDF = rapid.IntRange(1, 3).Draw(t, "min-df")
		}
		ds, err := OpenPacked(t.Context(), paths, o)
		must.OK(t, err)
		if len(paths) > 1 && ds.Meta.Multi {
			o.MinDF = 1
		}
		d.check(t, ds, o)
		must.OK(t, ds.Close())
	})
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestPartsAreMerged: a dataset of parts is that of the corpus that they are merged to, in all that training asks.
func TestPartsAreMerged(t *testing.T) {
	folder := t.TempDir()
	all := zipf(600, 20)
	for name, o := range map[string]Options{
		"text": text(), "counts": text(func(o *Options) { o.Counts = true }), "names": text(func(o *Options) { o.Names = true }),
	} {
		for _, parts := range []int{2, 17} {
			var paths []string
			rest := slices.Collect(bytes.Lines(all))
			for part := range parts {
				n := len(rest) / (parts - part)
				paths, rest = append(paths, packFile(t, lines(bytes.Join(rest[:n], nil)), o)), rest[n:]
			}
			for _, minDF := range []int{1, 2, 70} {
				merge := MergeOptions{MinDF: minDF, Temp: folder, Threads: 2}
				var merged bytes.Buffer
				if _, err := Merge(t.Context(), paths, merge, &merged); err != nil {
					t.Fatal(err)
				}
				want, err := Open(file(t, merged.Bytes()))
				must.OK(t, err)
				testkit.Leaves(t, func() {
					got, err := OpenPacked(t.Context(), paths, text(func(o *Options) { o.MinDF, o.Temp = minDF, folder }))
					must.OK(t, err)
					if a, b := describeDataset(t, got), describeDataset(t, want); a != b {
						t.Errorf("%s, %d parts, min-df %d: %d bytes that describe it are others than the %d of the merged corpus", name, parts, minDF, len(a), len(b))
					}
					if err := got.Close(); err != nil {
						t.Error(err)
					}
				})
				want.Close()
			}
		}
	}
	testkit.Empty(t, folder)
}

// describeDataset is the same for datasets of which the same is to be said, but for where blocks end.
func describeDataset(t *testing.T, d *Dataset) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n%+v %d %d %v %08x\n", d.Meta, d.Rows.Totals(), d.Rows.Kind, d.Documents, d.Weights, d.Classes.Checksum())
	err := d.Rows.EachColumn(func(column uint32, key, frequency uint64) { fmt.Fprintf(&b, "%d %x %d\n", column, key, frequency) })
	if d.Rows.Named() {
		err = errors.Join(err, d.Rows.EachName(func(column uint32, name []byte) { fmt.Fprintf(&b, "%d %q\n", column, name) }))
	}
	keys, failed := d.Rows.Keys()
	fmt.Fprintf(&b, "%x\n", keys)
	err = errors.Join(err, failed, EachBlock(t.Context(), d.Rows, 2, func(_, _ int, x *sparse.CSR) (string, error) {
		var rows strings.Builder
		for i := range x.Rows {
			columns, values := x.Row(i)
			fmt.Fprintf(&rows, "%v %v\n", columns, values)
		}
		return rows.String(), nil
	}, func(rows string) error {
		b.WriteString(rows)
		return nil
	}))
	must.OK(t, err)
	return b.String()
}

// TestPartsRefused: parts that don't go together are refused as Merge does, and so is what is no packed corpus among
// them.
func TestPartsRefused(t *testing.T) {
	data := zipf(50, 5)
	plain := packFile(t, lines(data), text())
	folder := t.TempDir()
	for name, test := range map[string]struct{ other, want string }{
		"rare":    {packFile(t, lines(data), text(func(o *Options) { o.MinDF = 2 })), "pack corpora that will be merged with Options.MinDF 1"},
		"options": {packFile(t, lines(data), text(func(o *Options) { o.Text.Lowercase = false })), "was packed with lowercase false, and " + plain},
		"counts":  {packFile(t, lines(data), text(func(o *Options) { o.Counts = true })), "Options.Values count"},
		"missing": {filepath.Join(folder, "missing.nbc"), "missing.nbc"},
	} {
		testkit.Leaves(t, func() {
			_, err := OpenPacked(t.Context(), []string{plain, test.other}, text(func(o *Options) { o.Temp = folder }))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.other) {
				t.Errorf("%s: %v, want an error with %q and the name", name, err, test.want)
			}
			if _, again := PackedMeta([]string{plain, test.other}); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: %v, and to look at it: %v", name, err, again)
			}
		})
	}
	testkit.Leaves(t, func() {
		if _, err := OpenPacked(t.Context(), []string{plain, plain}, text(func(o *Options) { o.Temp = "no/such/folder" })); err == nil {
			t.Error("there is no folder for temporary files, and no error")
		}
	})
	for _, paths := range [][]string{{plain, "-"}, {file(t, data), plain}} {
		if _, _, err := PackedPaths(corpus.Input{Paths: paths}); err == nil || !strings.Contains(err.Error(), plain+" is a packed corpus and ") {
			t.Errorf("%v: %v", paths, err)
		}
	}
	if paths, ok, err := PackedPaths(corpus.Input{Paths: []string{plain, plain}}); !ok || err != nil || len(paths) != 2 {
		t.Errorf("%v, %t, %v", paths, ok, err)
	}
	testkit.Empty(t, folder)
}

// TestPartsDamaged: a block that was changed is told by the name of its part.
func TestPartsDamaged(t *testing.T) {
	good, bad := packFile(t, lines(zipf(50, 5)), text()), packFile(t, lines(zipf(60, 5)), text())
	whole, err := os.ReadFile(bad)
	must.OK(t, err)
	whole[70] ^= 1 // in the first block
	must.OK(t, os.WriteFile(bad, whole, 0o600))
	_, err = OpenPacked(t.Context(), []string{good, bad}, text(func(o *Options) { o.Temp = t.TempDir() }))
	if err == nil || !strings.Contains(err.Error(), bad+": BLOCK 0") {
		t.Errorf("a changed block: %v", err)
	}
}
