package metrics

// mostBins is the number of bins of a histogram, and the most columns of a density.
const mostBins = 40

// Histogram counts documents by a number, in bins of equal width from Low to High; numbers beyond are in the outer bins.
// If Low is High, there is one bin.
type Histogram struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Counts []int64 `json:"counts"`
}

// DensityColumn counts documents whose wanted numbers are from From to To by their predictions.
type DensityColumn struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Histogram
}

// newHistogram returns an empty histogram of numbers between the two, but for what is further than a distance from a
// range: a few predictions that are far off would leave one bin for all others. If all are so far off, it has them all.
func newHistogram(least, most float64, near NumberRange, distance float64) Histogram {
	h := Histogram{Low: max(least, near.Min-distance), High: min(most, near.Max+distance)}
	if h.Low >= h.High {
		h.Low, h.High = least, most
	}
	bins := mostBins
	if h.Low == h.High {
		bins = 1
	}
	h.Counts = make([]int64, bins)
	return h
}

// bin returns the bin of a number.
func (h *Histogram) bin(x float64) int {
	if h.Low == h.High {
		return 0
	}
	bins := float64(len(h.Counts))
	return int(max(0, min(bins-1, float64((x-h.Low)/(h.High-h.Low)*bins))))
}

// addHistograms counts residuals, and predictions by wanted number: a column for each if they are few. Ranges are cut off
// where predictions are further from the range of wanted numbers than this is wide.
func (r *RegressionReport) addHistograms(pairs []numbers) {
	least, most := pairs[0].got-pairs[0].want, pairs[0].got-pairs[0].want
	for _, p := range pairs {
		least, most = min(least, p.got-p.want), max(most, p.got-p.want)
	}
	width := r.Wanted.Max - r.Wanted.Min
	r.Residuals = newHistogram(least, most, NumberRange{}, width)
	predicted := newHistogram(r.Predicted.Min, r.Predicted.Max, r.Wanted, width)
	columns := newHistogram(r.Wanted.Min, r.Wanted.Max, r.Wanted, 0)
	levels := 0 < len(r.Levels) && len(r.Levels) <= mostBins
	if levels {
		columns.Counts = make([]int64, len(r.Levels))
	}
	for k := range columns.Counts {
		edge := func(k int) float64 { return columns.Low + float64(width*(float64(k)/float64(len(columns.Counts)))) }
		c := DensityColumn{From: edge(k), To: edge(k + 1), Histogram: predicted}
		if levels {
			c.From, c.To = r.Levels[k].Wanted, r.Levels[k].Wanted
		}
		c.Counts = make([]int64, len(predicted.Counts))
		r.Density = append(r.Density, c)
	}
	at := 0
	for _, p := range pairs {
		for at+1 < len(r.Density) && (levels && p.want > r.Density[at].To || !levels && at < columns.bin(p.want)) {
			at++
		}
		r.Density[at].Counts[predicted.bin(p.got)]++
		r.Residuals.Counts[r.Residuals.bin(p.got-p.want)]++
	}
}
