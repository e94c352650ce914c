package metrics

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPaths computes hierarchical metrics by hand: sets of ancestors, as Kiritchenko et al. (2006) define them, and
// steps in the tree.
func TestPaths(t *testing.T) {
	var r Report
	r.AddPaths(&PathCounts{})
	if r.HierarchicalF1 != nil || r.DepthAccuracy != nil {
		t.Errorf("without documents there is %+v", r)
	}
	for name := range r.Values() {
		if strings.HasPrefix(name, "hierarchical") || name == "tree_distance" {
			t.Errorf("without paths there is %s", name)
		}
	}
	var c PathCounts
	c.Add(1, 3, 2) // a/b/c wanted, a/d predicted
	c.Add(2, 2, 3) // a/b wanted, a/b/c predicted
	c.Add(0, 1, 1)
	r.AddPaths(&c)
	precise := *r.HierarchicalPrecision == 0.5 && *r.HierarchicalRecall == 0.5 && *r.HierarchicalF1 == 0.5
	if !precise || *r.TreeDistance != 2 {
		t.Errorf("precision %v, recall %v, F1 %v, distance %v", *r.HierarchicalPrecision, *r.HierarchicalRecall, *r.HierarchicalF1, *r.TreeDistance)
	}
	if want := []float64{2. / 3, 0.5, 0}; !slices.Equal(r.DepthAccuracy, want) {
		t.Errorf("by depth %v, want %v", r.DepthAccuracy, want)
	}
}

// TestPathSets compares with sets of ancestors of random paths.
func TestPathSets(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	path := func() []string {
		p := make([]string, 1+random.IntN(4))
		for i := range p {
			p[i] = string(rune('a' + random.IntN(2)))
		}
		return p
	}
	var all PathCounts
	var both, wanted, predicted int
	for range 200 {
		w, g := path(), path()
		ancestors := map[string]bool{}
		for n := range w {
			ancestors[strings.Join(w[:n+1], "/")] = true
		}
		shared := 0
		for n := range g {
			if ancestors[strings.Join(g[:n+1], "/")] {
				shared++
			}
		}
		both, wanted, predicted = both+shared, wanted+len(w), predicted+len(g)
		all.Add(shared, len(w), len(g))
	}
	var r Report
	r.AddPaths(&all)
	p, q := float64(both)/float64(predicted), float64(both)/float64(wanted)
	if *r.HierarchicalPrecision != p || *r.HierarchicalRecall != q {
		t.Errorf("precision %v and recall %v, want %v and %v", *r.HierarchicalPrecision, *r.HierarchicalRecall, p, q)
	}
	for depth, accuracy := range r.DepthAccuracy {
		if depth > 0 && accuracy > r.DepthAccuracy[depth-1]+0.2 || accuracy < 0 || accuracy > 1 {
			t.Errorf("by depth %v", r.DepthAccuracy)
		}
	}
}
