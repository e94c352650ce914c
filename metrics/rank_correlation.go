package metrics

import (
	"iter"
	"math"
	"slices"
)

// rankOrder counts pairs of documents by the order of their wanted and their predicted numbers.
type rankOrder struct {
	all        int64
	sameWant   int64 // pairs with equal wanted numbers
	sameGot    int64 // pairs with equal predictions
	sameBoth   int64
	discordant int64

	// Sums over documents of four times the squares and the product of ranks, taken from the mean rank.
	wantSquares, gotSquares, products float64
}

// rankPairs counts pairs of documents that are sorted by wanted number, equal ones by prediction, in time n log n. It
// returns the predictions, too, ascending.
func rankPairs(pairs []numbers) (o rankOrder, sorted []float64) {
	n := len(pairs)
	o.all = pairsOf(0, n)
	sorted, room := make([]float64, n), make([]float64, n)
	for i, p := range pairs {
		sorted[i] = p.got
	}
	sorted, room, o.discordant = sortCounting(sorted, room)
	rank := room // twice the distance of an ascending prediction's rank from the mean rank
	for lo, hi := range runs(n, func(i, j int) bool { return sorted[i] == sorted[j] }) {
		o.sameGot += pairsOf(lo, hi)
		for i := lo; i < hi; i++ {
			rank[i] = float64(lo + hi - n)
		}
		o.gotSquares += float64(float64(hi-lo) * float64(rank[lo]*rank[lo]))
	}
	for lo, hi := range runs(n, func(i, j int) bool { return pairs[i].want == pairs[j].want }) {
		o.sameWant += pairsOf(lo, hi)
		of := pairs[lo:hi]
		want, at := float64(lo+hi-n), 0
		o.wantSquares += float64(float64(hi-lo) * float64(want*want))
		for first, end := range runs(len(of), func(i, j int) bool { return of[i].got == of[j].got }) {
			o.sameBoth += pairsOf(first, end)
			further, _ := slices.BinarySearch(sorted[at:], of[first].got)
			at += further
			o.products += float64(float64(end-first) * float64(want*rank[at]))
		}
	}
	return o, sorted
}

// pairsOf returns how many pairs there are of documents from lo to below hi.
func pairsOf(lo, hi int) int64 { return int64(hi-lo) * int64(hi-lo-1) / 2 }

// runs iterates over the longest runs of equal neighbours among n, as their beginnings and ends.
func runs(n int, equal func(i, j int) bool) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo, hi := 0, 0; lo < n; lo = hi {
			for hi = lo + 1; hi < n && equal(lo, hi); {
				hi++
			}
			if !yield(lo, hi) {
				return
			}
		}
	}
}

// sortCounting sorts numbers by merging, with room for as many, and counts the pairs in which the larger one came first
// (Knight, "A Computer Method for Calculating Kendall's Tau with Ungrouped Data", JASA 1966). Both slices are used up;
// it returns them in the order of what they hold.
func sortCounting(x, room []float64) (sorted, unsorted []float64, reversed int64) {
	for width := 1; width < len(x); width *= 2 {
		for lo := 0; lo < len(x); lo += 2 * width {
			mid, hi := min(lo+width, len(x)), min(lo+2*width, len(x))
			i, j := lo, mid
			for k := lo; k < hi; k++ {
				if j == hi || i < mid && x[i] <= x[j] {
					room[k] = x[i]
					i++
				} else {
					room[k] = x[j]
					j++
					reversed += int64(mid - i)
				}
			}
		}
		x, room = room, x
	}
	return x, room, reversed
}

// concordant returns how many pairs are in the same order by both numbers.
func (o *rankOrder) concordant() int64 {
	return o.all - o.sameWant - o.sameGot + o.sameBoth - o.discordant
}

// tau returns Kendall's tau-b; NaN if all wanted numbers or all predictions are equal.
func (o *rankOrder) tau() float64 {
	surplus := float64(o.concordant() - o.discordant)
	return bounded(surplus / math.Sqrt(float64(o.all-o.sameWant)) / math.Sqrt(float64(o.all-o.sameGot)))
}

// spearman returns the correlation of ranks; NaN if all wanted numbers or all predictions are equal.
func (o *rankOrder) spearman() float64 {
	return bounded(o.products / math.Sqrt(o.wantSquares) / math.Sqrt(o.gotSquares))
}

// concordance returns the share of concordant pairs, equal predictions counting half; NaN if all wanted numbers are
// equal.
func (o *rankOrder) concordance() float64 {
	return (float64(o.concordant()) + float64(float64(o.sameGot-o.sameBoth)/2)) / float64(o.all-o.sameWant)
}

// bounded returns a correlation without what rounding has added to it. NaN stays NaN.
func bounded(r float64) float64 { return max(-1, min(1, r)) }
