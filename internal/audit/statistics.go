package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Scores are sorted in ascending order in all that follows.

// sum adds up with the compensation of Neumaier (1974), so that the error does not grow with the number of addends.
func sum(numbers []float64, of func(x float64) float64) float64 {
	total, lost := 0.0, 0.0
	for _, x := range numbers {
		x = of(x)
		next := total + x
		if math.Abs(total) >= math.Abs(x) {
			lost += (total - next) + x
		} else {
			lost += (x - next) + total
		}
		total = next
	}
	return total + lost
}

func identity(x float64) float64 { return x }

// median returns the middle score, or the mean of the two in the middle.
func median(scores []float64) float64 {
	n := len(scores)
	if n%2 == 1 {
		return scores[n/2]
	}
	return float64(scores[n/2-1]/2) + float64(scores[n/2]/2)
}

// atLeast returns how many scores are at least this.
func atLeast(scores []float64, threshold float64) int64 {
	below, _ := slices.BinarySearch(scores, threshold)
	return int64(len(scores) - below)
}

// above returns how many scores are greater than this.
func above(scores []float64, threshold float64) int64 {
	return atLeast(scores, math.Nextafter(threshold, math.Inf(1)))
}

// Threshold is the lowest score of the best documents.
type Threshold struct {
	// Threshold keeps at least Wanted documents, the share that was asked for, rounded; any higher one keeps fewer.
	Threshold float64 `json:"threshold"`
	Wanted    int64   `json:"wanted"`
	Kept      int64   `json:"kept"`
	// Equal is how many documents have the threshold as their score. If Kept is more than Wanted, these can't be divided.
	Equal int64 `json:"equal"`
	// Next is the next higher score, which keeps Equal documents fewer; nil if there is none.
	Next *float64 `json:"next"`
}

// thresholdOf returns the threshold that keeps a share of documents; nil if that is none of them.
func thresholdOf(scores []float64, share float64) *Threshold {
	n := len(scores)
	wanted := int(math.Round(share * float64(n)))
	if wanted == 0 {
		return nil
	}
	t := &Threshold{Threshold: scores[n-wanted], Wanted: int64(wanted)}
	t.Kept = atLeast(scores, t.Threshold)
	t.Equal = t.Kept
	if higher := above(scores, t.Threshold); higher > 0 {
		next := scores[n-int(higher)] // a copy: scores may lie in a file that is closed
		t.Next, t.Equal = &next, t.Kept-higher
	}
	return t
}

// leastShare stands for the share of an empty bin in the population stability index.
const leastShare = 1e-4

// newDrift compares two divisions of documents by the population stability index, Σ (q - p) ln (q/p) of their shares q
// and p of each bin.
func newDrift(old, recent []int64) *Drift {
	d := &Drift{Shift: "none"}
	n, m, bins := total(old), total(recent), 0
	for k := range old {
		if old[k] == 0 && recent[k] == 0 {
			continue
		}
		bins++
		p, q := max(leastShare, float64(old[k])/n), max(leastShare, float64(recent[k])/m)
		d.PSI += float64((q - p) * xmath.Log(q/p))
	}
	if freedom := float64(bins - 1); bins > 1 {
		// Quantile of chi-squared, by Wilson and Hilferty (1931).
		part := 2 / (9 * freedom)
		root := 1 - part + float64(1.6448536269514722*math.Sqrt(part))
		d.Chance = float64(freedom*float64(root*float64(root*root))) * (1/n + 1/m)
	}
	switch {
	case d.PSI < moderateShift:
	case d.PSI <= d.Chance:
		d.Shift = "chance"
	case d.PSI < largeShift:
		d.Shift = "moderate"
	default:
		d.Shift = "large"
	}
	return d
}

func total(counts []int64) (sum float64) {
	for _, n := range counts {
		sum += float64(n)
	}
	return sum
}

const deciles = 10

