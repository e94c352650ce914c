package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBinomialTail: scipy.stats.binom.sf(right-1, n, p) of SciPy 1.10.1.
func TestBinomialTail(t *testing.T) {
	for _, test := range []struct {
		n, right int64
		p, tail  float64
	}{
		{1, 1, 0.5, 0.5},
		{10, 0, 0.3, 1},
		{10, 3, 0.9, 0.99999962639999995},
		{20, 1, 0.01, 0.18209306240276915},
		{28, 28, 0.9, 0.052334763302736093},
		{29, 29, 0.9, 0.047101286972462485},
		{59, 59, 0.95, 0.048494525249423111},
		{100, 95, 0.9, 0.057576886487033893},
		{100, 96, 0.9, 0.023711082663476803},
		{352, 331, 0.9, 0.0049590074373906893},
		{473, 468, 0.99, 0.66345720104441197},
		{500, 3, 0.001, 0.014330797584368905},
		{1000, 940, 0.95, 0.93293748136669119},
		{1000, 970, 0.95, 0.001277067917479812},
		{1_000_000, 900_700, 0.9, 0.0098071536815532365},
	} {
		if got := binomialTail(test.n, test.right, test.p); math.Abs(got-test.tail) > 1e-9*test.tail {
			t.Errorf("%d or more of %d at %v: %.17g, want %.17g", test.right, test.n, test.p, got, test.tail)
		}
		for _, level := range []float64{1e-9, 0.003, 0.0125, 0.05, 0.3, 0.7} {
			if got := tailWithin(test.n, test.right, test.p, level); got != (test.tail <= level) {
				t.Errorf("%d or more of %d at %v within %v: %v", test.right, test.n, test.p, level, got)
			}
		}
	}
}

func TestLeastKept(t *testing.T) {
	for _, test := range []struct {
		precision, confidence float64
		want                  int
	}{{0.9, 0.95, 29}, {0.95, 0.95, 59}, {0.99, 0.95, 299}, {0.99, 0.99, 459}, {0.5, 0.75, 2}, {0.5, 0.4, 1}, {0.01, 0.5, 1}, {1 - 0x1p-20, 0.95, 3141252}, {1, 0.9, 0}, {0.9, 1, 0}, {0.9, math.NaN(), 0}, {0, 0.9, 0}} {
		got := LeastKept(test.precision, test.confidence)
		if got != test.want {
			t.Errorf("precision %v, confidence %v: %d, want %d", test.precision, test.confidence, got, test.want)
		}
		for n := max(0, got-1); n <= got && n < 1000; n++ { // all right, of one score
			c := new(Curve)
			for range n {
				c.Add(1, []float64{1}, func(int) bool { return true })
			}
			if _, ok := c.AtConfidence(test.precision, test.confidence); ok != (n == got && n > 0) {
				t.Errorf("precision %v, confidence %v: %d right documents give a threshold: %v", test.precision, test.confidence, n, ok)
			}
		}
	}
}

// TestAtConfidence draws documents whose scores are even between 0 and 1 and which are right with a known probability.
// Of 2,000 draws, no more than 1-confidence choose a threshold with a lower precision than asked for, within three
// standard errors; without a confidence many more do.
func TestAtConfidence(t *testing.T) {
	const draws, precision, confidence = 2000, 0.9, 0.95
	for name, test := range map[string]struct {
		right       func(score float64) float64
		documents   int
		least, most float64 // share of draws that find a threshold
		plain       float64 // share of draws, at least, whose threshold is too low without a confidence
	}{
		"rising":              {func(s float64) float64 { return 0.7 + 0.3*s }, 500, 0.75, 1, 0.4},
		"steep":               {func(s float64) float64 { return s * s }, 1000, 0.12, 1, 0.4},
		"a little too low":    {func(float64) float64 { return 0.899 }, 600, 0, 0.06, 0.9},
		"good throughout":     {func(float64) float64 { return 0.93 }, 1000, 0.7, 1, 0},
		"good but at the top": {func(s float64) float64 { return 0.95 - 0.5*max(0, s-0.9) }, 600, 0.75, 1, 0},
		"waves":               {func(s float64) float64 { return 0.89 + 0.11*math.Sin(40*s) }, 600, 0.1, 1, 0.5},
		"few scores":          {func(s float64) float64 { return 0.7 + 0.25*math.Floor(4*s)/3 }, 300, 0.15, 1, 0.05},
		"too few documents":   {func(float64) float64 { return 1 }, 28, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			// low reports whether the precision of a threshold is too low: the mean of what is above, by a sum.
			const steps = 4000
			above := make([]float64, steps+1)
			for k := steps - 1; k >= 0; k-- {
				above[k] = above[k+1] + test.right((float64(k)+0.5)/steps)
			}
			low := func(threshold float64) bool {
				k := int(threshold * steps)
				return above[k]/float64(steps-k) < precision-1e-6
			}
			r := rand.New(rand.NewPCG(59, 7))
			var found, wrong, plain int
			for range draws {
				c := new(Curve)
				for range test.documents {
					s := r.Float64()
					is := r.Float64() < test.right(s)
					if name == "few scores" {
						s = math.Floor(4*s) / 4
					}
					c.Add(1, []float64{s}, func(int) bool { return is })
				}
				if p, ok := c.AtConfidence(precision, confidence); ok {
					if found++; low(p.Threshold) {
						wrong++
					}
					if at := c.At(p.Threshold); at.Kept != p.Kept {
						t.Fatalf("the threshold %v keeps %d decisions, not %d", p.Threshold, at.Kept, p.Kept)
					}
				}
				if p, ok := c.AtPrecision(precision); ok && low(p.Threshold) {
					plain++
				}
			}
			share := func(n int) float64 { return float64(n) / draws }
			risk := 1 - confidence
			if most := risk + 3*math.Sqrt(risk*(1-risk)/draws); share(wrong) > most {
				t.Errorf("%.4f of thresholds are too low, want %.4f at most", share(wrong), most)
			}
			if share(found) < test.least || share(found) > test.most {
				t.Errorf("%.4f of draws find a threshold, want %v to %v", share(found), test.least, test.most)
			}
			if share(plain) < test.plain {
				t.Errorf("%.4f of thresholds without a confidence are too low, want %v at least", share(plain), test.plain)
			}
			t.Logf("%.4f find a threshold, %.4f a wrong one, %.4f a wrong one without a confidence",
				share(found), share(wrong), share(plain))
		})
	}
}
