package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// batch is what came of a chunk of input.
type batch struct {
	chunk     *corpus.Chunk
	documents []corpus.Document
	blocks    []*vocab.Block
	kind      vocab.Values
	invalid   int64
	bytes     int64  // of texts; set by eachBatch
	checksum  uint64 // of texts that are read again, whatever their order
}

// scan reads the input: it collects labels and, if it is to hash, n-grams. Ready-made
// features are taken in any case.
func (b *builder) scan(ctx context.Context, reader *corpus.Reader, hash bool) error {
	ctx, end := par.WithStage(ctx, par.StageRead)
	defer end()
	err := par.Run(ctx, b.threads, nextGroup(reader), func(w int, g group) ([]*batch, error) {
		_, end := par.WithStage(ctx, par.StageTokenize)
		defer end()
		all := make([]*batch, len(g))
		for i, c := range g {
			all[i] = b.makers[w].scan(c, hash, !b.texts.dropped.Load(), i+1 == len(g))
		}
		return all, nil
	}, func(all []*batch) error {
		for _, some := range all {
			if err := b.collect(some); err != nil {
				return err
			}
			if err := b.take(ctx, some.blocks); err != nil {
				return err
			}
		}
		if b.o.Progress != nil {
			done, total := reader.Progress()
			b.o.Progress(corpus.Progress{
				Stage: "read", Done: done, Total: total, Unit: "bytes",
				Documents: int64(b.documents), Text: b.bytes, Bad: b.in.Bad.Reasons(),
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if b.documents == 0 {
		return fmt.Errorf("nbsvm: %w in %s: is that the right input, and is it complete?",
			corpus.ErrNoDocuments, b.in.Describe())
	}
	if b.o.Sample <= 1 { // else the sample may have none
		if err := CheckClasses(b.in, b.read); err != nil {
			return err
		}
	}
	if !b.in.Numbers {
		if err := b.checkClasses(); err != nil {
			return err
		}
	}
	b.classes.Sort()
	for _, m := range b.makers { // also of workers that had nothing to do
		m.ready = b.ready
	}
	return nil
}

// checkClasses refuses classes that are likely to be a mistake, and tells of doubtful ones.
func (b *builder) checkClasses() error {
	if b.classes.Multi && !b.minor.IsEmpty() {
		return fmt.Errorf("nbsvm: %s has documents with several labels that all hold, and others whose labels have shares, of which one holds: train a model on each kind", b.in.Describe())
	}
	if err := b.classes.everywhere(b.in); err != nil {
		return err
	}
	if !b.in.ManyClasses {
		if err := b.classes.tooMany(b.in); err != nil {
			return err
		}
	}
	if b.in.Note != nil {
		if more := b.minor.GetCardinality(); more > 0 && b.in.Documents == nil {
			b.in.Note(b.in.Describe(), fmt.Sprintf("records whose labels have shares are a document of each label, weighted by its share: %s more than records",
				display.Some(int(more), "document")))
		}
		for _, warning := range b.classes.warnings(b.in, b.ready, b.labels) {
			b.in.Note(b.in.Describe(), warning)
		}
	}
	return nil
}

// scan parses a chunk and makes blocks of its documents, which may begin with those of the chunk before, unless that
// was the last of its group. If their texts are kept, or blocks have them, these are copies.
func (m *blockMaker) scan(c *corpus.Chunk, hash, keep, last bool) *batch {
	b := &batch{chunk: c, documents: documentsOf(c, m.sample)}
	if keep || m.names {
		texts := make([][]byte, len(b.documents))
		for i := range b.documents {
			texts[i] = b.documents[i].Text // none of a bad record
		}
		own(texts)
		for i := range b.documents {
			b.documents[i].Text = texts[i]
		}
	}
	if m.ready = c.Format() == corpus.SVMLight; !m.ready && !hash {
		for i := range b.documents {
			if d := &b.documents[i]; d.Err == nil {
				b.checksum += uint64(osfile.AddChecksum(0, d.Text))
			}
		}
		return b
	}
	before := m.extract.InvalidBytes()
	for i := range b.documents {
		d := &b.documents[i]
		if d.Err != nil {
			continue
		}
		if err := m.add(d.Text); err != nil {
			d.Err = FeatureError(c.Path(), d, err)
			continue
		}
		if m.full() {
			b.blocks = m.flush(b.blocks)
		}
	}
	if last {
		b.blocks = m.flush(b.blocks)
	}
	b.invalid = m.extract.InvalidBytes() - before
	b.kind, m.kind = m.kind, vocab.Binary
	return b
}

// collect takes in the good documents of a batch.
func (b *builder) collect(some *batch) error {
	if err := b.settle(some.chunk.Format(), some.chunk.Path()); err != nil {
		return err
	}
	if b.ready && b.o.Names && !b.temporary {
		return fmt.Errorf("nbsvm: %s holds ready-made features, which have no names", b.in.Describe())
	}
	defer some.chunk.Release()
	p := &piece{texts: make([][]byte, 0, len(some.documents))}
	for i := range some.documents {
		d := &some.documents[i]
		if d.Err != nil {
			if err := b.in.Bad.Report(*d); err != nil {
				return err
			}
			continue
		}
		b.weigh(d.Weight)
		if d.Shares != nil {
			b.minor.Add(uint32(b.documents))
		}
		known := len(b.classes.Labels)
		if err := b.classes.Add(d.Labels); err != nil {
			return err
		}
		b.labels.note(b.classes.Labels[known:], some.chunk.Path(), d.Line)
		b.labels.add(len(b.classes.LabelsOf(b.documents)), some.chunk.Path(), d.Line)
		b.documents++
		b.bytes += int64(len(d.Text))
		p.texts = append(p.texts, d.Text)
	}
	if b.documents > math.MaxInt32 {
		return errors.New("nbsvm: there are more than 2147483647 documents: train on a sample")
	}
	if len(p.texts) > 0 {
		b.read[some.chunk.Path()] = true
	}
	b.kind = max(b.kind, some.kind)
	b.invalid += some.invalid
	b.checksum += some.checksum
	b.texts.add(p)
	return nil
}

// weigh notes the weight of the next document.
func (b *builder) weigh(weight float32) {
	if weight != 1 && b.weights == nil {
		b.weights = make([]float32, b.documents, 2*b.documents+1)
		for i := range b.weights {
			b.weights[i] = 1
		}
	}
	if b.weights != nil {
		b.weights = append(b.weights, weight)
	}
}

// scanTexts makes blocks of texts that scan has read.
func (b *builder) scanTexts(ctx context.Context) error {
	ctx, end := par.WithStage(ctx, par.StageTokenize)
	defer end()
	sum := uint64(0) // of checksums
	err := b.eachBatch(ctx, func(some batch, done, total int64) error {
		b.kind = max(b.kind, some.kind)
		b.invalid += some.invalid
		sum += some.checksum
		if b.o.Progress != nil {
			b.o.Progress(corpus.Progress{Stage: "count", Done: done, Total: total, Unit: "bytes"})
		}
		return b.take(ctx, some.blocks)
	})
	if err == nil && sum != b.checksum {
		err = fmt.Errorf("nbsvm: %s changed between two readings: keep it unchanged until the run has ended",
			b.in.Describe())
	}
	return err
}

// eachBatch makes blocks of all texts once more. Batches are collected in order, with how much of the input is done and
// how much there is.
func (b *builder) eachBatch(ctx context.Context, collect func(some batch, done, total int64) error) error {
	makeBatch := func(w int, p *piece) (some batch, err error) {
		_, end := par.WithStage(ctx, par.StageTokenize)
		defer end()
		m := b.makers[w]
		before := m.extract.InvalidBytes()
		some.blocks, err = m.make(p.texts)
		some.invalid, some.bytes = m.extract.InvalidBytes()-before, p.bytes
		for _, text := range p.texts {
			some.checksum += uint64(osfile.AddChecksum(0, text))
		}
		some.kind, m.kind = m.kind, vocab.Binary
		return some, err
	}
	if t := b.texts; t.room >= 0 {
		var done, total int64 // bytes of texts
		for _, p := range t.kept {
			total += p.bytes
		}
		return par.Run(ctx, b.threads, par.Slice(t.kept), makeBatch, func(some batch) error {
			done += some.bytes
			return collect(some, done, total)
		})
	}
	reader, err := b.texts.replay.Open()
	if err != nil {
		return err
	}
	defer reader.Close()
	return par.Run(ctx, b.threads, nextGroup(reader), func(w int, g group) (batch, error) {
		p := &piece{}
		for _, c := range g {
			defer c.Release()
			p.texts = append(p.texts, goodTexts(c, b.o.Sample)...)
		}
		if b.o.Names { // which blocks find in the texts
			own(p.texts)
		}
		return makeBatch(w, p)
	}, func(some batch) error {
		done, total := reader.Progress()
		return collect(some, done, total)
	})
}
