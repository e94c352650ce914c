package nbsvm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// PackOptions say how documents become rows of a packed corpus. Those of training
// (Options.Pack) make a corpus to train with these options on.
type PackOptions struct {
	Text       hashing.Options // Bits do not matter: a corpus keeps whole hashes
	AutoNgrams bool            // as in Options
	MinDF      int             // leave out n-grams of fewer documents
	Counts     bool            // keep how often a document has an n-gram
	// Memory is about how many bytes to take at most, for n-grams that wait to be
	// numbered; what does not fit waits in files in Temp. 0 stands for DefaultPackMemory.
	Memory int64
	// Temp is the folder for these files; "" is the system's.
	Temp     string
	Threads  int
	Progress func(Progress)
}

// DefaultPackMemory is 2 GiB.
const DefaultPackMemory = 2 << 30

// minPackMemory is what a few chunks of input and their n-grams take.
const minPackMemory = 64 << 20

// Pack are the options of a corpus to train with these options on.
func (o *Options) Pack() PackOptions {
	text := o.Text
	text.Seed = o.Seed
	return PackOptions{Text: text, AutoNgrams: o.AutoNgrams, MinDF: o.MinDF, Counts: o.counted(), Threads: o.Threads}
}

// options are those of training, as far as the two have something in common.
func (o *PackOptions) options() Options {
	t := DefaultOptions()
	bits := t.Text.Bits
	t.Text, t.AutoNgrams, t.MinDF, t.Threads, t.Progress = o.Text, o.AutoNgrams, o.MinDF, o.Threads, o.Progress
	t.Text.Bits = bits
	if o.Counts {
		t.Values = Count
	}
	t.firstOrders()
	return t
}

// MemoryOrDefault is Memory, or what 0 stands for.
func (o *PackOptions) MemoryOrDefault() int64 {
	if o.Memory == 0 {
		return DefaultPackMemory
	}
	return o.Memory
}

// Validate reports the first option that is out of its range.
func (o *PackOptions) Validate() error {
	if o.Memory != 0 && o.Memory < minPackMemory {
		return fmt.Errorf("nbsvm: %d bytes of memory to pack with, want %d or more", o.Memory, int64(minPackMemory))
	}
	t := o.options()
	return t.Validate()
}

