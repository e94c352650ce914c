package tests

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// weightsOf is how many weights of a classifier are not 0, and how many features have one.
func weightsOf(t testing.TB, c *nbsvm.Classifier) (weights, features int) {
	t.Helper()
	err := c.Weights(func(f *explain.Feature, of []float64) error {
		if f == nil {
			return nil
		}
		n := 0
		for _, w := range of {
			if w != 0 {
				n++
			}
		}
		if len(of) == 2 { // of one output
			n /= 2
		}
		if weights += n; n > 0 {
			features++
		}
		return nil
	})
	must.OK(t, err)
	return weights, features
}

// TestPrune: a pruned classifier has the weights that it says, and is the same when written and opened again, with 32
// bits and with 8.
func TestPrune(t *testing.T) {
	ofNumbers(t)
	for kind, s := range map[string]shape{
		"two classes": small,
		"many":        small.with(func(s *shape) { s.classes, s.docs = 30, 600 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi = 4, true }),
	} {
		for name, change := range variants() {
			c, _ := mustTrain(t, s.input(), options(change))
			if m := modelOf(t, c); m.Rule != nil || slices.ContainsFunc(m.Base, func(b float64) bool { return b != 0 }) {
				continue // nothing can be dropped, which Prune says
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				pruned, p, err := c.Prune(0.3)
				must.OK(t, err)
				if weights, features := weightsOf(t, pruned); weights != p.Kept || features != p.Left || p.Kept < p.Weights*3/10 || p.Left > p.Features {
					t.Fatalf("%d weights of %d features, but it says %+v", weights, features, p)
				}
				all := []*nbsvm.Classifier{pruned}
				if modelOf(t, pruned).Bits() > 8 {
					all = append(all, quantize(t, pruned, 8))
				}
				for _, smaller := range all {
					path := filepath.Join(t.TempDir(), "pruned.nbm")
					must.OK(t, smaller.Save(path))
					opened, err := nbsvm.Open(path)
					must.OK(t, err)
					sameClassifiers(t, s, smaller, opened)
					opened.Close()
				}
			})
		}
	}
}

// TestPruneWithin finds the share that trying all of them finds.
func TestPruneWithin(t *testing.T) {
	s := small.with(func(s *shape) { s.classes = 4 })
	c, _ := mustTrain(t, s.input(), options())
	all, _ := weightsOf(t, c)
	loss := func(pruned *nbsvm.Classifier) (float64, error) {
		left, _ := weightsOf(t, pruned)
		return 1 - float64(left)/float64(all), nil
	}
	for _, most := range []float64{0, 0.1, 0.3, 0.5, 0.77, 0.9, 1} {
		want := 1.0
		for i := 1; i <= 20; i++ {
			share := math.Exp2(-float64(i) / 2)
			pruned, _, err := c.Prune(share)
			must.OK(t, err)
			if lost, _ := loss(pruned); lost <= most {
				want = share
			}
		}
		_, p, err := c.PruneWithin(most, loss)
		if err != nil || p.Share != want || p.Loss > most {
			t.Errorf("a loss of %v: %+v, %v; want a share of %v", most, p, err, want)
		}
	}
}

// TestPruneOption: a model that is pruned when it is trained is what pruning it afterwards makes, and labels change as
// rarely as was asked for.
func TestPruneOption(t *testing.T) {
	for kind, s := range map[string]shape{
		"two classes": small.with(func(s *shape) { s.docs = 1000 }),
		"many":        small.with(func(s *shape) { s.classes, s.docs = 20, 2000 }),
		"multi-label": small.with(func(s *shape) { s.classes, s.multi, s.docs = 4, true, 1000 }),
	} {
		t.Run(kind, func(t *testing.T) {
			all := options(func(o *nbsvm.Options) { o.MinWeight = 0 })
			whole, _ := mustTrain(t, s.input(), all)
			const most = 0.02
			all.Prune = most
			c, r := mustTrain(t, s.input(), all)
			if r.Pruning == nil || r.Pruning.Loss > most || r.Pruning.Kept >= r.Pruning.Weights {
				t.Fatalf("%+v", r.Pruning)
			}
			after, p, err := whole.Prune(r.Pruning.Share)
			must.OK(t, err)
			if p.Loss = r.Pruning.Loss; p != *r.Pruning {
				t.Errorf("it says %+v, and pruning afterwards %+v", *r.Pruning, p)
			}
			if s.multi { // thresholds are those of the pruned model
				return
			}
			sameClassifiers(t, s, after, c)
		})
	}
}
