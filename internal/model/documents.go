package model

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Documents are the training documents of a model whose nearest ones vote.
type Documents struct {
	K        int     // how many vote
	Postings *Sparse // of every row of the model, the documents that have its feature, and its value in each
	// Votes has of every document its labels, ascending, each with what the document's vote counts. A document without
	// a label has one past the last.
	Votes   *Sparse
	Factors []float64 // of several labels, two for each: what a vote for it counts and what one against it does; else nil
	Numbers []uint32  // of documents in the training set, from 0, ascending; nil if they are 0, 1, 2, …
}

// Len returns the number of documents.
func (d *Documents) Len() int { return d.Votes.Rows() }

// LabelsOf returns the labels of a document, ascending.
func (d *Documents) LabelsOf(document int) []uint32 {
	labels := d.Votes.Outputs(document)
	if none := len(labels) - 1; d.Factors != nil && int(labels[none]) == len(d.Factors)/2 {
		return labels[:none]
	}
	return labels
}

// Weight returns what the vote of a document counts.
func (d *Documents) Weight(document int) float64 {
	return float64(d.Votes.Value.At(d.Votes.starts[document]))
}

// Number returns the number of a document in the training set, from 0.
func (d *Documents) Number(document int) int {
	if d.Numbers != nil {
		return int(d.Numbers[document])
	}
	return document
}

// MaxNeighbours is the largest K.
const MaxNeighbours = 1 << 20

// largestNeighbour is the magnitude that values, votes and factors may have: products and sums of any number of them are
// finite.
const largestNeighbour = 1e30

// The sections of Documents beside that of the rule, which has K and the number of documents.
const (
	postingsSection = "POSTINGS"
	valuesSection   = "POSTVAL"
	votesSection    = "VOTES"
	weightsSection  = "VOTEVAL"
	factorsSection  = "FACTORS"
	numberSection   = "NUMBERS"
)

// fields returns the sections of documents for a model with so many rows, whose labels are decoded before them.
func (d *Documents) fields(rows int, meta *Meta) []field {
	documents := 0
	list := require([]field{{
		names: []string{Neighbours},
		encode: func() (string, []byte) {
			return Neighbours, mem.ViewBytes([]uint64{uint64(d.K), uint64(d.Len())})
		},
		decode: func(name string, data []byte) *fileError {
			head, bad := array[uint64](name, data)
			switch {
			case bad != nil:
				return bad
			case len(head) != 2:
				return wrongLength(name, len(head), 2, "numbers")
			case head[0] < 1 || head[0] > MaxNeighbours:
				return at(name, 0, "%d neighbours: must be 1 to %d", head[0], MaxNeighbours)
			case head[1] < 1 || head[1] > math.MaxInt32:
				return at(name, 8, "%d documents: must be 1 to %d", head[1], math.MaxInt32)
			}
			d.K, documents = int(head[0]), int(head[1])
			return nil
		},
	}})
	size, labels := func() int { return documents }, func() int { return len(meta.Labels) + 1 }
	list = append(list, d.Postings.fields(postingsSection, valuesSection, func() int { return rows }, size)...)
	list = append(list, d.Votes.fields(votesSection, weightsSection, size, labels)...)
	for i := range list {
		list[i].names = list[i].names[:1] // values are never rounded to fewer bits
	}
	return append(list, arrayField(factorsSection, &d.Factors), arrayField(numberSection, &d.Numbers))
}

// check finds out whether all of it fits the model and each other, and is in range.
func (d *Documents) check(m *Model) *fileError {
	labels := len(m.Meta.Labels)
	switch several := m.Meta.Task == "multilabel"; {
	case d.K < 1 || d.K > MaxNeighbours:
		return at(Neighbours, 0, "%d neighbours: must be 1 to %d", d.K, MaxNeighbours)
	case several && len(d.Factors) != 2*labels:
		return wrongLength(factorsSection, len(d.Factors), 2*labels, "numbers, two per label")
	case !several && d.Factors != nil:
		return at(factorsSection, 0, "there are factors of a document's several labels, and it has one")
	case d.Numbers != nil && len(d.Numbers) != d.Len():
		return wrongLength(numberSection, len(d.Numbers), d.Len(), "numbers, one per document")
	}
	if bad := d.Postings.check(postingsSection, valuesSection, m.Keys.Size(), d.Len()); bad != nil {
		return bad
	}
	if bad := d.Votes.check(votesSection, weightsSection, d.Len(), labels+1); bad != nil {
		return bad
	}
	for i := range d.Len() {
		own := d.Votes.Outputs(i)
		if len(own) == 0 || d.Factors == nil && (len(own) > 1 || int(own[0]) == labels) {
			return at(votesSection, 0, "document %d has the labels %d: it must have one of %d", i, own, labels)
		}
	}
	for i, n := range d.Numbers[min(1, len(d.Numbers)):] {
		if n <= d.Numbers[i] {
			return at(numberSection, 4*i, "document %d follows document %d: numbers must ascend", n, d.Numbers[i])
		}
	}
	for _, s := range []struct {
		section string
		numbers Numbers
		least   float64
	}{
		{valuesSection, d.Postings.Value, -largestNeighbour},
		{weightsSection, d.Votes.Value, math.SmallestNonzeroFloat32},
	} {
		for i := range s.numbers.Len() {
			if v := float64(s.numbers.At(i)); v < s.least || v > largestNeighbour {
				return at(s.section, 4*i, "number %d is %v: must be %v to %v", i, v, s.least, largestNeighbour)
			}
		}
	}
	for i, f := range d.Factors {
		if !(f >= 0 && f <= largestNeighbour) {
			return at(factorsSection, 8*i, "factor %d is %v: must be 0 to %v", i, f, largestNeighbour)
		}
	}
	return nil
}