// packedMeta is what a packed corpus says about itself.
type packedMeta struct {
	Source     string          `json:"source"` // text or svmlight
	Text       hashing.Options `json:"text"`   // without bits
	AutoNgrams bool            `json:"auto_ngrams"`
	Counts     bool            `json:"counts"`
	MinDF      int             `json:"min_df"`
	Multi      bool            `json:"multilabel"`
	Bytes      int64           `json:"bytes"`   // of text
	Invalid    int64           `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad        int64           `json:"bad"`     // records left out
	Entries    int64           `json:"entries"` // distinct n-grams, summed over documents
	Version    string          `json:"version"`
}

// PackReport tells what came of packing.
type PackReport struct {
	Documents int64         `json:"documents"`
	Bytes     int64         `json:"bytes"`    // of text
	Invalid   int64         `json:"invalid"`  // bytes of invalid UTF-8 among them
	Bad       int64         `json:"bad"`      // records left out
	Entries   int64         `json:"entries"`  // distinct n-grams, summed over documents
	Distinct  uint64        `json:"distinct"` // distinct n-grams
	Columns   int           `json:"columns"`  // n-grams that are kept
	NonZeros  int64         `json:"non_zeros"`
	Classes   []ClassCount  `json:"classes"`
	Parts     int           `json:"parts"` // that did not fit into memory and were merged
	Took      time.Duration `json:"-"`
}

// Pack reads labelled documents and writes them to w as a packed corpus. Its bytes depend
// on the input and the options but for Memory, Temp and Threads.
func Pack(ctx context.Context, in Input, o PackOptions, w io.Writer) (*PackReport, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return newPacker(in, o).pack(ctx, w)
}

// packer packs one input.
type packer struct {
	in     Input
	o      Options
	memory int64
	temp   string

	ds      *dataset        // all labels; n-grams of the segment under way
	first   int             // its first document
	folder  *scratch.Folder // of the parts; nil before there are any
	parts   []*packed.Corpus
	fitting packed.Values // what values do for all so far, of ready-made features
}

func newPacker(in Input, o PackOptions) *packer {
	p := &packer{in: in, o: o.options(), memory: o.MemoryOrDefault(), temp: o.Temp}
	p.in.Unlabelled = false
	return p
}

func (p *packer) pack(ctx context.Context, w io.Writer) (*PackReport, error) {
	begin := time.Now()
	if path, isPacked, err := packedInput(p.in); err != nil {
		return nil, err
	} else if isPacked {
		return nil, fmt.Errorf("nbsvm: %s is packed already; nbsvm merge makes several corpora one", path)
	}
	if err := p.orders(ctx); err != nil {
		return nil, err
	}
	scratch.Sweep(p.temp)
	p.ds = newDataset(p.in)
	defer p.drop()
	if err := tokenise(ctx, p.in, &p.o, p.collect(ctx)); err != nil {
		return nil, err
	}
	if err := p.ds.end(p.in); err != nil {
		return nil, err
	}
	report, err := p.finish(ctx, w)
	if err != nil {
		return nil, err
	}
	report.Took = time.Since(begin)
	return report, nil
}

// entryBytes is about what an n-gram of a document takes while it waits for its number:
// its hash, its part in counting, and what the collector has not collected yet.
const entryBytes = 20

// orders settles the orders of n-grams where they depend on how much text there is.
func (p *packer) orders(ctx context.Context) error {
	if !p.o.AutoNgrams || p.o.Text.Tokenizer != hashing.Word {
		return nil
	}
	for _, path := range p.in.Paths {
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("nbsvm: whether to take n-grams of two or three words depends on how much text there is, and %s can be read only once; say --ngrams 1-2 or 1-3", describePaths([]string{path}))
		}
	}
	if len(p.in.Paths) == 0 {
		return errors.New("nbsvm: whether to take n-grams of two or three words depends on how much text there is, and standard input can be read only once; say --ngrams 1-2 or 1-3")
	}
	// Bad records are dealt with when they are packed.
	bad, err := corpus.NewBadRecords(corpus.OnBad{Policy: corpus.Skip}, io.Discard)
	if err != nil {
		return err
	}
	quiet := p.in
	quiet.Bad = bad
	ds := newDataset(quiet)
	if err := measure(ctx, quiet, &p.o, ds); err != nil {
		return err
	}
	if n := len(ds.classes.labels); !ds.ready && n > 0 && ds.bytes/int64(n) >= trigramBytes {
		p.o.Text.NgramHi = 3
	}
	return nil
}

// measure reads an input's labels and the length of its texts.
func measure(ctx context.Context, in Input, o *Options, ds *dataset) error {
	reader, err := corpus.Open(in.Paths, in.Stdin, in.Options)
	if err != nil {
		return err
	}
	defer reader.Close()
	return ordered.Run(ctx, o.threads(), nextChunk(ctx, reader), func(_ int, c *corpus.Chunk) (*batch, error) {
		b := &batch{docs: c.Append(nil)}
		if c.Format() == corpus.SVMLight {
			b.ids = []uint32{}
		}
		return b, nil
	}, func(b *batch) error {
		if err := ds.collect(b, in.Bad); err != nil {
			return err
		}
		ds.batches = nil
		return nil
	})
}

// collect takes in batches, and writes a part of what would be too much for memory.
func (p *packer) collect(ctx context.Context) func(b *batch, done, total int64) error {
	waiting := int64(0) // entries
	return func(b *batch, done, total int64) error {
		if err := p.ds.collect(b, p.in.Bad); err != nil {
			return err
		}
		b.texts = nil
		for _, v := range b.values {
			if v != 1 {
				p.fitting = packed.Floats
			}
		}
		p.ds.tell(p.o.Progress, done, total)
		waiting += int64(len(b.hashes) + len(b.ids))
		if waiting*entryBytes < p.memory {
			return nil
		}
		waiting = 0
		return p.spill(ctx)
	}
}

// kind is that of the rows.
func (p *packer) kind() packed.Values {
	switch {
	case p.ds.ready:
		return p.fitting
	case p.o.counted():
		return packed.Counts
	}
	return packed.Binary
}

// spill writes a part of what is in memory.
func (p *packer) spill(ctx context.Context) (err error) {
	if p.folder == nil {
		if p.folder, err = scratch.New(p.temp); err != nil {
			return fmt.Errorf("nbsvm: a folder for what does not fit into memory: %w", err)
		}
	}
	path := filepath.Join(p.folder.Path(), fmt.Sprint("part-", len(p.parts)))
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("nbsvm: what does not fit into memory: %w", err)
	}
	kind := p.kind()
	if p.ds.ready {
		kind = packed.Floats // whatever is to come
	}
	_, err = p.write(ctx, f, kind, 1, &packed.Head{})
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("nbsvm: what does not fit into memory: %w", err)
	}
	part, err := packed.Open(path)
	if err != nil {
		return err
	}
	p.parts = append(p.parts, part)
	return nil
}

// drop removes the parts.
func (p *packer) drop() {
	for _, part := range p.parts {
		part.Close()
	}
	p.folder.Remove()
}

// finish writes the corpus.
func (p *packer) finish(ctx context.Context, w io.Writer) (*PackReport, error) {
	ds := p.ds
	meta := packedMeta{
		Source: "text", Text: p.o.Text, AutoNgrams: p.o.AutoNgrams, Counts: p.o.counted(), MinDF: p.o.MinDF, Multi: ds.classes.multi,
		Bytes: ds.bytes, Invalid: ds.invalid, Entries: ds.entries, Version: Version,
	}
	if ds.ready {
		meta.Source, meta.Text, meta.AutoNgrams, meta.Counts, meta.MinDF = "svmlight", hashing.Options{}, false, false, 1
	}
	meta.Text.Bits = 0
	if p.in.Bad != nil {
		meta.Bad = p.in.Bad.Count()
	}
	head := packed.Head{Labels: ds.classes.labels, Weights: ds.weights}
	for _, set := range ds.classes.sets {
		head.Sets = append(head.Sets, wide(set))
	}
	var err error
	if head.Meta, err = json.Marshal(&meta); err != nil {
		return nil, err
	}
	totals, parts, err := p.rows(ctx, w, &head, meta.MinDF)
	if err != nil {
		return nil, err
	}
	r := meta.report(totals, &head)
	r.Parts = parts
	return r, nil
}

// rows writes all that the corpus holds, in one go or from parts, and returns how many
// parts there were.
func (p *packer) rows(ctx context.Context, w io.Writer, head *packed.Head, minDF int) (totals packed.Totals, parts int, err error) {
	kind := p.kind()
	if len(p.parts) == 0 {
		totals, err = p.write(ctx, w, kind, minDF, head)
		return totals, 0, err
	}
	if err := p.spill(ctx); err != nil {
		return totals, 0, err
	}
	o := packed.MergeOptions{Kind: kind, MinDF: uint64(minDF), Threads: p.o.threads(), Temp: p.folder.Path()}
	totals, err = packed.Merge(ctx, w, p.parts, head, o)
	return totals, len(p.parts), err
}

// wide is a set as one of 64-bit numbers.
func wide(set *roaring.Bitmap) *roaring64.Bitmap {
	wide := roaring64.New()
	for it := set.Iterator(); it.HasNext(); {
		wide.Add(uint64(it.Next()))
	}
	wide.RunOptimize()
	return wide
}

// write writes the documents in memory, and forgets them.
func (p *packer) write(ctx context.Context, w io.Writer, kind packed.Values, minDF int, head *packed.Head) (totals packed.Totals, err error) {
	ds := p.ds
	rows := roaring.New()
	rows.AddRange(uint64(p.first), uint64(ds.docs))
	d := &design{rows: rows, valued: kind != packed.Binary}
	q := question{textHashes, hashing.EstimateDistinct(ds.sample), hashing.EachNgram, uint32(minDF), math.MaxUint32}
	width := 0
	if ds.ready {
		width = 32 // keys are numbers of features
		q.hash = func(dst []uint64, b *batch, lo, hi int) []uint64 {
			for _, id := range b.ids[lo:hi] {
				dst = append(dst, uint64(id)<<(64-width))
			}
			return dst
		}
	}
	c, err := stage.Get(ctx, stage.Count, func(ctx context.Context) (*chosen, error) { return d.choose(ctx, ds, q, &p.o, true) })
	if err != nil {
		return totals, err
	}
	p.first, ds.batches, ds.sample = ds.docs, nil, nil

	keys := c.columns.Hashes
	if width > 0 {
		for j := range keys {
			keys[j] >>= 64 - width
		}
	}
	err = stage.Do(ctx, stage.Layout, func(ctx context.Context) error {
		number, runs, sorted := numberColumns(c.columns.Documents, keys)
		c.columns = nil
		if err := d.renumber(ctx, c.blocks, number, p.o.threads()); err != nil {
			return err
		}
		pw, err := packed.NewWriter(w, kind)
		if err != nil {
			return err
		}
		if err := encodeRows(ctx, pw, c.blocks, kind, p.o.threads()); err != nil {
			return err
		}
		head.Runs, head.Distinct = runs, d.selected.Distinct()
		totals, err = pw.Finish(head, sorted)
		return err
	})
	return totals, err
}

// numberColumns orders columns by falling frequency, ties as they are, and returns the
// number of each, the frequencies, and the keys in the new order.
func numberColumns(df []uint32, keys []uint64) (number []uint32, runs []packed.Run, sorted []uint64) {
	if len(df) == 0 {
		return nil, nil, nil
	}
	number, _ = renumber(df)
	sorted = make([]uint64, len(keys))
	frequency := make([]uint32, len(df))
	for j, n := range number {
		sorted[n], frequency[n] = keys[j], df[j]
	}
	for _, n := range frequency {
		if k := len(runs); k > 0 && runs[k-1].Frequency == uint64(n) {
			runs[k-1].Columns++
			continue
		}
		runs = append(runs, packed.Run{Frequency: uint64(n), Columns: 1})
	}
	return number, runs, sorted
}

// encodeRows writes the rows of blocks whose entries have their columns.
func encodeRows(ctx context.Context, w *packed.Writer, blocks []*hashing.Block, kind packed.Values, threads int) error {
	type worker struct {
		rows   hashing.Rows
		sorter sparse.RowSorter
	}
	workers := make([]worker, threads)
	return ordered.Map(ctx, threads, len(blocks), func(k, i int) (*packed.Encoded, error) {
		b := blocks[i]
		blocks[i] = nil
		wk := &workers[k]
		wk.rows.Fill(b)
		rows := packed.NewEncoded()
		for r := range b.Documents() {
			columns, values := wk.sorter.Sort(wk.rows.Row(r))
			columns, values = sparse.AddEqual(columns, values)
			rows.Append(kind, columns, values)
		}
		return rows, nil
	}, w.Append)
}