// scoreDrift compares scores in the deciles of the older ones; nil if there are none on one side. A bin ends with the
// score that it is named after.
func scoreDrift(old, recent []float64) *Drift {
	if len(old) == 0 || len(recent) == 0 {
		return nil
	}
	var counts [2][]int64
	var from [2]int
	for i := 1; i <= deciles; i++ {
		end := math.Inf(1)
		if i < deciles {
			end = old[(i*len(old)+deciles-1)/deciles-1]
		}
		for k, scores := range [][]float64{old, recent} {
			n := len(scores) - int(above(scores, end))
			counts[k], from[k] = append(counts[k], int64(n-from[k])), n
		}
	}
	d := newDrift(counts[0], counts[1])
	distance, p := kolmogorovSmirnov(old, recent)
	d.KS, d.P = &distance, &p
	return d
}

// kolmogorovSmirnov returns the greatest distance of two distributions, and the probability of one as great or greater
// if both are drawn from the same documents: Kolmogorov's limit with the correction of Stephens (1970). Ties make it
// too high.
func kolmogorovSmirnov(a, b []float64) (distance, p float64) {
	i, j, n, m := 0, 0, float64(len(a)), float64(len(b))
	for i < len(a) && j < len(b) {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		distance = max(distance, math.Abs(float64(i)/n-float64(j)/m))
	}
	root := math.Sqrt(n / (n + m) * m)
	return distance, kolmogorov((root + 0.12 + 0.11/root) * distance)
}

// kolmogorov returns the probability that Kolmogorov's limit exceeds x, by the series that converges faster.
func kolmogorov(x float64) float64 {
	const terms = 20
	tail, sign := 0.0, 1.0
	switch {
	case x < 0.04:
		return 1
	case x < 1.18:
		for k := 1.0; k < terms; k++ {
			odd := 2*k - 1
			tail += xmath.Exp(-float64(float64(odd*odd)*(math.Pi*math.Pi/8)) / float64(x*x))
		}
		return 1 - float64(math.Sqrt(2*math.Pi)/x*tail)
	}
	for k := 1.0; k < terms; k++ {
		tail += float64(sign * xmath.Exp(-2*float64(float64(k*k)*float64(x*x))))
		sign = -sign
	}
	return 2 * tail
}

// explained returns, of all groups of a field, eta squared, the share of the sum of squares of the scores that lies
// between groups, and epsilon squared (Kelley 1935), which takes from it what groups explain by chance. ok is false if
// all scores are equal.
func explained(groups [][]float64) (eta, epsilon float64, ok bool) {
	n, all := 0.0, 0.0
	for _, scores := range groups {
		ok = ok || scores[0] != groups[0][0] || scores[len(scores)-1] != groups[0][0]
		n += float64(len(scores))
	}
	if !ok {
		return 0, 0, false
	}
	means := make([]float64, len(groups))
	for k, scores := range groups {
		means[k] = sum(scores, identity) / float64(len(scores))
		all += float64(float64(len(scores)) / n * means[k])
	}
	between, inside := 0.0, 0.0
	for k, scores := range groups {
		center := means[k]
		inside += sum(scores, func(x float64) float64 { return float64((x - center) * (x - center)) })
		between += float64(float64(len(scores)) * float64((center-all)*(center-all)))
	}
	whole := between + inside
	eta = between / whole
	if free := n - float64(len(groups)); free > 0 {
		epsilon = max(0, 1-float64(inside/free*float64((n-1)/whole)))
	}
	return eta, epsilon, true
}

// separation returns the area under the ROC curve of predicting whether a document is kept by the share that is kept of
// its group; ok is false if all are kept or none is.
func separation(groups [][]float64, cut float64) (area float64, ok bool) {
	type outcome struct{ share, kept, left float64 }
	var outcomes []outcome
	for _, scores := range groups {
		n, kept := float64(len(scores)), float64(atLeast(scores, cut))
		outcomes = append(outcomes, outcome{kept / n, kept, n - kept})
	}
	slices.SortFunc(outcomes, func(a, b outcome) int { return cmp.Compare(a.share, b.share) })
	var kept, left float64 // of the groups before
	for i := 0; i < len(outcomes); {
		here := outcome{share: outcomes[i].share}
		for ; i < len(outcomes) && outcomes[i].share == here.share; i++ {
			here.kept, here.left = here.kept+outcomes[i].kept, here.left+outcomes[i].left
		}
		area += float64(here.kept * (left + float64(here.left/2)))
		kept, left = kept+here.kept, left+here.left
	}
	return area / (kept * left), kept > 0 && left > 0
}
