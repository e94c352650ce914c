package model

import (
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/file/views"
)

// sparseSections names the sections of RowPtr, Output and Value.
type sparseSections [3]string

var (
	weightSections = sparseSections{"ROWPTR", "OUTPUT", "VALUE"} // of Model.Sparse
	pairSections   = sparseSections{"RPTR", "RIDX", "RVAL"}      // of SparseRatio.Pairs
)

// sparse puts the three sections together, which must be there.
func (d *decoder) sparse(in sparseSections) Sparse {
	return Sparse{
		RowPtr: array[uint64](d, in[0], d.required(in[0])),
		Output: array[uint16](d, in[1], d.required(in[1])),
		Value:  d.requiredNumbers(in[2]),
	}
}

// contents encodes the three sections.
func (s *Sparse) contents(in sparseSections) []content {
	return []content{
		{name: in[0], data: views.Bytes(s.RowPtr)},
		{name: in[1], data: views.Bytes(s.Output)},
		numbersContent(in[2], s.Value),
	}
}

// Row gives the outputs that a row has numbers for, and these numbers, in dst where
// they are not float32s. It must have room for as many as there are outputs.
func (s *Sparse) Row(dst []float32, row uint32) (outputs []uint16, numbers []float32) {
	lo, hi := int(s.RowPtr[row]), int(s.RowPtr[row+1])
	return s.Output[lo:hi], s.Value.Range(dst, lo, hi)
}

// check finds out whether rows and outputs are in order and in range, and the
// values finite.
func (s *Sparse) check(in sparseSections, rows, outputs int) *problem {
	n := len(s.Output)
	switch {
	case len(s.RowPtr) != rows+1:
		return wrongLength(in[0], len(s.RowPtr), rows+1, "numbers")
	case s.RowPtr[0] != 0 || s.RowPtr[rows] != uint64(n):
		return at(in[0], 0, "it goes from %d to %d, which should be 0 to %d", s.RowPtr[0], s.RowPtr[rows], n)
	}
	if p := findProblem(rows, func(lo, hi int) *problem { return s.checkRows(in, lo, hi, outputs) }); p != nil {
		return p
	}
	return checkNumbers(in[2], s.Value, uint64(n), "numbers, as "+in[1]+" has")
}

// checkRows finds out whether rows follow each other, and whether their outputs ascend and are in range.
func (s *Sparse) checkRows(in sparseSections, lo, hi, outputs int) *problem {
	for r := lo; r < hi; r++ {
		begin, end := s.RowPtr[r], s.RowPtr[r+1]
		if begin > end || end > uint64(len(s.Output)) {
			return at(in[0], 8*(r+1), "row %d goes from %d to %d of %d", r, begin, end, len(s.Output))
		}
		least := 0
		for i, o := range s.Output[begin:end] {
			o := int(o)
			if o < least || o >= outputs {
				return at(in[1], 2*(int(begin)+i), "row %d has output %d where %d to %d are possible: they must ascend", r, o, least, outputs-1)
			}
			least = o + 1
		}
	}
	return nil
}

// Sections of a SparseRatio, beside those of its pairs.
const (
	ratioRow    = "RROW"
	ratioOutput = "ROUT"
)

// sparseRatio is nil if there is none of its five sections; if there is one, all
// must be there.
func (d *decoder) sparseRatio() *SparseRatio {
	if !d.has(ratioRow) && !d.has(ratioOutput) && !slices.ContainsFunc(pairSections[:], d.has) {
		return nil
	}
	return &SparseRatio{
		Row:    d.requiredNumbers(ratioRow),
		Output: slices.Clone(array[float64](d, ratioOutput, d.required(ratioOutput))),
		Pairs:  d.sparse(pairSections),
	}
}

// contents encodes the five sections.
func (s *SparseRatio) contents() []content {
	return append([]content{
		numbersContent(ratioRow, s.Row),
		{name: ratioOutput, data: views.Bytes(s.Output)},
	}, s.Pairs.contents(pairSections)...)
}

// check finds out whether the lengths are right, the pairs in order and in range,
// and all numbers moderate. A sum of two is then finite, too.
func (s *SparseRatio) check(rows, outputs int) *problem {
	if len(s.Output) != outputs {
		return wrongLength(ratioOutput, len(s.Output), outputs, "numbers, one per output")
	}
	if p := moderate(ratioOutput, s.Output); p != nil {
		return p
	}
	if p := checkNumbers(ratioRow, s.Row, uint64(rows), "numbers"); p != nil {
		return p
	}
	return s.Pairs.check(pairSections, rows, outputs)
}
