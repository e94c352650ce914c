package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Curve says how many decisions are right if those with a score below a threshold are dropped. A decision is that a
// document has a label. The zero value is empty. A Curve must not be used by several goroutines at once.
type Curve struct {
	decisions []decision // highest score first; prefix sums below are parallel, with a zero in front
	sorted    bool
	documents int64
	wanted    int64
	right     []int64
	heads     []int64
}

// decision is one that may be kept; the highest of its document is the document's head.
type decision struct {
	score       float64
	right, head bool
}

// Add adds the decisions about a document: their scores, which must not be NaN, and which of them are right. wanted is
// the number of labels that the document has.
func (c *Curve) Add(wanted int, scores []float64, right func(k int) bool) {
	head := 0
	for k, score := range scores {
		if score > scores[head] {
			head = k
		}
	}
	for k, score := range scores {
		c.decisions = append(c.decisions, decision{score: score, right: right(k), head: k == head})
	}
	c.documents++
	c.wanted += int64(wanted)
	c.sorted = false
}

// CurvePoint says what a threshold keeps.
type CurvePoint struct {
	Threshold float64 `json:"threshold"`
	Kept      int64   `json:"kept"`  // decisions
	Share     float64 `json:"share"` // of documents with a decision that is kept: the coverage
	// Precision is the share of right decisions among those kept, or nil if none is kept. The risk is 1-Precision.
	Precision *float64 `json:"precision"`
	// PrecisionInterval is the 95 % confidence interval of Precision by Wilson's score (Wilson 1927), from and to; nil
	// if Precision is. It takes decisions for independent, and for others than those that the threshold was chosen on.
	PrecisionInterval *[2]float64 `json:"precision_interval"`
	// Recall is the share of wanted labels that are kept, or nil if there are no wanted labels.
	Recall *float64 `json:"recall"`
}

// At returns the point of a threshold: decisions with this score or a higher one are kept.
func (c *Curve) At(threshold float64) CurvePoint {
	c.sort()
	n, _ := slices.BinarySearchFunc(c.decisions, threshold, func(d decision, t float64) int {
		if d.score >= t {
			return -1
		}
		return 1
	})
	return c.point(threshold, n)
}

// AtPrecision returns the lowest threshold whose precision is at least this, and false if there is none. The threshold
// is the score of a decision.
func (c *Curve) AtPrecision(precision float64) (CurvePoint, bool) {
	c.sort()
	for n := len(c.decisions); n > 0; n-- {
		if c.ends(n) && ratio(c.right[n], int64(n)) >= precision {
			return c.point(c.decisions[n-1].score, n), true
		}
	}
	return CurvePoint{}, false
}

// AtShare returns the highest threshold that keeps a decision about at least this share of the documents.
func (c *Curve) AtShare(share float64) CurvePoint {
	c.sort()
	for n := range c.decisions {
		if c.ends(n+1) && ratio(c.heads[n+1], c.documents) >= share {
			return c.point(c.decisions[n].score, n+1)
		}
	}
	return c.point(0, 0)
}

// ends reports whether a threshold separates the first n decisions from the others.
func (c *Curve) ends(n int) bool {
	return n == len(c.decisions) || c.decisions[n].score != c.decisions[n-1].score
}

// point returns the point of the curve after the first n decisions.
func (c *Curve) point(threshold float64, n int) CurvePoint {
	p := CurvePoint{Threshold: threshold, Kept: int64(n), Share: ratio(c.heads[n], c.documents)}
	if n > 0 {
		precision := ratio(c.right[n], int64(n))
		interval := Wilson(precision, float64(n))
		p.Precision, p.PrecisionInterval = &precision, &interval
	}
	if c.wanted > 0 {
		recall := ratio(c.right[n], c.wanted)
		p.Recall = &recall
	}
	return p
}

// Wilson returns the 95 % confidence interval of a share of n by Wilson's score (Wilson 1927), from and to. n must be
// positive.
func Wilson(share, n float64) [2]float64 {
	const z = 1.959963984540054 // 97.5 % of the normal distribution are below
	square := z * z / n
	middle := share + float64(square/2)
	half := math.Sqrt(float64(square*float64(share*(1-share))) + float64(float64(square*square)/4))
	return [2]float64{max(0, (middle-half)/(1+square)), min(1, (middle+half)/(1+square))}
}

func (c *Curve) sort() {
	if c.sorted {
		return
	}
	slices.SortFunc(c.decisions, func(a, b decision) int { return cmp.Compare(b.score, a.score) })
	c.right, c.heads = make([]int64, len(c.decisions)+1), make([]int64, len(c.decisions)+1)
	for n, d := range c.decisions {
		c.right[n+1], c.heads[n+1] = c.right[n], c.heads[n]
		if d.right {
			c.right[n+1]++
		}
		if d.head {
			c.heads[n+1]++
		}
	}
	c.sorted = true
}
