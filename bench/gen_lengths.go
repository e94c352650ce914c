package bench

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Lengths names a distribution of the number of words a document has, given their
// mean m.
type Lengths string

// The distributions of lengths.
const (
	Fixed     Lengths = "fixed"     // m
	Uniform   Lengths = "uniform"   // evenly m/2 to 3m/2
	Geometric Lengths = "geometric" // 1 and up, each word the last with probability 1/m
	LogNormal Lengths = "lognormal" // as of web pages and reviews: sigma 0.6
)

// AllLengths lists the distributions.
func AllLengths() []Lengths { return []Lengths{Fixed, Uniform, Geometric, LogNormal} }

// sigma of the logarithm of lengths; 0.57 is that of IMDB's reviews.
const sigma = 0.6

// Validate reports an unknown distribution.
func (l Lengths) Validate() error {
	if !slices.Contains(AllLengths(), l) {
		return fmt.Errorf("bench: unknown distribution of lengths %q, want one of %v", l, AllLengths())
	}
	return nil
}

// draw gives a document's length, at least 1.
func (l Lengths) draw(s *splitmix.Source, mean int) int {
	var words int
	switch l {
	case Fixed:
		words = mean
	case Geometric:
		if mean > 1 {
			words = 1 + int(xmath.Log(1-uniform(s))/xmath.Log(1-1/float64(mean)))
		}
	case LogNormal:
		words = int(0.5 + xmath.Exp(logMean(mean)+float64(sigma*normal(s))))
	default:
		words = mean/2 + s.IntN(mean+1)
	}
	return max(words, 1)
}

// logMean is the mean of the logarithms of lengths whose mean is m.
func logMean(m int) float64 { return xmath.Log(float64(m)) - sigma*sigma/2 }

// normal is a standard normal deviate (Marsaglia's polar method).
func normal(s *splitmix.Source) float64 {
	for {
		x, y := 2*uniform(s)-1, 2*uniform(s)-1
		if r := float64(x*x) + float64(y*y); r > 0 && r < 1 {
			return x * math.Sqrt(-2*xmath.Log(r)/r)
		}
	}
}

// atMost is the probability of at most so many words.
func (l Lengths) atMost(words, mean int) float64 {
	w, m := float64(words), float64(mean)
	switch {
	case words < 1:
		return 0
	case l == Fixed || mean == 1 && l == Geometric:
		if words >= mean {
			return 1
		}
		return 0
	case l == Geometric:
		return 1 - math.Pow(1-1/m, w)
	case l == LogNormal:
		return 0.5 * math.Erfc(-(math.Log(w+0.5)-logMean(mean))/(sigma*math.Sqrt2))
	}
	return min(max(float64(words-mean/2+1)/float64(mean+1), 0), 1)
}
