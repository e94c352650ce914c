package dataset

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/packed"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

// Info is what a packed corpus holds, and how it was made.
type Info struct {
	Source      string           `json:"source"` // text or svmlight
	Text        *hashing.Options `json:"text"`   // without bits; nil for ready-made features
	Fingerprint string           `json:"fingerprint"`
	Counts      bool             `json:"counts"` // how often documents have n-grams is known
	MinDF       int              `json:"min_df"`
	MultiLabel  bool             `json:"multilabel"`
	Weighted    bool             `json:"weighted"`
	Named       bool             `json:"named"`    // n-grams have their texts
	Version     string           `json:"version"`  // of nbsvm
	Size        int64            `json:"size"`     // of the file, in bytes
	Blocks      int              `json:"blocks"`   // of rows
	Checksum    string           `json:"checksum"` // of the file
	Report
	Sections []packed.Section `json:"sections"`
}

// Inspect reads what a packed corpus says about itself.
func Inspect(path string) (*Info, error) {
	c, meta, err := openPacked(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	info := &Info{
		Source: meta.Source, Counts: meta.Counts, MinDF: meta.MinDF, MultiLabel: meta.Multi, Weighted: c.Weights != nil, Named: c.Named(), Version: meta.Version,
		Fingerprint: meta.fingerprint(),
		Size:        c.Size, Blocks: c.Blocks(), Checksum: fmt.Sprintf("%08x", c.Checksum()),
		Report: *meta.report(c.Totals(), &c.Head), Sections: c.Sections,
	}
	if meta.Source == sourceText {
		info.Text = &meta.Text
	}
	return info, nil
}

// InspectParts reads what packed corpora say about themselves that train, cv and eval take as one, and adds up what
// they hold. They must go together, as for Merge. How many distinct n-grams and columns the whole has is not counted,
// and 0 in the report: all columns would have to be read.
func InspectParts(ctx context.Context, paths []string) (whole *Report, parts []*Info, err error) {
	m, err := openParts(paths)
	if err != nil {
		return nil, nil, err
	}
	defer m.close()
	head, err := m.head(ctx)
	if err != nil {
		return nil, nil, err
	}
	var totals packed.Totals
	for _, path := range paths {
		info, err := Inspect(path)
		if err != nil {
			return nil, nil, err
		}
		totals.Documents += uint64(info.Documents)
		totals.Entries += uint64(info.NonZeros)
		parts = append(parts, info)
	}
	whole = m.meta.report(totals, head)
	whole.Parts = len(parts)
	return whole, parts, nil
}

// Options are those to pack more documents with, which Append can add.
func (i *Info) Options() Options {
	text := hashing.DefaultOptions()
	if i.Text != nil {
		text = *i.Text
	}
	return Options{Text: text, MinDF: i.MinDF, Counts: i.Counts, Names: i.Named}
}

// Verify checks every checksum and every number of a packed corpus.
func Verify(ctx context.Context, path string) error {
	c, _, err := openPacked(path)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Verify(ctx)
}

// fingerprint is the same for corpora whose features mean the same.
func (m *Meta) fingerprint() string {
	b, err := json.Marshal(struct {
		Source string
		Text   hashing.Options
		Counts bool
	}{m.Source, m.Text, m.Counts})
	if err != nil {
		panic(err) // there is nothing that JSON could not hold
	}
	return fmt.Sprintf("%08x", checksum.Add(0, b))
}
