package learn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drawnMargins are margins of documents whose labels were drawn from the softmax of margins divided by a temperature.
func drawnMargins(n, classes int, temperature float64, seed uint64) (margins [][]float64, carries [][]bool) {
	r := rand.New(rand.NewPCG(seed, 1))
	margins, carries = make([][]float64, classes), make([][]bool, classes)
	for k := range margins {
		margins[k], carries[k] = make([]float64, n), make([]bool, n)
	}
	for i := range n {
		total := 0.0
		for k := range margins {
			margins[k][i] = r.NormFloat64() - 1
			total += math.Exp(margins[k][i] / temperature)
		}
		left, label := r.Float64()*total, 0
		for ; label < classes-1; label++ {
			if left -= math.Exp(margins[label][i] / temperature); left < 0 {
				break
			}
		}
		carries[label][i] = true
	}
	return margins, carries
}

// likelihood is what fitTemperature minimizes but for its smoothing, written out.
func likelihood(margins [][]float64, carries [][]bool, temperature float64) (sum float64) {
	for i := range margins[0] {
		total, own := 0.0, 0.0
		for k := range margins {
			total += math.Exp(margins[k][i] / temperature)
			if carries[k][i] {
				own = margins[k][i] / temperature
			}
		}
		sum += math.Log(total) - own
	}
	return sum
}

// TestTemperature: the temperature that made labels is found again, and no other is better by more than the smoothing.
func TestTemperature(t *testing.T) {
	for _, want := range []float64{0.1, 0.5, 1, 3} {
		margins, carries := drawnMargins(20000, 5, want, 7)
		got := fitTemperature(equallyWeighted(margins, carries))
		if math.Abs(got-want) > 0.06*want {
			t.Errorf("temperature %v, want %v", got, want)
		}
		best := likelihood(margins, carries, got)
		for _, factor := range []float64{0.9, 0.99, 1.01, 1.1} {
			if other := likelihood(margins, carries, got*factor); other < best-0.1 {
				t.Errorf("temperature %v: %v, but %v gives %v", got, best, got*factor, other)
			}
		}
	}
}

// TestTemperatureOfExtremes: margins that separate the classes, that say nothing, or that are wrong, give a temperature
// that a model may have.
func TestTemperatureOfExtremes(t *testing.T) {
	separated := [][]float64{{1, 1, -1, -1, -1, -1}, {-1, -1, 1, 1, -1, -1}, {-1, -1, -1, -1, 1, 1}}
	labels := [][]bool{{true, true, false, false, false, false}, {false, false, true, true, false, false}, {false, false, false, false, true, true}}
	flat := [][]float64{make([]float64, 6), make([]float64, 6), make([]float64, 6)}
	wrong := [][]float64{separated[1], separated[2], separated[0]}
	if sure := fitTemperature(equallyWeighted(separated, labels)); !(sure > 0.1 && sure < 1) {
		t.Errorf("separated: temperature %v", sure)
	}
	for _, margins := range [][][]float64{flat, wrong} {
		if got := fitTemperature(equallyWeighted(margins, labels)); !(got >= 0.99/mostSharpness && got <= 1.01/leastSharpness) {
			t.Errorf("margins %v: temperature %v", margins, got)
		}
	}
	if unsure := fitTemperature(equallyWeighted(wrong, labels)); unsure < 1e5 {
		t.Errorf("wrong: temperature %v", unsure)
	}
}

// TestEnough: a sigmoid needs documents of either class, a temperature only documents.
func TestEnough(t *testing.T) {
	labels := func(positive, negative int) []bool {
		all := make([]bool, positive+negative)
		for i := range positive {
			all[i] = true
		}
		return all
	}
	for _, test := range []struct {
		carries [][]bool
		want    bool
	}{
		{[][]bool{labels(1000, 3000)}, true},
		{[][]bool{labels(1000, 2999)}, false},
		{[][]bool{labels(999, 90_000)}, false},
		{[][]bool{labels(90_000, 999)}, false},
		{[][]bool{labels(1, 1999), labels(1999, 1)}, true},
		{[][]bool{labels(1, 1998), labels(1998, 1)}, false},
	} {
		if got := equallyWeighted(make([][]float64, len(test.carries)), test.carries).enough(); got != test.want {
			t.Errorf("%d documents of %d outputs: %v", len(test.carries[0]), len(test.carries), got)
		}
	}
}
