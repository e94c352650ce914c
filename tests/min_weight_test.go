package tests

import (
	"math"
	"testing"

	"github.com/seed-167f963f/nbsvm"
)

// TestMinWeight: of 20 classes, the weights that are kept are those that reach the share of their class's root mean
// square, rounded to 8 bits; of 19, all are kept as they are.
func TestMinWeight(t *testing.T) {
	for _, kind := range treeKinds {
		for _, classes := range []int{19, 20} {
			in := small.with(func(s *shape) { s.classes, s.docs = classes, 10*classes })
			const share = 0.5
			all, _ := mustTrain(t, in.input(), options(func(o *nbsvm.Options) { o.Kind, o.MinWeight = kind, 0 }))
			some, report := mustTrain(t, in.input(), options(func(o *nbsvm.Options) { o.Kind, o.MinWeight = kind, share }))
			if report.Options.MinWeight != share {
				t.Errorf("%s: the report says %v", kind, report.Options.MinWeight)
			}
			m, n := modelOf(t, all), modelOf(t, some)
			w, v := make([]float64, m.Outputs), make([]float64, m.Outputs)
			squares, stored := make([]float64, m.Outputs), make([]float64, m.Outputs)
			for row := range m.IDs.Size {
				m.RowWeights(row, w)
				for k, x := range w {
					if squares[k] += x * x; x != 0 {
						stored[k]++
					}
				}
			}
			dropped := 0
			for row := range m.IDs.Size {
				m.RowWeights(row, w)
				n.RowWeights(row, v)
				for k, x := range w {
					least := share * math.Sqrt(squares[k]/stored[k])
					switch {
					case v[k] == x, v[k] != 0 && m.Outputs >= 20 && math.Abs(v[k]-x) < 0.05*least/share: // rounded to 8 bits
					case v[k] == 0 && math.Abs(x) < least*(1+1e-9):
						dropped++
					default:
						t.Fatalf("%s, %d classes: a weight of %v became %v, the least is %v", kind, classes, x, v[k], least)
					}
					if v[k] != 0 && classes >= 20 && math.Abs(x) < least*(1-1e-9) {
						t.Fatalf("%s: a weight of %v is kept, the least is %v", kind, x, least)
					}
				}
			}
			if (dropped > 0) != (classes >= 20) {
				t.Errorf("%s, %d classes: %d weights were dropped", kind, classes, dropped)
			}
		}
	}
}
