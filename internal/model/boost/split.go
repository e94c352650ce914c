package boost

import "math"

// leastGain is what a split gains at least, as in XGBoost. What gains less, gains rounding errors.
const leastGain = 1e-6

// roundedDown makes up for the rounding of products, so that quotients alone decide.
const roundedDown = 1 - 1e-15

// contest compares the splits of a node.
type contest struct {
	gUnit, hUnit, lambda float64
	total                sum
	least, most          uint32  // of the second derivatives of one side, as integers
	parent               float64 // what is taken from the two quotients of a gain
	best                 float64 // these quotients, added up, of the best split so far, or what they must exceed
}

// newContest returns one for a node that is splittable.
func (g *grower) newContest(b *branch) *contest {
	j := &contest{gUnit: g.gUnit, hUnit: g.hUnit, lambda: g.o.Lambda, total: b.total}
	totalG, totalH := j.derivatives(b.total)
	j.parent = totalG * totalG / totalH
	j.best = j.parent + leastGain
	j.least = uint32(max(math.Ceil(min(g.o.MinChildWeight/g.hUnit, math.MaxUint32)), 1))
	j.most = b.total.h() - min(j.least, b.total.h())
	return j
}

// derivatives are a sum's G, and its H+λ.
func (j *contest) derivatives(s sum) (g, h float64) {
	return float64(float64(s.g()) * j.gUnit), float64(float64(s.h())*j.hUnit) + j.lambda
}

// better tells whether a split is the best so far, one of whose sides has the sum s.
func (j *contest) better(s sum) bool {
	if h := s.h(); h < j.least || h > j.most {
		return false
	}
	oneG, oneH := j.derivatives(s)
	otherG, otherH := j.derivatives(j.total - s)
	// The two quotients have one denominator, so that most splits take no division.
	numerator := float64(oneG*oneG*otherH) + float64(otherG*otherG*oneH)
	denominator := oneH * otherH
	if numerator < j.best*denominator*roundedDown {
		return false
	}
	if sum := numerator / denominator; sum > j.best {
		j.best = sum
		return true
	}
	return false
}

// best is the best split of a node among the columns of a block. Among equally good ones it is the first.
func (g *grower) best(b *block, sums []sum, of *branch) (best found) {
	if !g.splittable(of) {
		return found{}
	}
	j := g.newContest(of)
	if b.starts == nil {
		best = g.bestBinary(b, sums, j)
	} else {
		best = g.bestValued(b, sums, of.total, j)
	}
	if best.beyond.h() > 0 {
		best.quotients, best.gain = j.best, j.best-j.parent
	}
	return best
}

// bestBinary is best for columns that rows have or have not.
func (g *grower) bestBinary(b *block, sums []sum, j *contest) (best found) {
	least, most := j.least, j.most
	for k, s := range sums {
		if h := s.h(); h < least || h > most || g.lacks != nil && g.lacks[b.first+k] {
			continue
		}
		if j.better(s) {
			best = found{column: b.first + k, threshold: 0.5, beyond: s}
		}
	}
	return best
}

// bestValued is best for columns with values.
func (g *grower) bestValued(b *block, sums []sum, total sum, j *contest) (best found) {
	for k := range b.columns {
		if g.lacks != nil && g.lacks[b.first+k] {
			continue
		}
		lo, hi := b.starts[k], b.starts[k+1]
		absent := total
		for _, s := range sums[lo:hi] {
			absent -= s
		}
		if absent == total {
			continue
		}
		// Bins and, between those below 0 and those above, entries that are absent, in the order of values. What no
		// row of the node has is passed over, so that thresholds are in the middle between values that rows have.
		var below sum
		var last float32
		meet := func(s sum, from, to float32) {
			if s == 0 {
				return
			}
			if j.better(below) {
				best = found{column: b.first + k, threshold: middle(last, from), beyond: below}
				if best.threshold > 0 {
					best.beyond = total - below
				}
			}
			below += s
			last = to
		}
		met := false
		for n := lo; n < hi; n++ {
			if !met && b.least[n] > 0 {
				met = true
				meet(absent, 0, 0)
			}
			meet(sums[n], b.least[n], b.most[n])
		}
		if !met {
			meet(absent, 0, 0)
		}
	}
	return best
}

// middle is a threshold between two values, of which it is above the first.
func middle(a, b float32) float32 {
	m := float32((float64(a) + float64(b)) / 2)
	if m <= a {
		return b
	}
	return m
}
