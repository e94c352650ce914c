package metrics

// multiClass reports on documents of one label each. scores and probs are nil, or have a row for each document.
func multiClass(labels []string, want, got []int32, scores, probs []float64) (*Report, error) {
	return reportOf(NewAccumulator(labels, false), len(want), scores, probs,
		func(i int) (_, _ []int32) { return want[i : i+1], got[i : i+1] })
}

// multiLabel reports on documents of any number of labels.
func multiLabel(labels []string, want, got [][]int32, scores, probs []float64) (*Report, error) {
	return reportOf(NewAccumulator(labels, true), len(want), scores, probs,
		func(i int) (_, _ []int32) { return want[i], got[i] })
}

func reportOf(a *Accumulator, n int, scores, probs []float64, labels func(i int) (want, got []int32)) (*Report, error) {
	row := func(m []float64, i int) []float64 {
		if m == nil {
			return nil
		}
		return m[i*len(m)/n : (i+1)*len(m)/n]
	}
	for i := range n {
		want, got := labels(i)
		if err := a.Add(want, got, row(scores, i), row(probs, i)); err != nil {
			return nil, err
		}
	}
	return a.Report()
}
