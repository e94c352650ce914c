package model

// Row gives the outputs that a row has numbers for, and these numbers, in dst where
// they are not float32s. It must have room for as many as there are outputs.
func (s *Sparse) Row(dst []float32, row uint32) (outputs []uint16, numbers []float32) {
	lo, hi := int(s.RowPtr[row]), int(s.RowPtr[row+1])
	return s.Output[lo:hi], s.Value.Range(dst, lo, hi)
}

// check finds out whether rows and outputs are in order and in range, and the
// values finite.
func (s *Sparse) check(in []string, rows, outputs int) *fileError {
	n := len(s.Output)
	switch {
	case len(s.RowPtr) != rows+1:
		return wrongLength(in[0], len(s.RowPtr), rows+1, "numbers")
	case s.RowPtr[0] != 0 || s.RowPtr[rows] != uint64(n):
		return at(in[0], 0, "it goes from %d to %d, which should be 0 to %d", s.RowPtr[0], s.RowPtr[rows], n)
	}
	if p := findProblem(rows, func(lo, hi int) *fileError { return s.checkRows(in, lo, hi, outputs) }); p != nil {
		return p
	}
	return checkNumbers(in[2], s.Value, uint64(n), "numbers, as "+in[1]+" has")
}

// checkRows finds out whether rows follow each other, and whether their outputs ascend and are in range.
func (s *Sparse) checkRows(in []string, lo, hi, outputs int) *fileError {
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

// check finds out whether the lengths are right, the pairs in order and in range,
// and all numbers moderate. A sum of two is then finite, too.
func (s *SparseRatio) check(rows, outputs int) *fileError {
	if len(s.Output) != outputs {
		return wrongLength("ROUT", len(s.Output), outputs, "numbers, one per output")
	}
	if p := moderate("ROUT", s.Output); p != nil {
		return p
	}
	if p := checkNumbers("RROW", s.Row, uint64(rows), "numbers"); p != nil {
		return p
	}
	return s.Pairs.check(pairSections, rows, outputs)
}
