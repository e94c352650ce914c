package nbsvm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/stage"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// Input names what to read, and how.
type Input struct {
	Paths []string  // "-" is Stdin; no paths at all mean Stdin, too
	Stdin io.Reader // nil for none
	corpus.Options
	// Bad is told of bad records; nil fails at the first.
	Bad *corpus.BadRecords
}

// With is the same kind of input from other files.
func (in Input) With(paths ...string) Input {
	in.Paths = paths
	return in
}

// dataset is a labelled corpus in memory, tokenised once: the n-gram hashes of
// every document, and its labels. Models are trained on subsets of it.
type dataset struct {
	ready   bool // ready-made features instead of text
	batches []*batch
	packed  *packed.Corpus // instead of batches
	meta    *packedMeta    // of packed
	keys    []uint64       // of packed: what its columns stand for; nil before they are asked for
	docs    int
	entries int64     // distinct n-grams, summed over documents
	weights []float32 // per document; nil where all are 1
	classes classes
	invalid int64    // bytes of invalid UTF-8
	bytes   int64    // of text
	sample  []uint64 // of n-gram hashes, for hashing.EstimateDistinct

	kindKnown bool // whether features are ready-made
}

// batch is what came of one chunk of input. Entries of its k-th document are
// those from ends[k-1] to ends[k].
type batch struct {
	first  int // number of its first document
	ends   []int
	hashes []uint64  // distinct n-grams of each document (text)
	counts []uint32  // parallel to hashes, where occurrences matter
	ids    []uint32  // feature numbers from 1 (ready-made features)
	values []float32 // parallel to ids
	texts  [][]byte  // kept for the names of n-grams

	// Of packing.
	chunk   *corpus.Chunk
	entries int           // all of the blocks'
	fitting packed.Values // what values do, of ready-made features
	blocks  []packBlock   // in place of hashes and ids

	docs    []corpus.Document // until they are collected
	sample  []uint64
	invalid int64
}

// bounds are where the entries of the k-th document lie.
func (b *batch) bounds(k int) (lo, hi int) {
	if k > 0 {
		lo = b.ends[k-1]
	}
	return lo, b.ends[k]
}

