package dataset

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// made-up documents, and what a dataset of them must be.
type madeUp struct {
	data     []byte
	in       corpus.Input // without paths
	ready    bool
	weighted bool
	texts    []string
	labels   [][]string
	weights  []float32
	bad      int64
}

// drawDocuments draws documents of text or of ready-made features, some of them bad.
func drawDocuments(t *rapid.T) *madeUp {
	d := &madeUp{ready: rapid.IntRange(0, 2).Draw(t, "kind") == 0}
	multi := rapid.Bool().Draw(t, "multi-label")
	d.weighted = !d.ready && rapid.Bool().Draw(t, "weights")
	labels := rapid.SampledFrom([]string{"a", "b", "c", "é"})
	word := rapid.SampledFrom(strings.Fields("a b c d e f g h longer Longer x1 x2 x3 x4 x5 x6 été"))
	var b bytes.Buffer
	switch {
	case d.ready:
		d.in.Format = corpus.SVMLight
	case d.weighted:
		d.in.Format, d.in.WeightField = corpus.CSV, "weight"
		b.WriteString("label,weight,text\n")
	default:
		d.in.Format = corpus.TSV
	}
	if multi {
		d.in.LabelSep = ","
		if d.weighted {
			d.in.LabelSep = "|"
		}
	}
	for i := range rapid.IntRange(1, 60).Draw(t, "documents") {
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "bad") == 0 {
			d.bad++
			fmt.Fprintln(&b, map[corpus.Format]string{corpus.TSV: "no tab", corpus.CSV: "a,b", corpus.SVMLight: "a 3:x"}[d.in.Format])
		}
		of := []string{labels.Draw(t, "label")}
		if multi {
			of = rapid.SliceOfNDistinct(labels, 0, 3, rapid.ID).Draw(t, "labels")
		}
		if d.ready && len(of) == 0 {
			of = []string{"a"} // a line must not begin with a blank
		}
		weight := float32(1)
		if d.weighted {
			weight = float32(rapid.IntRange(1, 4).Draw(t, "weight")) / 2
		}
		var text string
		if d.ready {
			ids := rapid.SliceOfNDistinct(rapid.Uint32Range(1, 40), 0, 10, rapid.ID).Draw(t, "ids")
			slices.Sort(ids)
			for _, id := range ids {
				text += fmt.Sprintf(" %d:%v", id*id, rapid.SampledFrom([]float32{1, 1, 1, 1, 1, 1, 0.5, 2}).Draw(t, "value"))
			}
			text = strings.TrimSpace(text)
		} else {
			text = strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "words"), " ")
		}
		joined := strings.Join(of, d.in.LabelSep)
		switch {
		case d.ready:
			fmt.Fprintf(&b, "%s %s\n", joined, text)
		case d.weighted:
			fmt.Fprintf(&b, "%s,%v,%s\n", joined, weight, text)
		default:
			fmt.Fprintf(&b, "%s\t%s\n", joined, text)
		}
		d.texts, d.labels, d.weights = append(d.texts, text), append(d.labels, of), append(d.weights, weight)
	}
	d.data = b.Bytes()
	return d
}

// input is a new reading of the documents: a file in folder or, if it is "", standard input.
func (d *madeUp) input(folder string) corpus.Input {
	in := d.in
	in.Bad, _ = corpus.NewBadRecords("skip", nil)
	if in.Stdin = bytes.NewReader(d.data); folder != "" {
		path := filepath.Join(folder, "documents")
		if err := os.WriteFile(path, d.data, 0o600); err != nil {
			panic(err)
		}
		in.Paths, in.Stdin = []string{path}, nil
	}
	return in
}

// features are the keys of a document with their values, found the plain way.
func (d *madeUp) features(o *Options, extract *hashing.Extractor, text string) map[uint64]float32 {
	found := map[uint64]float32{}
	if d.ready {
		ids, values, err := sparse.AppendSVMLight(nil, nil, []byte(text))
		if err != nil {
			panic(err)
		}
		for k, id := range ids {
			found[uint64(id)] = values[k]
		}
		return found
	}
	for h := range extract.Ngrams([]byte(text)) {
		key := hashing.Key(h, o.Text.Bits)
		if found[key]++; !o.Counts {
			found[key] = 1
		}
	}
	return found
}

