package solver

import "github.com/seed-167f963f/nbsvm/internal/splitmix"

const (
	// repeatGain is how many times the mean gain of an epoch's updates a row must have gained
	// to be updated again at once.
	repeatGain = 2
	// repeatPart bounds these, as a part of an epoch's updates.
	repeatPart = 0.5
)

// repeat updates those of the active rows once more that gained far more than others in the
// last epoch, and goes on with those of them that still do. Most rows need but a
// step an epoch; a few, as documents that say nearly the same, undo each other's steps
// and hold up all others. It comes before an epoch rather than after one, since a
// certificate needs all rows in balance. mean is that of the last epoch's gains. It returns
// the number of updates.
func (s *single) repeat(active []int32, mean float64) (visits int) {
	if mean <= 0 {
		return 0
	}
	least, most := repeatGain*mean, int(repeatPart*float64(len(active)))
	s.repeated = s.gainers(s.repeated[:0], active, least)
	size := s.size
	for len(s.repeated) > 0 && visits+len(s.repeated) <= most {
		splitmix.Shuffle(&s.random, s.repeated)
		s.setBatch(max(min(size, len(s.repeated)/batchesEpoch), 1))
		s.updateAll(s.repeated, &shrinker{})
		visits += len(s.repeated)
		s.repeated = s.gainers(s.repeated[:0], s.repeated, least)
	}
	s.setBatch(size)
	return visits
}

// gainers appends the rows to dst whose last update gained more than that.
func (s *single) gainers(dst, rows []int32, least float64) []int32 {
	for _, i := range rows {
		if float64(s.rows[i].gain) > least {
			dst = append(dst, i)
		}
	}
	return dst
}
