package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// PackOptions say how documents become rows of a packed corpus. Those of training
// (Options.Pack) make a corpus to train with these options on.
type PackOptions struct {
	Text       hashing.Options // Bits do not matter: a corpus keeps whole hashes
	AutoNgrams bool            // as in Options
	MinDF      int             // leave out n-grams of fewer documents
	Counts     bool            // keep how often a document has an n-gram
	Names      bool            // keep the texts of n-grams, for which the input is read twice
	// Memory is about how many bytes to take at most, for n-grams that wait to be
	// numbered; what does not fit waits in files in Temp. 0 stands for DefaultPackMemory.
	Memory int64
	// Temp is the folder for these files; "" is the system's.
	Temp string
	// Keep, if not empty, is a folder that keeps a corpus of every input file: what is
	// there already, from a run that was interrupted or had fewer inputs, is not read again.
	Keep     string
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
	if o.Keep != "" {
		return packKeeping(ctx, in, o, w)
	}
	return newPacker(in, o).pack(ctx, w)
}

// packer packs one input.
type packer struct {
	in      Input
	o       Options
	named   bool // columns get names
	settled bool // orders of n-grams are
	memory  int64
	temp    string

	ds        *dataset // all labels
	badBefore int64    // records that were bad in other inputs
	slabs     *slabs   // of blocks
	workers   []packWorker
	blocks    []packBlock     // that are in memory
	folder    *scratch.Folder // for temporary files; nil before there are any
	parts     []*packPart     // what comes before
	fitting   packed.Values   // what values do for all so far, of ready-made features
}

func newPacker(in Input, o PackOptions) *packer {
	p := &packer{in: in, o: o.options(), named: o.Names, memory: o.MemoryOrDefault(), temp: o.Temp}
	p.in.Unlabelled = false
	p.slabs, p.workers = new(slabs), make([]packWorker, p.o.threads())
	return p
}

