package score

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// wordRow is a word and its row of the model.
type wordRow struct {
	row  int
	word string
}

// lexicon finds the words that a model has weights for.
type lexicon struct {
	m       *model.Model
	extract *hashing.Extractor
	lock    sync.Mutex
	known   map[string]bool // words that were looked up
	words   []wordRow
	weights []float64
	hashes  []uint64
}

func newLexicon(m *model.Model) (*lexicon, error) {
	extract, err := hashing.NewExtractor(m.Meta.Text)
	return &lexicon{m: m, extract: extract, known: map[string]bool{}, weights: make([]float64, m.Outputs)}, err
}

// weighs tells whether a row has weights.
func (d *lexicon) weighs(row int) bool {
	d.m.RowWeights(row, d.weights)
	return slices.ContainsFunc(d.weights, func(x float64) bool { return x != 0 })
}

// find gives the row of a word; none if it is not one word, or the model does not know it.
func (d *lexicon) find(word []byte) (row int, ok bool) {
	if d.hashes, _ = d.extract.AppendDistinct(d.hashes[:0], nil, word); len(d.hashes) != 1 {
		return 0, false
	}
	row, ok = d.m.IDs.Rank(hashing.Bucket(d.hashes[0], d.m.Meta.Text.Bits))
	return row, ok && tagged(d.m, row, hashing.Tag(d.hashes[0]))
}

// addText adds the words of a text.
func (d *lexicon) addText(text []byte) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for word := range bytes.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(" \t\n\v\f\r", c) }) {
		if d.known[string(word)] {
			continue
		}
		d.known[string(word)] = true
		if row, ok := d.find(word); ok && d.weighs(row) {
			d.words = append(d.words, wordRow{row, string(word)})
		}
	}
}

// complete refuses a lexicon that lacks words of the model, and puts it into order.
func (d *lexicon) complete() error {
	found := make([]bool, d.m.IDs.Size)
	for _, w := range d.words {
		found[w.row] = true
	}
	lacking := 0
	for row := range found {
		if !found[row] && d.weighs(row) {
			lacking++
		}
	}
	if lacking > 0 {
		return fmt.Errorf("nbsvm: the documents have no words for %s of the %s with weights: give all documents that the model was trained on", wording.Count(int64(lacking)), wording.Some(lacking+len(d.words), "bucket"))
	}
	slices.SortFunc(d.words, func(a, b wordRow) int { return cmp.Or(a.row-b.row, strings.Compare(a.word, b.word)) })
	return nil
}
