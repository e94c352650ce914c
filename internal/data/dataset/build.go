package dataset

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/doubt"
	"github.com/seed-167f963f/nbsvm/internal/mem"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// builder makes rows of the documents of an input: scan takes in n-grams to be counted, unless their orders have to be
// settled before; then scanTexts does. Once they are counted, makeRows makes rows.
type builder struct {
	in        corpus.Input
	o         Options
	automatic bool // the orders of n-grams follow from how much text there is
	threads   int
	memory    int64 // 0 for no bound
	makers    []*blockMaker
	memories  mem.Arena // of blocks
	counter   *vocab.Counter
	blocks    []*vocab.Block // the latest, which are not in the spool
	counted   int            // blocks of these that are
	spool     spool          // of blocks that were counted before
	waiting   int64          // words of memory of blocks
	// mostWaiting is how many of them there are before blocks are counted and go to the spool.
	mostWaiting int64
	texts       *texts
	// temporary says that the rows are written to a corpus that only this process reads.
	temporary bool

	format    corpus.Format // of the inputs, the latest
	formatAt  string        // a file of it
	mixed     bool          // not all inputs are of it
	ready     bool          // features are ready-made
	kindKnown bool
	kind      vocab.Values
	classes   Classes
	read      map[string]bool // files that had a good document
	documents int
	written   int // documents whose rows are
	labels    labelCounts
	weights   []float32 // nil where all are 1
	minor     Set       // documents that stand for a smaller share of a record
	bytes     int64     // of text
	invalid   int64     // bytes of invalid UTF-8
	entries   int64     // distinct n-grams, summed over documents
	checksum  uint64    // of the texts, if they are to be read again
	badBefore corpus.Reasons
}

// newBuilder settles what reading needs. With memory of 0, everything is in memory.
func newBuilder(in corpus.Input, o Options, memory int64) (*builder, error) {
	o.Text.Bits = cmp.Or(o.Text.Bits, DefaultBits)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if paths, isPacked, err := PackedPaths(in); err != nil || isPacked {
		if err == nil {
			err = fmt.Errorf("nbsvm: %s is already packed; use nbsvm merge to combine packed corpora", paths[0])
		}
		return nil, err
	}
	in.Unlabelled = false
	b := &builder{
		in: in, o: o, threads: par.Threads(o.Threads), memory: memory, badBefore: in.Bad.Reasons(),
		classes: NewClasses(), minor: Set{roaring.New()}, read: map[string]bool{}, mostWaiting: mostWaiting(memory),
	}
	b.classes.Multi = in.LabelSep != "" && !in.Numbers
	b.automatic, b.o.Text = o.automatic(), o.ordered()
	b.texts = &texts{room: keepBytes, sample: o.Sample, replay: corpus.NewReplay(in, o.Temp)}
	b.spool = spool{memory: &b.memories, buffers: make([][]byte, b.threads)}
	if memory > 0 {
		b.texts.room = memory / 8
		b.spool.file = &osfile.Spill{Folder: o.Temp}
	}
	return b, nil
}

// close gives up what the builder holds, but for texts that were handed on.
func (b *builder) close() error {
	b.stopCounting()
	b.spool.close()
	b.memories.Close()
	var err error
	if b.texts != nil {
		err = b.texts.close()
	}
	return err
}

// stopCounting gives up memory for counting.
func (b *builder) stopCounting() {
	if b.counter != nil {
		b.counter.Close()
	}
	b.counter = nil
}

// vocabulary reads all documents, counts their n-grams and numbers those that are kept.
func (b *builder) vocabulary(ctx context.Context) (*vocab.Vocabulary, error) {
	open := b.texts.replay.Open
	if b.memory > 0 && !b.automatic { // then no text is read twice
		b.texts.drop()
		open = func() (*corpus.Reader, error) { return corpus.Open(b.in) }
	}
	reader, err := open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	b.counter = vocab.NewCounter(b.memory/2, b.o.Temp)
	defer b.stopCounting()
	if err := b.makeMakers(); err != nil {
		return nil, err
	}
	if err := b.scan(ctx, reader, !b.automatic); err != nil {
		return nil, err
	}
	if b.automatic && !b.ready {
		classes := len(b.classes.Labels)
		if b.in.Numbers {
			classes = 2 // there is one output
		}
		b.o.SettleOrders(b.bytes, classes)
		if err := b.makeMakers(); err != nil {
			return nil, err
		}
		if err := b.scanTexts(ctx); err != nil {
			return nil, err
		}
	}
	b.o.MinDF = b.leastDF()
	if b.memory > 0 && len(b.spool.blocks) > 0 {
		err = b.countAndSpool(ctx)
		b.memories.Trim() // numbering the n-grams takes memory
	} else {
		err = b.count(ctx)
	}
	if err != nil {
		return nil, err
	}
	ctx, end := par.WithStage(ctx, par.StageCount)
	defer end()
	return b.counter.Vocabulary(ctx, uint32(b.o.MinDF), b.threads, b.memory*5/8, b.o.Temp)
}

// makeMakers makes what workers need to make blocks.
func (b *builder) makeMakers() error {
	b.makers = b.makers[:0]
	for range b.threads {
		f, err := newFeaturizer(&b.o)
		if err != nil {
			return err
		}
		f.ready = b.ready
		b.makers = append(b.makers, &blockMaker{featurizer: f, sample: b.o.Sample, memory: &b.memories})
	}
	return nil
}

// mostWaiting returns how many words of memory blocks take at most before they are counted and go to the spool, given
// the limit of memory.
func mostWaiting(memory int64) int64 {
	const most = 1 << 26 // 512 MiB
	if memory > 0 {
		return min(memory/32, most)
	}
	return most
}

