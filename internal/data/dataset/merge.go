package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/container"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// MergeOptions say how packed corpora become one.
type MergeOptions struct {
	MinDF   int    // leave out n-grams of fewer documents
	Temp    string // folder for temporary files; "" is the system's
	Threads int    // 0 for all processors
}

// Merge writes the documents of packed corpora, one corpus after the other, as one:
// the same bytes as if their texts had been packed together. That n-grams' counts add up,
// they must have been packed with a MinDF of 1.
func Merge(ctx context.Context, paths []string, o MergeOptions, w io.Writer) (*Contents, error) {
	if o.MinDF < 1 {
		return nil, fmt.Errorf("nbsvm: Options.MinDF must be 1 document or more, got %d", o.MinDF)
	}
	m, err := openParts(paths)
	if err != nil {
		return nil, err
	}
	defer m.close()
	return m.write(ctx, o.MinDF, o.Threads, o.Temp, w)
}

// merger is corpora that become one.
type merger struct {
	parts []*vocab.Corpus
	meta  Meta
	kind  vocab.Values
}

// openParts opens corpora that go together.
func openParts(paths []string) (*merger, error) {
	m := &merger{}
	for _, path := range paths {
		if err := m.add(path); err != nil {
			m.close()
			return nil, err
		}
	}
	if len(m.parts) == 0 {
		return nil, errors.New("nbsvm: there are no corpora to merge")
	}
	return m, nil
}

func (m *merger) close() {
	for _, c := range m.parts {
		c.Close()
	}
}

// open writes the whole to a temporary file and makes a dataset of it.
func (m *merger) open(ctx context.Context, o MergeOptions) (d *Dataset, err error) {
	d, err = openTemporary(o.Temp, func(w io.Writer) error {
		_, err := m.write(ctx, o.MinDF, o.Threads, o.Temp, w)
		return err
	})
	if err != nil {
		return nil, err
	}
	in := corpus.Input{}
	for _, c := range m.parts {
		in.Paths = append(in.Paths, c.Path)
	}
	d.Path, d.from = m.parts[0].Path, in.Describe()
	return d, nil
}

// write writes the whole.
func (m *merger) write(ctx context.Context, minDF, threads int, temp string, w io.Writer) (*Contents, error) {
	ctx, end := par.WithStage(ctx, par.StageCount)
	defer end()
	if m.meta.MinDF = minDF; m.meta.Ready() {
		m.meta.MinDF = 1 // of ready-made features, none is left out
	}
	head, err := m.head(ctx)
	if err != nil {
		return nil, err
	}
	totals, err := vocab.Merge(ctx, w, m.parts, head, vocab.MergeOptions{
		Kind: m.kind, MinDF: uint64(m.meta.MinDF), Threads: par.Threads(threads), Temp: temp,
	})
	if err != nil {
		return nil, err
	}
	if err := m.meta.check(m.kind, totals, head); err != nil {
		return nil, fmt.Errorf("nbsvm: the metadata of the merged corpus contradict it: %w; look at each with nbsvm inspect", err)
	}
	return &Contents{&m.meta, totals, head}, nil
}

// add takes in a corpus that goes with those before it.
func (m *merger) add(path string) error {
	c, meta, err := OpenCorpus(path)
	if err != nil {
		return err
	}
	m.parts = append(m.parts, c)
	if meta.MinDF > 1 {
		return fmt.Errorf("nbsvm: %s was packed without n-grams of fewer than %d documents, so its counts cannot be added to others; pack corpora that will be merged with Options.MinDF 1, and drop rare n-grams when you merge or train", path, meta.MinDF)
	}
	if len(m.parts) == 1 {
		m.meta, m.kind = *meta, c.Kind
		return nil
	}
	first, all := m.parts[0].Path, &m.meta
	if option, its, firsts := meta.Text.Diff(all.Text); option != "" && meta.Source == all.Source {
		return fmt.Errorf("nbsvm: %s was packed with %s %v, and %s with %v: pack them alike",
			path, option, its, first, firsts)
	}
	switch {
	case meta.Text.Bits != all.Text.Bits && meta.Source == all.Source:
		return fmt.Errorf("nbsvm: %s was packed with bits %d, and %s with %d: pack them alike",
			path, meta.Text.Bits, first, all.Text.Bits)
	case meta.Source != all.Source:
		return fmt.Errorf("nbsvm: %s holds features of %s, and %s of %s: merge corpora of one kind",
			path, meta.Source, first, all.Source)
	case meta.Counts != all.Counts:
		return fmt.Errorf("nbsvm: of %s and %s, one was packed with Options.Values count and the other without",
			first, path)
	}
	documents := uint64(0)
	for _, c := range m.parts {
		documents += c.Totals().Documents
	}
	if documents > math.MaxInt32 {
		return fmt.Errorf("nbsvm: with %s there are more than %d documents, more than a model can be trained on: merge fewer", path, math.MaxInt32)
	}
	m.kind = max(m.kind, c.Kind) // ones are numbers, too
	all.AutoNgrams = all.AutoNgrams && meta.AutoNgrams
	all.Multi = all.Multi || meta.Multi
	all.Minor = all.Minor.with(meta.Minor, documents-c.Totals().Documents)
	all.Input = all.Input.Joined(meta.Input)
	all.Reasons = all.Reasons.Add(meta.Reasons)
	all.Bytes, all.Invalid, all.Bad, all.Entries = all.Bytes+meta.Bytes, all.Invalid+meta.Invalid, all.Bad+meta.Bad,
		all.Entries+meta.Entries
	all.Version = container.Version
	return nil
}

// head returns the head of the merged corpus.
func (m *merger) head(ctx context.Context) (*vocab.Head, error) {
	head := &vocab.Head{}
	sets := map[string]*roaring.Bitmap{}
	docs, weighted := uint64(0), false
	for _, c := range m.parts {
		for k, label := range c.Labels {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			set := sets[label]
			if set == nil {
				set = roaring.New()
				sets[label] = set
			}
			set.Or(roaring.AddOffset64(c.Sets[k], int64(docs)))
		}
		docs += c.Totals().Documents
		weighted = weighted || c.Weights != nil
	}
	if len(sets) > maxClasses {
		return nil, fmt.Errorf("nbsvm: the corpora have %d different labels, more than %d", len(sets), maxClasses)
	}
	head.Labels = slices.Sorted(maps.Keys(sets))
	for _, label := range head.Labels {
		sets[label].RunOptimize()
		head.Sets = append(head.Sets, sets[label])
	}
	if weighted {
		for _, c := range m.parts {
			weights := c.Weights
			if weights == nil {
				weights = slices.Repeat([]float32{1}, int(c.Totals().Documents))
			}
			head.Weights = append(head.Weights, weights...)
		}
	}
	var err error
	head.Meta, err = json.Marshal(&m.meta)
	return head, err
}