// readDataset tokenises all documents of an input.
func readDataset(ctx context.Context, in Input, o *Options) (*dataset, error) {
	ds := newDataset(in)
	err := tokenise(ctx, in, o, nil, func(b *batch, done, total int64) error {
		if err := ds.collect(b, in.Bad); err != nil {
			return err
		}
		ds.tell(o.Progress, done, total)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ds, ds.end(in)
}

func newDataset(in Input) *dataset {
	ds := &dataset{classes: newClasses()}
	ds.classes.multi = in.LabelSep != ""
	return ds
}

// tell reports how much has been read, in bytes.
func (ds *dataset) tell(progress func(Progress), done, total int64) {
	if progress != nil {
		progress(Progress{Stage: "read", Done: done, Total: total, Unit: "bytes", Documents: int64(ds.docs)})
	}
}

// end is for when all documents have been collected.
func (ds *dataset) end(in Input) error {
	if ds.docs == 0 {
		return noDocuments{in.Paths}
	}
	ds.classes.sort()
	return nil
}

// noDocuments is an error about inputs that have none.
type noDocuments struct{ paths []string }

func (n noDocuments) Error() string { return "nbsvm: no documents in " + describePaths(n.paths) }

// tokenise makes batches of an input, as the options say, and hands them on in order,
// with how many of the input's bytes are read and how many there are. Workers that are
// given cutters make blocks, and leave the chunk to whoever collects.
func tokenise(ctx context.Context, in Input, o *Options, cutter func() *cutter, collect func(b *batch, done, total int64) error) error {
	reader, err := corpus.Open(in.Paths, in.Stdin, in.Options)
	if err != nil {
		return err
	}
	defer reader.Close()

	workers := make([]*featurizer, o.threads())
	for w := range workers {
		if workers[w], err = newFeaturizer(o.Text, o.counted()); err != nil {
			return err
		}
		if cutter != nil {
			workers[w].cutter = cutter()
		}
	}
	return ordered.Run(ctx, len(workers), nextChunk(ctx, reader), func(w int, c *corpus.Chunk) (*batch, error) {
		return stage.Get(ctx, stage.Tokenise, func(context.Context) (*batch, error) { return workers[w].batch(c) })
	}, func(b *batch) error {
		done, total := reader.Progress()
		return collect(b, done, total)
	})
}

// nextChunk reads chunks, as the stage read.
func nextChunk(ctx context.Context, reader *corpus.Reader) func() (*corpus.Chunk, error) {
	return func() (*corpus.Chunk, error) {
		return stage.Get(ctx, stage.Read, func(context.Context) (*corpus.Chunk, error) { return reader.Next() })
	}
}

func describePaths(paths []string) string {
	switch {
	case len(paths) == 0 || len(paths) == 1 && paths[0] == "-":
		return "standard input"
	case len(paths) == 1:
		return paths[0]
	}
	return fmt.Sprintf("%s and %d more files", paths[0], len(paths)-1)
}

// collect takes in the good documents of a batch.
func (ds *dataset) collect(b *batch, bad *corpus.BadRecords) error {
	ready := b.ids != nil
	if ds.kindKnown && ready != ds.ready {
		return errors.New("nbsvm: some inputs hold text and others ready-made features; train on one kind")
	}
	ds.ready, ds.kindKnown = ready, true
	b.first = ds.docs
	for i := range b.docs {
		d := &b.docs[i]
		if d.Err != nil {
			if bad == nil {
				return d.Err
			}
			if err := bad.Report(*d); err != nil {
				return err
			}
			continue
		}
		if err := ds.addLabels(d); err != nil {
			return err
		}
		ds.docs++
		ds.bytes += int64(len(d.Text))
		b.texts = append(b.texts, d.Text)
	}
	b.docs = nil
	if ds.docs > math.MaxInt32 {
		return errors.New("nbsvm: more than 2147483647 documents; train on a sample")
	}
	ds.entries += int64(len(b.hashes) + len(b.ids))
	ds.invalid += b.invalid
	ds.sample = append(ds.sample, b.sample...)
	b.sample = nil
	ds.batches = append(ds.batches, b)
	return nil
}

func (ds *dataset) addLabels(d *corpus.Document) error {
	if d.Weight != 1 && ds.weights == nil {
		ds.weights = make([]float32, ds.docs, 2*ds.docs+1)
		for i := range ds.weights {
			ds.weights[i] = 1
		}
	}
	if ds.weights != nil {
		ds.weights = append(ds.weights, d.Weight)
	}
	return ds.classes.add(d.Labels)
}

// all is the set of all documents.
func (ds *dataset) all() *roaring.Bitmap {
	set := roaring.New()
	set.AddRange(0, uint64(ds.docs))
	return set
}

// featurizer turns chunks into batches; each worker has its own.
type featurizer struct {
	extract *hashing.Extractor
	counted bool
	// Of a batch under way. Batches get copies of the right size: growing each of
	// them by doubling took a quarter of tokenising, and memory that stayed empty.
	hashes []uint64
	counts []uint32
	cutter *cutter // of packing; else nil
}

func newFeaturizer(o hashing.Options, counted bool) (*featurizer, error) {
	extract, err := hashing.NewExtractor(o)
	if err != nil {
		return nil, err
	}
	return &featurizer{extract: extract, counted: counted}, nil
}

func (f *featurizer) batch(c *corpus.Chunk) (*batch, error) {
	b := &batch{docs: c.Append(nil)}
	before := f.extract.InvalidBytes()
	f.begin()
	ready := c.Format() == corpus.SVMLight
	if ready {
		b.ids = []uint32{}
	}
	for i := range b.docs {
		d := &b.docs[i]
		if d.Err != nil {
			continue
		}
		if ready {
			f.parse(b, c, d)
			if d.Err != nil {
				continue
			}
			b.ends = append(b.ends, len(b.ids))
			continue
		}
		f.text(b, d.Text)
	}
	switch {
	case f.cutter != nil:
		b.chunk = c
		f.cutter.cut(b, f.hashes, f.counts)
	case !ready:
		f.finish(b)
	}
	b.invalid = f.extract.InvalidBytes() - before
	return b, nil
}

// begin starts a batch of texts.
func (f *featurizer) begin() {
	f.hashes, f.counts = f.hashes[:0], f.counts[:0]
	if f.counted && f.counts == nil {
		f.counts = []uint32{}
	}
}

// text takes in a document's n-grams.
func (f *featurizer) text(b *batch, text []byte) {
	start := len(f.hashes)
	f.hashes, f.counts = f.extract.AppendDistinct(f.hashes, f.counts, text)
	if f.cutter == nil {
		b.sample = hashing.AppendSample(b.sample, f.hashes[start:])
	}
	b.ends = append(b.ends, len(f.hashes))
}

// finish gives the batch its n-grams.
func (f *featurizer) finish(b *batch) {
	b.hashes, b.counts = slices.Clone(f.hashes), slices.Clone(f.counts)
}
