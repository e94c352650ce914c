package score

import (
	"cmp"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// NeighbourSet is the documents that a query is compared with, and how they vote. Slices of a decoded set are views of
// its data.
type NeighbourSet struct {
	K int // how many neighbours vote, each as much as it is similar

	Features int // R
	Labels   int // K in the form: how many there are

	Starts   []uint64  // N+1: document i has the entries Starts[i] up to Starts[i+1]
	Columns  []uint32  // of every entry its feature, ascending within a document, below Features
	Values   []float32 // of every entry
	LabelEnd []uint32  // empty where every document has one label, or N+1: document i has Of[LabelEnd[i]:LabelEnd[i+1]]
	Of       []uint16  // labels of documents, ascending in each
	Weights  []float32 // empty, or what the vote of a document counts
	Factors  []float64 // empty, or 2·Labels: of every label what votes for it and against it count
	Numbers  []uint32  // empty, or the numbers of the documents in the training set, ascending

	lock  sync.Mutex // of the making of the next two
	index *index
	prior []float64
}

// Documents returns the number of documents.
func (s *NeighbourSet) Documents() int { return len(s.Starts) - 1 }

// Number returns the number of a document in the training set, from 0.
func (s *NeighbourSet) Number(document int) int {
	if len(s.Numbers) > 0 {
		return int(s.Numbers[document])
	}
	return document
}

// LabelsOf returns the labels of a document.
func (s *NeighbourSet) LabelsOf(document int) []uint16 {
	if len(s.LabelEnd) == 0 {
		return s.Of[document : document+1]
	}
	return s.Of[s.LabelEnd[document]:s.LabelEnd[document+1]]
}

// Row returns the features of a document and their values.
func (s *NeighbourSet) Row(document int) ([]uint32, []float32) {
	lo, hi := s.Starts[document], s.Starts[document+1]
	return s.Columns[lo:hi], s.Values[lo:hi]
}

const headSize = 16

// In a file, the numbers of a set are little-endian. Arrays have their length before them, as 8 bytes, and zeros behind
// them up to a multiple of 8 bytes.
//
//	uint64   k: how many neighbours vote
//	uint32   features R: must be the model's rows
//	uint32   labels K: must be the model's
//	uint64s  N+1: where a document begins in the next two
//	uint32s  features of the documents, ascending in each
//	float32s the value of each
//	uint32s  N+1: where the labels of a document begin in the next; empty if each has one
//	uint16s  labels of the documents, ascending in each
//	float32s N: what the vote of a document counts, more than 0; empty if each counts 1
//	float64s 2·K: what votes for a label and against it count; empty if each counts 1
//	uint32s  N: numbers of the documents in the training set, ascending; empty if they count from 0

// Encode gives the set in its form, if it is valid.
func (s *NeighbourSet) Encode() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	b := make([]byte, 0, headSize+8*len(s.Columns)+32*len(s.Starts))
	b = encoding.LittleEndian.AppendUint64(b, uint64(s.K))
	b = encoding.LittleEndian.AppendUint32(b, uint32(s.Features))
	b = encoding.LittleEndian.AppendUint32(b, uint32(s.Labels))
	b = appendArray(b, s.Starts)
	b = appendArray(b, s.Columns)
	b = appendArray(b, s.Values)
	b = appendArray(b, s.LabelEnd)
	b = appendArray(b, s.Of)
	b = appendArray(b, s.Weights)
	b = appendArray(b, s.Factors)
	return appendArray(b, s.Numbers), nil
}

func appendArray[T mem.Number](b []byte, numbers []T) []byte {
	b = encoding.LittleEndian.AppendUint64(b, uint64(len(numbers)))
	b = append(b, mem.ViewBytes(numbers)...)
	return append(b, make([]byte, -len(b)&7)...)
}

// Decode reads a set from its form, for a model with so many rows and labels, and checks all of it.
func DecodeNeighbours(data []byte, features, labels int) (*NeighbourSet, error) {
	if len(data) < headSize {
		return nil, fmt.Errorf("neighbours: %d bytes, which end within the head of %d", len(data), headSize)
	}
	s := &NeighbourSet{
		K:        int(min(encoding.LittleEndian.Uint64(data), math.MaxInt32)), // [NeighbourSet.check] allows less
		Features: int(encoding.LittleEndian.Uint32(data[8:])), Labels: int(encoding.LittleEndian.Uint32(data[12:])),
	}
	if s.Features != features || s.Labels != labels {
		return nil, fmt.Errorf("neighbours: documents have %d features and %d labels, and the model %d and %d",
			s.Features, s.Labels, features, labels)
	}
	d := decoder{data: mem.Aligned(data), at: headSize}
	readArray(&d, &s.Starts)
	readArray(&d, &s.Columns)
	readArray(&d, &s.Values)
	readArray(&d, &s.LabelEnd)
	readArray(&d, &s.Of)
	readArray(&d, &s.Weights)
	readArray(&d, &s.Factors)
	readArray(&d, &s.Numbers)
	if d.err != nil {
		return nil, d.err
	}
	if d.at != len(data) {
		return nil, fmt.Errorf("neighbours: %d bytes, and arrays end at byte %d", len(data), d.at)
	}
	return s, s.check()
}

