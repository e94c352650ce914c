package tests

import (
	"math"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// TestSmallWeights: of 20 classes, or of any number in a grown tree, the weights that are kept are those that reach the
// share of their class's root mean square; of 19, all are kept. They are rounded to 8 bits.
func TestSmallWeights(t *testing.T) {
	for _, kind := range treeKinds {
		for _, shaped := range []struct {
			classes int
			tree    nbsvm.Tree
			drops   bool
		}{{19, nbsvm.NeverTree, false}, {20, nbsvm.NeverTree, true}, {12, nbsvm.AlwaysTree, true}, {22, nbsvm.AlwaysTree, true}} {
			classes := shaped.classes
			in := small.with(func(s *shape) { s.classes, s.docs = classes, 10*classes })
			const share = 0.1
			o := options(func(o *nbsvm.Options) { o.Kind, o.Tree = kind, shaped.tree })
			model.KeepWeights = true
			all, _ := mustTrain(t, in.input(), o)
			model.KeepWeights = false
			some, _ := mustTrain(t, in.input(), o)
			m, n := modelOf(t, all), modelOf(t, some)
			w, v := make([]float64, m.Outputs), make([]float64, m.Outputs)
			squares, stored := make([]float64, m.Outputs), make([]float64, m.Outputs)
			for row := range m.Keys.Size() {
				m.RowWeights(row, w)
				for k, x := range w {
					if squares[k] += x * x; x != 0 {
						stored[k]++
					}
				}
			}
			dropped := 0
			for row := range m.Keys.Size() {
				m.RowWeights(row, w)
				n.RowWeights(row, v)
				for k, x := range w {
					least := share * math.Sqrt(squares[k]/stored[k])
					switch {
					case v[k] == x, (v[k] != 0 || !shaped.drops) && math.Abs(v[k]-x) < 0.1*least/share+0.03*math.Abs(x): // rounded to 8 bits
					case v[k] == 0 && math.Abs(x) < least*(1+1e-9):
						dropped++
					default:
						t.Fatalf("%s, %d classes: a weight of %v became %v, the least is %v", kind, classes, x, v[k], least)
					}
					if v[k] != 0 && shaped.drops && math.Abs(x) < least*(1-1e-9) {
						t.Fatalf("%s: a weight of %v is kept, the least is %v", kind, x, least)
					}
				}
			}
			if (dropped > 0) != shaped.drops {
				t.Errorf("%s, %d classes: %d weights were dropped", kind, classes, dropped)
			}
		}
	}
}
