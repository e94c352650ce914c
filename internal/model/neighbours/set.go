package neighbours

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// Set is the documents that a query is compared with, and how they vote. Slices of a decoded set are views of its data.
type Set struct {
	K      int  // how many neighbours vote, each as much as it is similar
	Cosine bool // documents have unit length, so that similarities are cosines, times the length of the query

	Features int // R
	Labels   int // K in the form: how many there are

	Starts   []uint64  // N+1: document i has the entries Starts[i] up to Starts[i+1]
	Columns  []uint32  // of every entry its feature, ascending within a document, below Features
	Values   []float32 // of every entry
	LabelEnd []uint32  // nil where every document has one label, or N+1: document i has Of[LabelEnd[i]:LabelEnd[i+1]]
	Of       []uint16  // labels of documents, ascending in each
	Weights  []float32 // nil, or what the vote of a document counts
	Factors  []float64 // nil, or beside LabelEnd 2·Labels: of every label what votes for it and against it count
	Numbers  []uint32  // nil, or the numbers of the documents in the training set, ascending

	lock  sync.Mutex // of the making of the next two
	index *index
	prior []float64
}

// Documents is the number of documents.
func (s *Set) Documents() int { return len(s.Starts) - 1 }

// Number is that of a document in the training set, from 0.
func (s *Set) Number(document int) int {
	if s.Numbers != nil {
		return int(s.Numbers[document])
	}
	return document
}

// LabelsOf are the labels of a document.
func (s *Set) LabelsOf(document int) []uint16 {
	if s.LabelEnd == nil {
		return s.Of[document : document+1]
	}
	return s.Of[s.LabelEnd[document]:s.LabelEnd[document+1]]
}

// Row are the features of a document and their values.
func (s *Set) Row(document int) ([]uint32, []float32) {
	lo, hi := s.Starts[document], s.Starts[document+1]
	return s.Columns[lo:hi], s.Values[lo:hi]
}

const (
	formVersion = 1
	headSize    = 64
	alignment   = 64

	flagCosine  = 1 << 0
	flagMulti   = 1 << 1
	flagWeights = 1 << 2
	flagNumbers = 1 << 3
	allFlags    = 1<<4 - 1
)

// Encode gives the set in its form, if it is valid.
func (s *Set) Encode() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	var flags uint32
	for flag, is := range map[uint32]bool{
		flagCosine: s.Cosine, flagMulti: s.LabelEnd != nil,
		flagWeights: s.Weights != nil, flagNumbers: s.Numbers != nil,
	} {
		if is {
			flags |= flag
		}
	}
	b := make([]byte, 0, headSize+12*len(s.Columns)+16*len(s.Starts)+1024)
	for _, x := range []uint32{
		formVersion, flags, uint32(s.K), uint32(s.Features), uint32(s.Labels), uint32(s.Documents()),
	} {
		b = le.AppendUint32(b, x)
	}
	b = le.AppendUint64(b, uint64(len(s.Columns)))
	b = le.AppendUint64(b, uint64(len(s.Of)))
	b = appendArray(b, s.Starts)
	b = appendArray(b, s.Columns)
	b = appendArray(b, s.Values)
	b = appendArray(b, s.LabelEnd)
	b = appendArray(b, s.Of)
	b = appendArray(b, s.Weights)
	b = appendArray(b, s.Factors)
	return appendArray(b, s.Numbers), nil
}

// appendArray fills up with zeros, and appends the numbers behind that.
func appendArray[T mem.Number](b []byte, numbers []T) []byte {
	b = append(b, make([]byte, -len(b)&(alignment-1))...)
	return append(b, mem.ViewBytes(numbers)...)
}

// Decode reads a set from its form, for a model with so many rows and labels, and checks all of it.
func Decode(data []byte, features, labels int) (*Set, error) {
	if len(data) < headSize {
		return nil, fmt.Errorf("neighbours: %d bytes, which end within the head of %d", len(data), headSize)
	}
	le := binary.LittleEndian
	if v := le.Uint32(data); v != formVersion {
		return nil, fmt.Errorf("neighbours: version %d of the form, and this program reads version %d", v, formVersion)
	}
	flags, documents := le.Uint32(data[4:]), uint64(le.Uint32(data[20:]))
	entries, of := le.Uint64(data[24:]), le.Uint64(data[32:])
	if flags&^allFlags != 0 {
		return nil, fmt.Errorf("neighbours: unknown flags %#x", flags&^allFlags)
	}
	s := &Set{
		K: int(le.Uint32(data[8:])), Cosine: flags&flagCosine != 0,
		Features: int(le.Uint32(data[12:])), Labels: int(le.Uint32(data[16:])),
	}
	if s.Features != features || s.Labels != labels {
		return nil, fmt.Errorf("neighbours: documents have %d features and %d labels, and the model %d and %d", s.Features, s.Labels, features, labels)
	}
	d := decoder{data: mem.Aligned(data), at: headSize}
	multi := flags&flagMulti != 0
	take(&d, &s.Starts, documents+1, true)
	take(&d, &s.Columns, entries, true)
	take(&d, &s.Values, entries, true)
	take(&d, &s.LabelEnd, documents+1, multi)
	take(&d, &s.Of, of, true)
	take(&d, &s.Weights, documents, flags&flagWeights != 0)
	take(&d, &s.Factors, 2*uint64(labels), multi)
	take(&d, &s.Numbers, documents, flags&flagNumbers != 0)
	if d.bad != nil {
		return nil, d.bad
	}
	if d.at != len(data) {
		return nil, fmt.Errorf("neighbours: %d bytes, and arrays end at byte %d", len(data), d.at)
	}
	return s, s.check()
}

