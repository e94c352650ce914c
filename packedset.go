package nbsvm

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/sparse"
	"github.com/seed-167f963f/nbsvm/sparse/packed"
)

// packedInput tells whether an input is a packed corpus, and its path. It is an error if
// it is one among others.
func packedInput(in Input) (path string, ok bool, err error) {
	for _, path := range in.Paths {
		if path == "-" || !isPacked(path) {
			continue
		}
		if len(in.Paths) > 1 {
			return "", false, fmt.Errorf("nbsvm: %s is a packed corpus, to be given alone; nbsvm merge makes several one", path)
		}
		return path, true, nil
	}
	return "", false, nil
}

// refusePacked refuses packed corpora.
func refusePacked(in Input) error {
	path, isPacked, err := packedInput(in)
	if err == nil && isPacked {
		err = fmt.Errorf("nbsvm: %s is packed already; nbsvm merge makes several corpora one", path)
	}
	return err
}

// isPacked looks at a file's first bytes; what can't be read is left to who reads it.
func isPacked(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, 16)
	n, _ := io.ReadFull(f, b)
	return packed.Is(b[:n])
}

// readPacked is the dataset of a packed corpus, whose rows stay in the file.
func readPacked(path string, o *Options) (*dataset, error) {
	c, meta, err := openPacked(path)
	if err != nil {
		return nil, err
	}
	ds, err := packedDataset(c, meta, o)
	if err != nil {
		c.Close()
		return nil, err
	}
	return ds, nil
}

func packedDataset(c *packed.Corpus, meta *packedMeta, o *Options) (*dataset, error) {
	if err := meta.follow(c.Path(), o); err != nil {
		return nil, err
	}
	docs := c.Totals().Documents
	if docs > math.MaxInt32 {
		return nil, fmt.Errorf("nbsvm: %s has %d documents, more than 2147483647; train on a part of them", c.Path(), docs)
	}
	ds := &dataset{
		ready: meta.Source == "svmlight", kindKnown: true, packed: c, meta: meta, docs: int(docs), entries: meta.Entries,
		weights: c.Weights, invalid: meta.Invalid, bytes: meta.Bytes,
		classes: ofSets(c.Labels, c.Sets, int(docs), meta.Multi),
	}
	return ds, nil
}

// FollowPacked takes over from a packed corpus, if the input is one, what text options it
// was packed with, and its min-df if that is higher.
func (o *Options) FollowPacked(in Input) error {
	path, ok, err := packedInput(in)
	if err != nil || !ok {
		return err
	}
	c, meta, err := openPacked(path)
	if err != nil {
		return err
	}
	defer c.Close()
	if meta.Source != "text" {
		return nil
	}
	bits := o.Text.Bits
	o.Text, o.AutoNgrams, o.MinDF = meta.Text, meta.AutoNgrams, max(o.MinDF, meta.MinDF)
	o.Text.Bits = bits
	return nil
}

// follow refuses options that ask for other features than a corpus has, and sets those
// that were left to it.
func (m *packedMeta) follow(path string, o *Options) error {
	if m.Source == "svmlight" {
		return nil
	}
	differs := func(option string, asked, is any) error {
		return fmt.Errorf("nbsvm: %s was packed with %s %v, and %v is asked for: pack the documents again, or ask for what it has", path, option, is, asked)
	}
	t, p := &o.Text, &m.Text
	t.Seed = p.Seed // that of permutations and folds may be another
	if o.AutoNgrams && t.Tokenizer == hashing.Word {
		t.NgramLo, t.NgramHi, o.AutoNgrams = p.NgramLo, p.NgramHi, m.AutoNgrams
	}
	switch {
	case t.Tokenizer != p.Tokenizer:
		return differs("the tokenizer", t.Tokenizer, p.Tokenizer)
	case t.NgramLo != p.NgramLo || t.NgramHi != p.NgramHi:
		return differs("n-grams of orders", fmt.Sprintf("%d-%d", t.NgramLo, t.NgramHi), fmt.Sprintf("%d-%d", p.NgramLo, p.NgramHi))
	case t.Lowercase != p.Lowercase:
		return differs("lowercase", t.Lowercase, p.Lowercase)
	case t.Punctuation != p.Punctuation:
		return differs("punctuation", t.Punctuation, p.Punctuation)
	case t.StripHTML != p.StripHTML:
		return differs("strip-html", t.StripHTML, p.StripHTML)
	case o.MinDF < m.MinDF:
		return differs("min-df", o.MinDF, m.MinDF)
	case o.counted() && !m.Counts:
		return fmt.Errorf("nbsvm: %s was packed without how often documents have n-grams, which values %s need: pack the documents again, with --values count", path, o.Values)
	}
	return nil
}

// close gives back what is mapped.
func (ds *dataset) close() {
	if ds.packed != nil {
		ds.packed.Close()
	}
}

// readKeys reads what the columns of a packed corpus stand for, once.
func (ds *dataset) readKeys() (err error) {
	if ds.keys == nil {
		ds.keys, err = ds.packed.Keys()
	}
	return err
}

// eachPackedBlock decodes the blocks of a packed corpus, on several threads; visit gets
// the number of each. Its results are collected in order.
func eachPackedBlock[R any](ctx context.Context, c *packed.Corpus, threads int, visit func(w, block int, m *sparse.CSR) (R, error), collect func(R) error) error {
	blocks := make([]sparse.CSR, threads)
	return ordered.Map(ctx, threads, c.Blocks(), func(w, i int) (r R, err error) {
		if err := c.Block(i, &blocks[w]); err != nil {
			return r, err
		}
		c.Release(i)
		return visit(w, i, &blocks[w])
	}, collect)
}