// settle notes what the format of an input says of features, which are to be of one kind.
func (b *builder) settle(format corpus.Format, path string) error {
	ready := format == corpus.SVMLight
	switch {
	case format == corpus.Auto: // which damaged files may be
		return nil
	case b.kindKnown && ready != b.ready:
		return fmt.Errorf("%w: %s is %s, and %s is %s; give files of one kind",
			errKinds, b.formatAt, b.format, path, format)
	}
	b.mixed = b.mixed || b.kindKnown && format != b.format
	b.format, b.formatAt, b.ready, b.kindKnown = format, path, ready, true
	return nil
}

// take takes in blocks. What waits is counted and goes to the spool when it is much.
func (b *builder) take(ctx context.Context, blocks []*vocab.Block) error {
	for _, some := range blocks {
		b.waiting += int64(len(some.Memory.Words))
		b.entries += int64(some.Entries())
	}
	b.blocks = append(b.blocks, blocks...)
	if b.waiting < b.mostWaiting {
		return nil
	}
	return b.countAndSpool(ctx)
}

// countAndSpool counts blocks that wait, and moves them to the spool.
func (b *builder) countAndSpool(ctx context.Context) error {
	if err := b.count(ctx); err != nil {
		return err
	}
	ctx, end := par.WithStage(ctx, par.StageCount)
	defer end()
	err := b.spool.add(ctx, b.blocks)
	b.blocks, b.counted, b.waiting = b.blocks[:0], 0, 0
	return err
}

// leastDF returns in how many documents an n-gram must be to be kept.
func (b *builder) leastDF() int {
	switch {
	case b.ready:
		return 1
	case b.o.MinDFOf != nil:
		return b.o.MinDFOf(&Dataset{Meta: b.meta(), Documents: b.documents, Classes: b.classes})
	}
	return b.o.MinDF
}

// keyBits returns the width of a key. Hashes have it at the top.
func (b *builder) keyBits() int {
	if b.ready {
		return featureBits
	}
	return b.o.Text.Bits
}

// count counts the n-grams of blocks that wait.
func (b *builder) count(ctx context.Context) error {
	ctx, end := par.WithStage(ctx, par.StageCount)
	defer end()
	err := b.counter.Count(ctx, b.blocks[b.counted:], b.threads)
	b.counted = len(b.blocks)
	return err
}

// note tells of invalid bytes.
func (b *builder) note() {
	if b.invalid > 0 && b.in.Note != nil {
		b.in.Note(b.in.Describe(), doubt.InvalidNote(b.invalid))
	}
}

// meta returns what the rows say about themselves.
func (b *builder) meta() Meta {
	bad := b.in.Bad.Reasons().Without(b.badBefore)
	m := Meta{
		Source: sourceText, Text: b.o.Text, AutoNgrams: b.automatic, Counts: b.o.Counts, MinDF: b.o.MinDF,
		Multi: b.classes.Multi, Minor: b.minor,
		Bytes: b.bytes, Invalid: b.invalid, Entries: b.entries, Bad: bad.Sum(), Reasons: bad,
		Version: container.Version,
	}
	switch {
	case b.in.RecordReading && b.mixed:
		m.Input = b.in.Reading(corpus.Auto)
	case b.in.RecordReading:
		m.Input = b.in.Reading(b.format)
	}
	if b.ready {
		m.Source, m.Text, m.AutoNgrams, m.Counts = sourceFeatures, hashing.Options{}, false, false
	} else if b.kind == vocab.Floats {
		m.Counts = true
	}
	return m
}

var errKinds = errors.New("nbsvm: some inputs have text and others have ready-made features")

// Build reads documents and makes a packed corpus of them that only this process reads: in memory or, where
// Options.Memory bounds that, in a temporary file, which is gone when the dataset is closed.
func Build(ctx context.Context, in corpus.Input, o Options) (*Dataset, error) {
	b, err := newBuilder(in, o, o.Memory)
	if err != nil {
		return nil, err
	}
	return b.dataset(ctx)
}

// dataset makes the dataset of Build, and closes the builder. Ready-made features have no names, whatever the options
// say.
func (b *builder) dataset(ctx context.Context) (d *Dataset, err error) {
	defer func() { _ = b.close() }()
	b.temporary = true
	write := func(w io.Writer) error {
		_, err := b.pack(ctx, w)
		return err
	}
	if b.o.Memory > 0 {
		d, err = openTemporary(b.o.Temp, write)
	} else {
		d, err = openMemory(write)
	}
	if err != nil {
		return nil, err
	}
	d.from = b.in.Describe()
	if b.o.Memory == 0 && !b.ready {
		d.texts, b.texts = b.texts, nil
	}
	return d, nil
}

// openMemory opens a corpus that is written to memory.
func openMemory(write func(w io.Writer) error) (*Dataset, error) {
	b := &mem.Buffer{}
	if err := write(b); err != nil {
		b.Free()
		return nil, err
	}
	c, err := vocab.OpenMemory(b)
	if err != nil {
		return nil, err
	}
	meta, err := metaOf(c)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return datasetOf(c, meta), nil
}

// openTemporary opens a corpus that is written to a temporary file in the folder.
func openTemporary(folder string, write func(w io.Writer) error) (*Dataset, error) {
	temp, err := osfile.CreateTemp(folder)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: cannot write rows to a temporary file: %w", err)
	}
	out := bufio.NewWriterSize(temp, 1<<20)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	var d *Dataset
	if err == nil {
		d, err = Open(temp.Name())
	}
	if err != nil {
		return nil, errors.Join(err, temp.Close())
	}
	temp.Unlink()
	d.Path, d.temp = "", temp
	return d, nil
}