func (p *packer) pack(ctx context.Context, w io.Writer) (*PackReport, error) {
	begin := time.Now()
	if err := refusePacked(p.in); err != nil {
		return nil, err
	}
	if p.named {
		if err := rereadable(p.in, "the texts of n-grams are found by reading twice", "pack a file, or do without names"); err != nil {
			return nil, err
		}
	}
	if err := p.orders(ctx); err != nil {
		return nil, err
	}
	scratch.Sweep(p.temp)
	p.badBefore = p.bad()
	p.ds = newDataset(p.in)
	defer p.drop()
	if err := tokenise(ctx, p.in, &p.o, p.cutter, p.collect(ctx)); err != nil {
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

// refusePacked refuses packed corpora.
func refusePacked(in Input) error {
	path, isPacked, err := packedInput(in)
	if err == nil && isPacked {
		err = fmt.Errorf("nbsvm: %s is packed already; nbsvm merge makes several corpora one", path)
	}
	return err
}

// entryBytes is about what an n-gram of a document takes while it waits for its number:
// its hash, its part in counting, and what is read ahead.
const entryBytes = 12

// orders settles the orders of n-grams where they depend on how much text there is.
func (p *packer) orders(ctx context.Context) error {
	if p.settled || !p.o.AutoNgrams || p.o.Text.Tokenizer != hashing.Word {
		return nil
	}
	err := rereadable(p.in, "whether to take n-grams of two or three words depends on how much text there is", "say --ngrams 1-2 or 1-3")
	if err != nil {
		return err
	}
	again, err := quiet(p.in) // bad records are dealt with when they are packed
	if err != nil {
		return err
	}
	ds := newDataset(again)
	if err := measure(ctx, again, &p.o, ds); err != nil {
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

// cutter is for one of those that read.
func (p *packer) cutter() *cutter { return &cutter{memory: p.slabs} }

// collect takes in batches, and writes a part of what would be too much for memory.
func (p *packer) collect(ctx context.Context) func(b *batch, done, total int64) error {
	waiting := int64(0) // entries
	return func(b *batch, done, total int64) error {
		if err := p.ds.collect(b, p.in.Bad); err != nil {
			return err
		}
		if p.named && p.ds.ready {
			return fmt.Errorf("nbsvm: %s holds ready-made features, which have no texts to be named by", describePaths(p.in.Paths))
		}
		b.chunk.Release()
		p.ds.batches = p.ds.batches[:0]
		p.ds.entries += int64(b.entries)
		p.fitting = max(p.fitting, b.fitting)
		p.blocks = append(p.blocks, b.blocks...)
		p.ds.tell(p.o.Progress, done, total)
		waiting += int64(b.entries)
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
	if err := p.makeFolder(); err != nil {
		return err
	}
	path := filepath.Join(p.folder.Path(), fmt.Sprint("part-", len(p.parts)))
	part, err := savePart(ctx, path, p.slabs, p.blocks, p.kind() != packed.Binary || p.ds.ready, p.workers)
	p.blocks = nil
	if part != nil {
		p.parts = append(p.parts, part)
	}
	if err != nil {
		return fmt.Errorf("nbsvm: what does not fit into memory: %w", err)
	}
	return nil
}

// bad is the number of bad records of all inputs so far.
func (p *packer) bad() int64 {
	if p.in.Bad == nil {
		return 0
	}
	return p.in.Bad.Count()
}

// makeFolder makes the folder for temporary files, unless it is there.
func (p *packer) makeFolder() (err error) {
	if p.folder == nil {
		if p.folder, err = scratch.New(p.temp); err != nil {
			return fmt.Errorf("nbsvm: a folder for what does not fit into memory: %w", err)
		}
	}
	return nil
}

// drop removes the parts, and gives the memory of blocks back.
func (p *packer) drop() {
	p.slabs.close()
	for _, part := range p.parts {
		part.close()
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
	meta.Bad = p.bad() - p.badBefore
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
func (p *packer) rows(ctx context.Context, w io.Writer, head *packed.Head, minDF int) (totals packed.Totals, merged int, err error) {
	if merged = len(p.parts); merged > 0 {
		err = p.spill(ctx)
	} else {
		err = p.count(ctx, minDF)
	}
	if err != nil {
		return totals, 0, err
	}
	var n *numbering
	err = stage.Do(ctx, stage.Layout, func(ctx context.Context) error {
		if n, err = newNumbering(ctx, p.parts, minDF, len(p.workers)); err != nil {
			return err
		}
		pw, err := packed.NewWriter(w, p.kind())
		if err != nil {
			return err
		}
		for _, part := range p.parts {
			if err := p.encode(ctx, pw, part, n); err != nil {
				return err
			}
			part.close()
		}
		p.slabs.close() // before there are names and keys
		if p.named {
			if pw.Names, err = p.names(ctx, n); err != nil {
				return err
			}
			defer pw.Names.Close()
		}
		keys := n.keys()
		if p.ds.ready {
			for j := range keys {
				keys[j] >>= featureShift
			}
		}
		head.Runs, head.Distinct = n.runs, n.distinct
		totals, err = pw.Finish(head, keys)
		return err
	})
	if merged > 0 {
		merged = len(p.parts)
	}
	return totals, merged, err
}

// count makes one part of all documents.
func (p *packer) count(ctx context.Context, minDF int) error {
	return stage.Do(ctx, stage.Count, func(ctx context.Context) error {
		part, err := newPackPart(ctx, p.slabs, p.blocks, minDF, p.workers, func(*hashing.Terms) error { return nil })
		p.parts = append(p.parts, part)
		return err
	})
}

// encode writes the rows of a part.
func (p *packer) encode(ctx context.Context, pw *packed.Writer, part *packPart, n *numbering) error {
	if part.file != nil {
		if err := part.load(ctx, p.workers); err != nil {
			return err
		}
	}
	if err := part.number(ctx, n, len(p.workers)); err != nil {
		return err
	}
	kind := p.kind()
	return ordered.Map(ctx, len(p.workers), len(part.blocks), func(w, i int) (*packed.Encoded, error) {
		d := &p.workers[w].dealer
		rows := part.deal(i, d)
		encoded := packed.NewEncoded()
		for r := range rows {
			columns, values := d.Row(r)
			encoded.Append(kind, columns, values)
		}
		return encoded, nil
	}, pw.Append)
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
