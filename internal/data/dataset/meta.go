package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/data/vocab"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Meta is what a packed corpus says about itself.
type Meta struct {
	Source     string          `json:"source"` // text or svmlight
	Text       hashing.Options `json:"text"`
	AutoNgrams bool            `json:"auto_ngrams"`
	Counts     bool            `json:"counts"`
	MinDF      int             `json:"min_df"`
	Multi      bool            `json:"multilabel"`
	// Minor are the documents that stand for a smaller share of a record, whose largest share is a document beside them.
	// They are trained on, but metrics count the record once.
	Minor   Set            `json:"minor,omitzero"`
	Bytes   int64          `json:"bytes"`   // of text
	Invalid int64          `json:"invalid"` // bytes of invalid UTF-8 among them
	Bad     int64          `json:"bad"`     // records left out
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
	Entries int64          `json:"entries"` // distinct n-grams, summed over documents
	Version string         `json:"version"`
	// Input is what was said of how the documents are read.
	Input corpus.Reading `json:"input,omitzero"`
}

// Ready reports whether features are ready-made, and not n-grams of texts.
func (m *Meta) Ready() bool { return m.Source == sourceFeatures }

// OpenCorpus maps a packed corpus and reads what it says about itself. All that others
// rely on is checked, as the file may be from anywhere.
func OpenCorpus(path string) (*vocab.Corpus, *Meta, error) {
	c, err := vocab.Open(path)
	if err != nil {
		return nil, nil, err
	}
	meta, err := metaOf(c)
	if err != nil {
		c.Close()
		return nil, nil, fmt.Errorf("nbsvm: %s: its metadata contradict it: %w; pack again, or update nbsvm", path, err)
	}
	return c, meta, nil
}

func metaOf(c *vocab.Corpus) (*Meta, error) {
	meta := new(Meta)
	err := json.Unmarshal(c.Meta, meta)
	if err == nil {
		err = meta.check(c.Kind, c.Totals(), &c.Head)
	}
	if err == nil {
		err = meta.checkKeys(c)
	}
	return meta, err
}

// check refuses what contradicts itself, or the corpus. It is for one that is merged as for one that was read.
func (m *Meta) check(kind vocab.Values, totals vocab.Totals, head *vocab.Head) error {
	if err := m.checkRows(kind, head.Runs); err != nil {
		return err
	}
	if err := m.checkLabels(totals.Documents, head); err != nil {
		return err
	}
	if err := m.Input.Validate(); err != nil {
		return err
	}
	entries := totals.Entries
	switch {
	case m.Bytes < 0 || m.Invalid < 0 || m.Invalid > m.Bytes || m.Bad < 0:
		return fmt.Errorf("it is of %d bytes, %d of them invalid, without %d bad records", m.Bytes, m.Invalid, m.Bad)
	case !m.Minor.IsZero() && uint64(m.Minor.Maximum()) >= totals.Documents:
		return fmt.Errorf("document %d stands for a share of a record, and there are %d", m.Minor.Maximum()+1, totals.Documents)
	case m.Entries < 0 || uint64(m.Entries) < entries:
		return fmt.Errorf("documents had %d n-grams, of which %d are there", m.Entries, entries)
	}
	return nil
}

// checkRows checks what rows hold.
func (m *Meta) checkRows(kind vocab.Values, runs []vocab.Run) error {
	switch m.Source {
	case sourceText:
		return m.checkText(kind, runs)
	case sourceFeatures:
		return m.checkFeatures(kind)
	}
	return fmt.Errorf("the source is %q, neither text nor svmlight", m.Source)
}

func (m *Meta) checkText(found vocab.Values, runs []vocab.Run) error {
	if bits := m.Text.Bits; bits < hashing.MinBits || bits > hashing.MaxKeyBits {
		return fmt.Errorf("keys have %d bits, not %d to %d", bits, hashing.MinBits, hashing.MaxKeyBits)
	}
	if err := m.Text.Validate(); err != nil {
		return err
	}
	kind := vocab.Binary
	if m.Counts || m.Text.ByWord() {
		kind = vocab.Counts
	}
	switch {
	case found != kind:
		return fmt.Errorf("counts are there: %t, and values are of kind %d", m.Counts, found)
	case m.MinDF < 1 || m.MinDF > math.MaxInt32:
		return fmt.Errorf("min-df is %d", m.MinDF)
	}
	if k := len(runs); k > 0 && runs[k-1].Frequency < uint64(m.MinDF) {
		return fmt.Errorf("min-df is %d, and there are n-grams of %d documents", m.MinDF, runs[k-1].Frequency)
	}
	return nil
}

func (m *Meta) checkFeatures(kind vocab.Values) error {
	if m.Text != (hashing.Options{}) || m.AutoNgrams || m.Counts || m.MinDF != 1 || kind == vocab.Counts {
		return errors.New("ready-made features have options of text")
	}
	return nil
}

// checkKeys refuses keys that are too large, or no numbers of features.
func (m *Meta) checkKeys(c *vocab.Corpus) error {
	var wrong error
	err := c.EachColumn(func(_ uint32, key, _ uint64) {
		switch {
		case m.Ready() && (key < 1 || key > 1<<featureBits-2):
			wrong = fmt.Errorf("there is a feature %d", key)
		case !m.Ready() && key>>m.Text.Bits > 0:
			wrong = fmt.Errorf("the key %d of an n-gram has more than %d bits", key, m.Text.Bits)
		}
	})
	return errors.Join(err, wrong)
}

// checkLabels checks labels and the documents that have them.
func (m *Meta) checkLabels(docs uint64, head *vocab.Head) error {
	for _, label := range head.Labels {
		if label == "" || !utf8.ValidString(label) {
			return fmt.Errorf("a label is %q", label)
		}
	}
	if m.Multi {
		return nil
	}
	all, sum := roaring.New(), uint64(0)
	for _, set := range head.Sets {
		all.Or(set)
		sum += set.GetCardinality()
	}
	if sum != docs || all.GetCardinality() != docs {
		return fmt.Errorf("every document has one label, but %d documents have %d", docs, sum)
	}
	return nil
}

// What rows come from.
const (
	sourceText     = "text"
	sourceFeatures = "svmlight"
)

// Contents are what a packed corpus holds besides its rows.
type Contents struct {
	Meta   *Meta
	Totals vocab.Totals
	Head   *vocab.Head
}

// Fingerprint returns the same for corpora whose features mean the same.
func (m *Meta) Fingerprint() string {
	b, err := json.Marshal(struct {
		Source string
		Text   hashing.Options
		Counts bool
	}{m.Source, m.Text, m.Counts})
	if err != nil {
		panic(err) // there is nothing that JSON could not hold
	}
	return fmt.Sprintf("%08x", osfile.AddChecksum(0, b))
}
