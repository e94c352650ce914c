package dataset

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// texts are the texts of an input after it was read once. They are visited again in memory, if
// they were kept there, or by reading the input again.
type texts struct {
	kept    []*piece
	room    int64       // for texts that are kept; negative when they are not
	dropped atomic.Bool // room is negative
	replay  *corpus.Replay
	sample  int // Options.Sample
}

// piece is the texts of the good documents of a chunk of input.
type piece struct {
	texts [][]byte
	bytes int64 // of texts
}

// Size implements [par.Sized].
func (p *piece) Size() int64 { return p.bytes }

// keepBytes is how much text is kept at most where memory has no bound: to read and parse it
// again would take longer than what is done with it.
const keepBytes = 256 << 20

// add keeps a piece, unless that is too much altogether; then all are given up.
func (t *texts) add(p *piece) {
	if t.room < 0 || len(p.texts) == 0 {
		return
	}
	const header = 24 // bytes of a slice
	for _, text := range p.texts {
		p.bytes += int64(len(text))
	}
	if n := len(t.kept) - 1; n >= 0 && t.kept[n].bytes < groupBytes {
		t.kept[n].texts = append(t.kept[n].texts, p.texts...)
		t.kept[n].bytes += p.bytes
	} else {
		t.kept = append(t.kept, p)
	}
	if t.room -= p.bytes + int64(header*len(p.texts)); t.room < 0 {
		t.drop()
	}
}

// drop gives up the texts.
func (t *texts) drop() {
	t.kept, t.room = nil, -1
	t.dropped.Store(true)
}

// close gives up the texts, and the input.
func (t *texts) close() error {
	t.drop()
	return t.replay.Close()
}

// own replaces texts by copies, so that their chunk can be released: it holds a mebibyte, however little of that is
// text.
func own(texts [][]byte) {
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	memory := make([]byte, 0, size)
	for i, text := range texts {
		start := len(memory)
		memory = append(memory, text...)
		texts[i] = memory[start:len(memory):len(memory)]
	}
}

// NextChunk reads chunks, as the stage read. It stops waiting for one when its context ends.
func NextChunk(reader *corpus.Reader) func(context.Context) (*corpus.Chunk, error) {
	return func(ctx context.Context) (*corpus.Chunk, error) {
		ctx, end := par.WithStage(ctx, par.StageRead)
		defer end()
		defer context.AfterFunc(ctx, reader.Interrupt)()
		chunk, err := reader.Next()
		if err != nil && err != io.EOF && ctx.Err() != nil {
			err = ctx.Err()
		}
		return chunk, err
	}
}

// A group ends with the chunk by which it comes to so many bytes, or so many chunks.
const (
	groupBytes  = 512 << 10
	groupChunks = 256
)

// group is successive chunks of one format that are worked on together. It has several where files are small: work on
// each alone would take longer than what is done with it.
type group []*corpus.Chunk

// Size implements [par.Sized].
func (g group) Size() (bytes int64) {
	for _, c := range g {
		bytes += c.Size()
	}
	return bytes
}

// nextGroup is like NextChunk for groups.
func nextGroup(reader *corpus.Reader) func(context.Context) (group, error) {
	next := NextChunk(reader)
	var first group // a chunk that the next group begins with
	return func(ctx context.Context) (group, error) {
		g := first
		first = nil
		for size := g.Size(); size < groupBytes && len(g) < groupChunks; {
			c, err := next(ctx)
			if err != nil && len(g) == 0 {
				return nil, err
			}
			if err != nil { // the next call meets it again
				break
			}
			if len(g) > 0 && c.Format() != g[0].Format() {
				first = group{c}
				break
			}
			size += c.Size()
			g = append(g, c)
		}
		return g, nil
	}
}

// documentsOf returns the documents of a chunk, or one in so many of the good ones, chosen by their texts: so that they
// are the same whenever the chunk is read, and of all classes whatever the order.
func documentsOf(c *corpus.Chunk, sample int) []corpus.Document {
	all := c.Append(nil)
	if sample > 1 {
		all = slices.DeleteFunc(all, func(d corpus.Document) bool {
			random := xmath.SplitMix(osfile.AddChecksum(0, d.Text))
			return d.Err == nil && random.IntN(sample) != 0
		})
	}
	for i := range all {
		if all[i].Shares != nil {
			return divide(all)
		}
	}
	return all
}

// divide makes each document whose labels have shares as many documents, one of each label. All of these but that of the
// majority keep their share.
func divide(all []corpus.Document) []corpus.Document {
	divided := make([]corpus.Document, 0, 2*len(all))
	for i := range all {
		d := &all[i]
		if d.Shares == nil {
			divided = append(divided, *d)
			continue
		}
		most := &d.Majority()[0]
		for k, share := range d.Shares {
			part := *d
			part.Weight = float32(float64(d.Weight) * share)
			if part.Labels = d.Labels[k : k+1]; &part.Labels[0] == most {
				part.Shares = nil
			} else if part.Shares = d.Shares[k : k+1]; part.Weight < corpus.LeastWeight {
				continue // it would count nothing
			}
			divided = append(divided, part)
		}
	}
	return divided
}

// goodTexts returns the texts of a chunk that was read before, without those of bad records.
func goodTexts(c *corpus.Chunk, sample int) [][]byte {
	ready := c.Format() == corpus.SVMLight
	var all [][]byte
	var ids []uint32
	var values []float32
	for _, d := range documentsOf(c, sample) {
		if d.Err != nil {
			continue
		}
		if ready {
			var err error
			if ids, values, err = sparse.AppendSVMLight(ids[:0], values[:0], d.Text); err != nil {
				continue
			}
		}
		all = append(all, d.Text)
	}
	return all
}

// some visits the texts of some documents, in their order on each thread.
func (t *texts) some(
	ctx context.Context, documents *roaring.Bitmap, threads int, visit func(w, document int, text []byte),
) error {
	if t.room >= 0 {
		firsts, first := make([]int, len(t.kept)), 0
		for i, p := range t.kept {
			firsts[i] = first
			first += len(p.texts)
		}
		return par.Each(ctx, threads, len(t.kept), func(w, i int) error {
			visitSome(t.kept[i].texts, firsts[i], documents, w, visit)
			return ctx.Err()
		})
	}
	// The numbers of a chunk's documents are known only when those before it are.
	first, last := 0, -1
	if !documents.IsEmpty() {
		last = int(documents.Maximum())
	}
	reader, err := t.replay.Open()
	if err != nil {
		return err
	}
	defer reader.Close()
	for first <= last {
		c, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		texts := goodTexts(c, t.sample)
		visitSome(texts, first, documents, 0, visit)
		first += len(texts)
		c.Release()
	}
	return nil
}

// visitSome visits those texts, numbered from first on, that are asked for.
func visitSome(texts [][]byte, first int, documents *roaring.Bitmap, w int, visit func(w, document int, text []byte)) {
	if !documents.IntersectsWithInterval(uint64(first), uint64(first+len(texts))) {
		return
	}
	for k, text := range texts {
		if documents.Contains(uint32(first + k)) {
			visit(w, first+k, text)
		}
	}
}
