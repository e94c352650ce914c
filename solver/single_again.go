package solver

import "github.com/seed-167f963f/nbsvm/internal/splitmix"

const (
	// againFrom is how many times the mean gain of an epoch's visits a row must have gained
	// to be visited again at once.
	againFrom = 2
	// againMost is which part of an epoch's visits these may be as many as.
	againMost = 0.5
)

// again visits those of the active rows once more that gained far more than others in the
// last epoch, and goes on with those of them that still do. Most rows are settled by a
// step an epoch; a few, as documents that say nearly the same, undo each other's steps
// and hold up all others. It comes before an epoch rather than after one, since a
// certificate needs all rows in balance. mean is that of the last epoch's gains. It returns
// the number of visits.
func (s *single) again(active []int32, mean float64) (visits int) {
	if mean <= 0 {
		return 0
	}
	least, most := againFrom*mean, int(againMost*float64(len(active)))
	s.hot = s.gainers(s.hot[:0], active, least)
	size := s.size
	for len(s.hot) > 0 && visits+len(s.hot) <= most {
		splitmix.Shuffle(&s.random, s.hot)
		s.setBatch(max(min(size, len(s.hot)/batchesEpoch), 1))
		s.visitAll(s.hot, &shrinker{})
		visits += len(s.hot)
		s.hot = s.gainers(s.hot[:0], s.hot, least)
	}
	s.setBatch(size)
	return visits
}

// gainers appends the rows to dst whose last visit gained more than that.
func (s *single) gainers(dst, rows []int32, least float64) []int32 {
	for _, i := range rows {
		if float64(s.rows[i].gain) > least {
			dst = append(dst, i)
		}
	}
	return dst
}
