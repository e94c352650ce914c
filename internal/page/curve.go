package page

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// mostPoints bounds the points of a curve.
const mostPoints = 400

// bins of the histograms and of the calibration, which has those of the calibration error in package metrics.
const (
	histogramBins   = 40
	calibrationBins = 15
)

// decision is a score and whether what it speaks for is so.
type decision struct {
	score float64
	right bool
}

// curve is how decisions by score come out at every threshold.
type curve struct {
	Name      string `json:"name"`
	About     string `json:"about"`
	Of        string `json:"of"` // what decisions are, in the plural
	Decisions int    `json:"decisions"`
	Positives int    `json:"positives"`
	Wanted    int    `json:"wanted"` // what recall is the share of

	// Points are thresholds, descending, and how many positive and negative decisions have such a score or a higher
	// one.
	Points [][3]float64 `json:"points"`

	Low      float64 `json:"low"` // where the histograms begin
	High     float64 `json:"high"`
	Positive []int   `json:"positive"` // by bin
	Negative []int   `json:"negative"`

	// Calibration has the number of decisions by bin, their mean probability and the share of positives; nil where
	// scores are margins.
	Calibration [][3]float64 `json:"calibration"`
}

// newCurve sorts the decisions.
func newCurve(name, about, of string, decisions []decision, wanted int, probable bool) curve {
	c := curve{Name: name, About: about, Of: of, Decisions: len(decisions), Wanted: wanted}
	slices.SortFunc(decisions, func(a, b decision) int { return cmp.Compare(b.score, a.score) })
	for _, d := range decisions {
		if d.right {
			c.Positives++
		}
	}
	c.Points = points(decisions, c.Positives)
	c.histograms(decisions, probable)
	if probable {
		c.calibrate(decisions)
	}
	return c
}

// points are those of the curve, some of them if there are many: about as far from each other on the ROC curve and in
// the share that is kept.
func points(decisions []decision, positives int) [][3]float64 {
	all := [][3]float64{}
	tp, fp := 0.0, 0.0
	for i, d := range decisions {
		if d.right {
			tp++
		} else {
			fp++
		}
		if i+1 == len(decisions) || decisions[i+1].score != d.score {
			all = append(all, [3]float64{finite(d.score), tp, fp})
		}
	}
	if len(all) <= mostPoints {
		return all
	}
	p, n := max(1, float64(positives)), max(1, float64(len(decisions)-positives))
	way := func(q [3]float64) float64 { return q[1]/p + q[2]/n + (q[1]+q[2])/(p+n) }
	kept := all[:1:1]
	for i, q := range all[1:] {
		if way(q) >= 3*float64(len(kept))/(mostPoints-1) || i+2 == len(all) {
			kept = append(kept, q)
		}
	}
	return kept
}

// histograms counts decisions by score.
func (c *curve) histograms(decisions []decision, probable bool) {
	c.Low, c.High = 0, 1
	if !probable && len(decisions) > 0 {
		c.Low, c.High = rounded(decisions[len(decisions)-1].score), rounded(decisions[0].score)
	}
	if c.High <= c.Low {
		c.High = c.Low + 1
	}
	c.Positive, c.Negative = make([]int, histogramBins), make([]int, histogramBins)
	for _, d := range decisions {
		// Halves, as the difference may be too large a number.
		at := (float64(finite(d.score)/2) - float64(c.Low/2)) / (float64(c.High/2) - float64(c.Low/2))
		bin := max(0, min(histogramBins-1, int(float64(at*histogramBins))))
		if d.right {
			c.Positive[bin]++
		} else {
			c.Negative[bin]++
		}
	}
}

// calibrate compares probabilities with what was so.
func (c *curve) calibrate(decisions []decision) {
	c.Calibration = make([][3]float64, calibrationBins)
	for _, d := range decisions {
		p := min(d.score, 1) // fastText shows up to 1e-5 more
		bin := &c.Calibration[max(0, int(math.Ceil(float64(p*calibrationBins)))-1)]
		bin[0]++
		bin[1] += p
		if d.right {
			bin[2]++
		}
	}
	for i := range c.Calibration {
		if bin := &c.Calibration[i]; bin[0] > 0 {
			bin[1], bin[2] = rounded(bin[1]/bin[0]), rounded(bin[2]/bin[0])
		}
	}
}

// rounded returns a number of six digits.
func rounded(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(finite(x), 'g', 6, 64), 64)
	return short
}

// finite returns a number that JSON has: the largest one of its sign for an infinite one, and 0 for NaN.
func finite(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return 0
	case math.IsInf(x, 0):
		return math.Copysign(math.MaxFloat32, x)
	}
	return x
}
