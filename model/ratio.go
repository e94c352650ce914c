package model

import "slices"

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
		{name: ratioOutput, data: toBytes(s.Output)},
	}, s.Pairs.contents(pairSections)...)
}

// check finds out whether the lengths are right, the pairs in order and in range,
// and all numbers finite. A sum of two is then finite, too: what a float32 can
// hold is too small to carry a float64 over its end.
func (s *SparseRatio) check(rows, outputs int) *problem {
	if len(s.Output) != outputs {
		return wrongLength(ratioOutput, len(s.Output), outputs, "numbers, one per output")
	}
	if p := finite64(ratioOutput, s.Output); p != nil {
		return p
	}
	if p := checkNumbers(ratioRow, s.Row, uint64(rows), "numbers"); p != nil {
		return p
	}
	return s.Pairs.check(pairSections, rows, outputs)
}
