package nbsvm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

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

// entryBytes is about what an n-gram of a document takes while it waits for its number:
// its hash, its part in counting, and what is read ahead.
const entryBytes = 12

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