// decoder takes arrays from a form.
type decoder struct {
	data []byte
	at   int
	bad  error
}

// take takes an array of n numbers, if there is to be one.
func take[T mem.Number](d *decoder, dst *[]T, n uint64, is bool) {
	d.at = min(d.at+(-d.at&(alignment-1)), len(d.data))
	if !is || d.bad != nil {
		return
	}
	size := uint64(mem.SizeOf[T]())
	if n > uint64(len(d.data)-d.at)/size {
		d.bad = fmt.Errorf("neighbours: an array of %d numbers at byte %d of %d", n, d.at, len(d.data))
		return
	}
	b := d.data[d.at : d.at+int(n*size)]
	d.at += len(b)
	*dst = mem.View[T](b)
}

// MaxNeighbours is the largest K.
const MaxNeighbours = 1 << 20

// MaxLabels is how many labels documents can have: the form numbers them with 16 bits.
const MaxLabels = math.MaxUint16

// largest is the magnitude that values and weights may have: products and sums of any number of them are finite.
const largest = 1e30

// check finds out whether arrays fit each other and numbers are finite.
func (s *Set) check() error {
	n := s.Documents()
	switch {
	case s.K < 1 || s.K > MaxNeighbours:
		return fmt.Errorf("neighbours: the number of neighbours must be from 1 to %[2]d, got %[1]d", s.K, MaxNeighbours)
	case n < 1 || n > math.MaxInt32:
		return fmt.Errorf("neighbours: the number of documents must be from 1 to %[2]d, got %[1]d", n, math.MaxInt32)
	case s.Labels < 1 || s.Labels > MaxLabels:
		return fmt.Errorf("neighbours: the number of labels must be from 1 to %[2]d, got %[1]d", s.Labels, MaxLabels)
	case s.Features < 1 || s.Features > math.MaxInt32:
		return fmt.Errorf("neighbours: the number of features must be from 1 to %[2]d, got %[1]d", s.Features, math.MaxInt32)
	case len(s.Columns) != len(s.Values) || s.Starts[0] != 0 || s.Starts[n] != uint64(len(s.Columns)):
		return fmt.Errorf("neighbours: %d features and %d values, of entries %d to %d", len(s.Columns), len(s.Values), s.Starts[0], s.Starts[n])
	case s.Weights != nil && len(s.Weights) != n || s.Numbers != nil && len(s.Numbers) != n:
		return fmt.Errorf("neighbours: %d weights and %d numbers of %d documents", len(s.Weights), len(s.Numbers), n)
	case (s.LabelEnd != nil) != (s.Factors != nil) || s.Factors != nil && len(s.Factors) != 2*s.Labels:
		return fmt.Errorf("neighbours: %d factors of %d labels", len(s.Factors), s.Labels)
	}
	for i := range n {
		lo, hi := s.Starts[i], s.Starts[i+1]
		if lo > hi || hi > uint64(len(s.Columns)) {
			return fmt.Errorf("neighbours: document %d has entries %d to %d of %d", i, lo, hi, len(s.Columns))
		}
		if !ascend(s.Columns[lo:hi], uint64(s.Features)) {
			return fmt.Errorf("neighbours: the features of document %d do not ascend below %d", i, s.Features)
		}
	}
	if s.Numbers != nil && !ascend(s.Numbers, math.MaxUint32+1) {
		return errors.New("neighbours: the numbers of documents do not ascend")
	}
	return cmp.Or(checkRange("value", s.Values, -largest), checkRange("weight", s.Weights, math.SmallestNonzeroFloat32),
		checkRange("factor", s.Factors, 0), s.checkLabels())
}

// ascend says whether numbers ascend and are below a bound.
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

// checkLabels checks which labels documents have.
func (s *Set) checkLabels() error {
	n := s.Documents()
	switch ends := s.LabelEnd; {
	case ends == nil && len(s.Of) != n:
		return fmt.Errorf("neighbours: %d labels of %d documents", len(s.Of), n)
	case ends == nil:
	case len(ends) != n+1 || ends[0] != 0 || int(ends[n]) != len(s.Of) || !slices.IsSorted(ends):
		return fmt.Errorf("neighbours: labels of documents do not follow one another")
	}
	for i := range n {
		if !ascend(s.LabelsOf(i), uint64(s.Labels)) {
			return fmt.Errorf("neighbours: the labels of document %d do not ascend below %d", i, s.Labels)
		}
	}
	return nil
}