// decoder reads arrays from a form until the first error.
type decoder struct {
	data []byte
	at   int
	err  error
}

func readArray[T mem.Number](d *decoder, dst *[]T) {
	if d.err != nil {
		return
	}
	if len(d.data)-d.at < 8 {
		d.err = fmt.Errorf("neighbours: %d bytes, which end before the length of an array", len(d.data))
		return
	}
	n, rest := encoding.LittleEndian.Uint64(d.data[d.at:]), d.data[d.at+8:]
	size := uint64(mem.SizeOf[T]())
	if n > uint64(len(rest))/size || (n*size+7)&^7 > uint64(len(rest)) {
		d.err = fmt.Errorf("neighbours: an array of %d numbers at byte %d of %d", n, d.at, len(d.data))
		return
	}
	*dst = mem.View[T](rest[:n*size])
	d.at += 8 + int((n*size+7)&^7)
}

// MaxNeighbours is the largest K.
const MaxNeighbours = 1 << 20

// MaxNeighbourLabels is how many labels documents can have: the form numbers them with 16 bits.
const MaxNeighbourLabels = math.MaxUint16

// largest is the magnitude that values and weights may have: products and sums of any number of them are finite.
const largest = 1e30

// check finds out whether arrays fit each other and numbers are finite.
func (s *NeighbourSet) check() error {
	n, ends := s.Documents(), s.LabelEnd
	wrong := func(have, want int) bool { return have > 0 && have != want }
	switch {
	case s.K < 1 || s.K > MaxNeighbours:
		return fmt.Errorf("neighbours: the number of neighbours must be from 1 to %[2]d, got %[1]d", s.K, MaxNeighbours)
	case n < 1 || n > math.MaxInt32:
		return fmt.Errorf("neighbours: the number of documents must be from 1 to %[2]d, got %[1]d", n, math.MaxInt32)
	case s.Labels < 1 || s.Labels > MaxNeighbourLabels:
		return fmt.Errorf("neighbours: the number of labels must be from 1 to %[2]d, got %[1]d", s.Labels, MaxNeighbourLabels)
	case s.Features < 1 || s.Features > math.MaxInt32:
		return fmt.Errorf("neighbours: the number of features must be from 1 to %[2]d, got %[1]d",
			s.Features, math.MaxInt32)
	case len(s.Columns) != len(s.Values) || s.Starts[0] != 0 || s.Starts[n] != uint64(len(s.Columns)) ||
		!slices.IsSorted(s.Starts):
		return fmt.Errorf("neighbours: the entries of documents do not follow one another up to %d features and %d values", len(s.Columns), len(s.Values))
	case wrong(len(s.Weights), n) || wrong(len(s.Numbers), n):
		return fmt.Errorf("neighbours: %d weights and %d numbers of %d documents", len(s.Weights), len(s.Numbers), n)
	case wrong(len(s.Factors), 2*s.Labels):
		return fmt.Errorf("neighbours: %d factors of %d labels", len(s.Factors), s.Labels)
	case len(ends) == 0 && len(s.Of) != n:
		return fmt.Errorf("neighbours: %d labels of %d documents", len(s.Of), n)
	case len(ends) > 0 && (len(ends) != n+1 || ends[0] != 0 || int(ends[n]) != len(s.Of) || !slices.IsSorted(ends)):
		return fmt.Errorf("neighbours: labels of documents do not follow one another")
	case !ascend(s.Numbers, math.MaxUint32+1):
		return errors.New("neighbours: the numbers of documents do not ascend")
	}
	for i := range n {
		if row, _ := s.Row(i); !ascend(row, uint64(s.Features)) {
			return fmt.Errorf("neighbours: the features of document %d do not ascend below %d", i, s.Features)
		}
		if !ascend(s.LabelsOf(i), uint64(s.Labels)) {
			return fmt.Errorf("neighbours: the labels of document %d do not ascend below %d", i, s.Labels)
		}
	}
	return cmp.Or(checkRange("value", s.Values, -largest), checkRange("weight", s.Weights, math.SmallestNonzeroFloat32),
		checkRange("factor", s.Factors, 0))
}

// ascend reports whether numbers ascend and are below a bound.
func ascend[T uint16 | uint32](numbers []T, bound uint64) bool {
	next := uint64(0)
	for _, v := range numbers {
		if uint64(v) < next {
			return false
		}
		next = uint64(v) + 1
	}
	return next <= bound
}

// checkRange refuses numbers that are below the least one, too large, or not a number.
func checkRange[T float32 | float64](what string, numbers []T, least float64) error {
	for i, v := range numbers {
		if !(float64(v) >= least && float64(v) <= largest) {
			return fmt.Errorf("neighbours: %s %d is %v, which is out of its range", what, i, v)
		}
	}
	return nil
}
