package score

import "slices"

// Shares sets dst[k] to the share of the neighbours' votes that label k has, from 0 to 1. Without any neighbour it is
// that of all documents. Where documents have one label each, shares add up to 1.
func (s *NeighbourSet) Shares(dst []float64, of []Neighbour) {
	if len(of) == 0 {
		copy(dst, s.prior)
		return
	}
	clear(dst)
	var all float64
	for _, n := range of {
		vote := s.Vote(n)
		all += vote
		for _, k := range s.LabelsOf(int(n.Document)) {
			dst[k] += vote
		}
	}
	s.divide(dst, all)
}

// Vote returns what a neighbour's vote counts: as much as the document is similar, times its weight.
func (s *NeighbourSet) Vote(n Neighbour) float64 {
	if len(s.Weights) == 0 {
		return n.Similarity
	}
	return float64(n.Similarity * float64(s.Weights[n.Document]))
}

// divide turns votes for each label into shares of all.
func (s *NeighbourSet) divide(votes []float64, all float64) {
	for k, v := range votes {
		switch {
		case len(s.Factors) > 0:
			pro, con := float64(s.Factors[2*k]*v), float64(s.Factors[2*k+1]*max(all-v, 0))
			if votes[k] = 0; pro > 0 {
				votes[k] = pro / (pro + con)
			}
		default:
			votes[k] = v / all
		}
	}
}

// shares returns the shares of all documents.
func (s *NeighbourSet) shares() []float64 {
	votes, all := make([]float64, s.Labels), 0.0
	for i := range s.Documents() {
		vote := 1.0
		if len(s.Weights) > 0 {
			vote = float64(s.Weights[i])
		}
		all += vote
		for _, k := range s.LabelsOf(i) {
			votes[k] += vote
		}
	}
	s.divide(votes, all)
	return votes
}

// Contributions sets dst[k] to what the query's k-th feature adds to the votes for a label, less those against it, as a
// share of all votes: of each neighbour's vote the part that the feature has of its similarity. They add up to
// 2·share − 1, unless there are no neighbours, or votes for and against the label have other factors.
func (q *NeighbourSearcher) Contributions(
	dst []float64, label int, features []uint32, values []float64, of []Neighbour,
) {
	clear(dst)
	var all float64
	for _, n := range of {
		all += q.s.Vote(n)
	}
	for _, n := range of {
		part := q.s.Vote(n) / all / n.Similarity
		if !slices.Contains(q.s.LabelsOf(int(n.Document)), uint16(label)) {
			part = -part
		}
		for k, j := range features {
			dst[k] += float64(part * float64(values[k]*q.s.value(int(n.Document), j)))
		}
	}
}

// value returns the value of a feature in a document; 0 if the document lacks it.
func (s *NeighbourSet) value(document int, feature uint32) float64 {
	columns, values := s.Row(document)
	if e, ok := slices.BinarySearch(columns, feature); ok {
		return float64(values[e])
	}
	return 0
}

// Typical gives, for every feature and label, the mean value among the documents of the label, less that among all
// documents, row-major.
func (s *NeighbourSet) Typical() []float64 {
	n := s.Documents()
	sums, all, counts := make([]float64, s.Features*s.Labels), make([]float64, s.Features), make([]float64, s.Labels)
	for i := range n {
		columns, values := s.Row(i)
		labels := s.LabelsOf(i)
		for e, j := range columns {
			all[j] += float64(values[e])
			for _, k := range labels {
				sums[int(j)*s.Labels+int(k)] += float64(values[e])
			}
		}
		for _, k := range labels {
			counts[k]++
		}
	}
	for j, sum := range all {
		for k, count := range counts {
			sums[j*s.Labels+k] = sums[j*s.Labels+k]/max(count, 1) - sum/float64(n)
		}
	}
	return sums
}