// check compares a dataset with what the documents make of it by maps and sorting.
func (d *madeUp) check(t *rapid.T, ds *Dataset, o Options) {
	text := ds.Meta.Text
	o.Text = o.ordered()
	if !d.ready {
		if option, got, want := text.Diff(o.Text); option != "" {
			t.Fatalf("%s %v, want %v", option, got, want)
		}
	}
	extract, err := hashing.NewExtractor(o.Text)
	must.OK(t, err)
	var all []map[uint64]float32
	df, entries, size, binary := map[uint64]uint64{}, int64(0), int64(0), true
	for _, text := range d.texts {
		row := d.features(&o, extract, text)
		all = append(all, row)
		entries, size = entries+int64(len(row)), size+int64(len(text))
		for key, value := range row {
			df[key]++
			binary = binary && value == 1
		}
	}
	least := uint64(o.MinDF)
	if o.MinDFOf != nil {
		least = uint64(o.MinDFOf(ds))
	}
	if d.ready {
		least = 1
	}
	var keys []uint64
	for key, n := range df {
		if n >= least {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b uint64) int { return cmp.Or(cmp.Compare(df[b], df[a]), cmp.Compare(a, b)) })
	kind := vocab.Binary
	switch {
	case d.ready && !binary:
		kind = vocab.Floats
	case !d.ready && o.Counts:
		kind = vocab.Counts
	}
	m := &ds.Meta
	if ds.Documents != len(d.texts) || ds.Ready() != d.ready || ds.Rows.Kind != kind || m.Bad != d.bad || m.Entries != entries || m.MinDF != int(least) {
		t.Fatalf("%d documents, ready %t, kind %d, %+v; want %d, %t, %d, %d bad, %d entries", ds.Documents, ds.Ready(), ds.Rows.Kind, *m, len(d.texts), d.ready, kind, d.bad, entries)
	}
	if m.Bytes != size {
		t.Fatalf("%d bytes of text, want %d", m.Bytes, size)
	}
	if got, err := ds.Rows.Keys(); err != nil || !slices.Equal(got, keys) {
		t.Fatalf("keys %x, want %x, %v", got, keys, err)
	}
	next := 0
	err = ds.Rows.EachColumn(func(j uint32, key, n uint64) {
		if int(j) != next || key != keys[j] || n != df[key] {
			t.Fatalf("column %d of %x, in %d documents; want %d of %x, in %d", j, key, n, next, keys[next], df[keys[next]])
		}
		next++
	})
	totals := ds.Rows.Totals()
	if err != nil || next != len(keys) || totals.Columns != uint64(next) || totals.Distinct != uint64(len(df)) || totals.Documents != uint64(len(d.texts)) {
		t.Fatalf("%d columns, %+v, want %d of %d, %v", next, totals, len(keys), len(df), err)
	}
	document := 0
	err = EachBlock(context.Background(), ds.Rows, 2, func(_, _ int, x *sparse.CSR) (rows []map[uint64]float32, err error) {
		for i := range x.Rows {
			columns, values := x.Row(i)
			if !slices.IsSorted(columns) {
				return nil, fmt.Errorf("columns %v", columns)
			}
			row := map[uint64]float32{}
			for k, j := range columns {
				if row[keys[j]] = 1; values != nil {
					row[keys[j]] = values[k]
				}
			}
			rows = append(rows, row)
		}
		return rows, nil
	}, func(rows []map[uint64]float32) error {
		for _, row := range rows {
			maps.DeleteFunc(all[document], func(key uint64, _ float32) bool { return df[key] < least })
			if !maps.Equal(row, all[document]) {
				return fmt.Errorf("document %d is %v, want %v", document, row, all[document])
			}
			document++
		}
		return nil
	})
	if err != nil || document != len(all) {
		t.Fatalf("%d documents of %d: %v", document, len(all), err)
	}
	d.checkLabels(t, ds)
}

// checkLabels compares labels and weights.
func (d *madeUp) checkLabels(t *rapid.T, ds *Dataset) {
	must.OK(t, ds.Classes.List(t.Context()))
	known, multi, weighted := map[string]bool{}, d.in.LabelSep != "", false
	for i, of := range d.labels {
		var got []string
		for _, k := range ds.Classes.LabelsOf(i) {
			got = append(got, ds.Classes.Labels[k])
			if !ds.Classes.Sets[k].Contains(uint32(i)) {
				t.Fatalf("document %d is not in the set of %q", i, ds.Classes.Labels[k])
			}
		}
		if want := slices.Sorted(slices.Values(of)); !slices.Equal(got, want) {
			t.Fatalf("document %d has the labels %q, want %q", i, got, want)
		}
		for _, label := range of {
			known[label] = true
		}
		multi, weighted = multi || len(of) != 1, weighted || d.weights[i] != 1
	}
	if !slices.Equal(ds.Classes.Labels, slices.Sorted(maps.Keys(known))) || ds.Classes.Multi != multi {
		t.Fatalf("labels %q, multi %t; want %v, %t", ds.Classes.Labels, ds.Classes.Multi, known, multi)
	}
	if !weighted && ds.Weights != nil || weighted && !slices.Equal(ds.Weights, d.weights) {
		t.Fatalf("weights %v, want %v", ds.Weights, d.weights)
	}
}

// text is options for words.
func text(change ...func(*Options)) Options {
	o := Options{Text: hashing.DefaultOptions(), MinDF: 1, Threads: 2}
	for _, change := range change {
		change(&o)
	}
	return o
}

// zipf is lines of text of two classes, many words of which are in few documents.
func zipf(documents, words int) []byte {
	var b bytes.Buffer
	state := uint64(1)
	for i := range documents {
		fmt.Fprintf(&b, "%c\t", 'a'+i%2)
		for range words {
			state = state*6364136223846793005 + 1442695040888963407
			fmt.Fprintf(&b, "w%d ", state>>33%(1+state>>40%5000))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func file(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "documents.tsv")
	must.OK(t, os.WriteFile(path, data, 0o600))
	return path
}
