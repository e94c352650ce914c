package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// anyLabels draws labels: paths of few parts from few names, some below others.
func anyLabels(t *rapid.T) []string {
	part := rapid.SampledFrom([]string{"a", "b", "c", "a b", "a\x00", "\xff", "é"})
	path := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 1, 5).Draw(t, "parts"), "/") })
	labels := rapid.SliceOfNDistinct(path, 1, 12, rapid.ID).Draw(t, "labels")
	slices.Sort(labels)
	return labels
}

// TestTree: nodes are the prefixes of labels, each with its parent; paths end at labels, and nowhere else.
func TestTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := anyLabels(t)
		nodes, tree, err := TreeOf(labels, "/", 1000)
		must.OK(t, err)
		prefixes := map[string]bool{}
		for _, label := range labels {
			parts := strings.Split(label, "/")
			for n := range parts {
				prefixes[strings.Join(parts[:n+1], "/")] = true
			}
		}
		if len(prefixes) != len(nodes) {
			t.Fatalf("nodes %q, want %v", nodes, prefixes)
		}
		for k, node := range nodes {
			if !prefixes[node] || int(tree.Depths[k]) != strings.Count(node, "/")+1 {
				t.Fatalf("node %q of depth %d", node, tree.Depths[k])
			}
			if p := tree.Parents[k]; p == Root && strings.Contains(node, "/") || p != Root && !strings.HasPrefix(node, nodes[p]+"/") {
				t.Fatalf("node %q has parent %d of %q", node, p, nodes)
			}
			if tree.Ends(k) != slices.Contains(labels, node) {
				t.Fatalf("paths end at %q: %v", node, tree.Ends(k))
			}
		}
		again, err := NewTree(nodes, "/", tree.Inner)
		if err != nil || !slices.Equal(again.Parents, tree.Parents) {
			t.Fatalf("made again: %v", err)
		}
	})
}

// reference computes the score of every label by its definition, from the names of nodes.
func reference(labels, nodes []string, tree *Tree, rule PathRule, margins []float64) map[string]float64 {
	margin := func(node string, ends bool) float64 {
		k, _ := slices.BinarySearch(nodes, node)
		if ends {
			i, _ := slices.BinarySearch(tree.Inner, int32(k))
			k = len(nodes) + i
		}
		return margins[k] / rule.Scale
	}
	logWeight := func(m float64) float64 {
		return math.Log(1 / (1 + math.Exp(-m)))
	}
	// alternatives are the weights of what there is below a node: children, and under "" that a path ends there.
	alternatives := func(parent string) map[string]float64 {
		all := map[string]float64{}
		for _, node := range nodes {
			above, _ := parentOf(node, "/")
			if above == parent {
				all[node] = logWeight(margin(node, false))
			}
		}
		if len(all) > 0 && slices.Contains(labels, parent) {
			all[""] = logWeight(margin(parent, true))
		}
		return all
	}
	scores := map[string]float64{}
	for _, label := range labels {
		parts, parent, last := strings.Split(label, "/"), "", 0.0
		scores[label] = 0
		step := func(to string) {
			all := alternatives(parent)
			if len(all) < 2 {
				return
			}
			var sum float64
			for _, w := range all {
				sum += math.Exp(w)
			}
			scores[label] += all[to] - math.Log(sum)
			last = all[to]
		}
		for n := range parts {
			node := strings.Join(parts[:n+1], "/")
			step(node)
			parent = node
		}
		if len(alternatives(label)) > 0 {
			step("")
		}
		scores[label] += last
	}
	return scores
}

// anyRule draws a rule.
func anyRule(t *rapid.T) PathRule {
	rule := PathRule{Scale: rapid.SampledFrom([]float64{0.3, 1, 2}).Draw(t, "scale")}
	rule.Temperature = rapid.SampledFrom([]float64{0, 0.5, 3}).Draw(t, "temperature")
	return rule
}

// TestDecoder: scores, probabilities and predictions are those of the definition; probabilities of children and of
// ending at a node add up to that of the node.
func TestDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := anyLabels(t)
		nodes, tree, err := TreeOf(labels, "/", 1000)
		must.OK(t, err)
		rule := anyRule(t)
		margins := rapid.SliceOfN(rapid.Float64Range(-8, 8), tree.Outputs(), tree.Outputs()).Draw(t, "margins")
		want := reference(labels, nodes, tree, rule, margins)
		d := NewDecoder(tree, rule)
		got := d.EndScores(margins)
		best := 0
		for i, label := range labels {
			if math.Abs(got[i]-want[label]) > 1e-9 {
				t.Fatalf("the score of %q is %v, want %v", label, got[i], want[label])
			}
			if got[i] > got[best] {
				best = i
			}
		}
		probabilities := make([]float64, len(nodes))
		d.Probabilities(probabilities, margins)
		temperature := rule.Temperature
		if temperature == 0 {
			temperature = 1
		}
		var sum float64
		for _, s := range want {
			sum += math.Exp(s / temperature)
		}
		for k, node := range nodes {
			var all float64
			for label, s := range want {
				if label == node || strings.HasPrefix(label, node+"/") {
					all += math.Exp(s/temperature) / sum
				}
			}
			if math.Abs(probabilities[k]-all) > 1e-9 {
				t.Fatalf("the probability of %q is %v, want %v", node, probabilities[k], all)
			}
			if p := tree.Parents[k]; p != Root && probabilities[p] < probabilities[k] {
				t.Fatalf("%q is more probable than %q", node, nodes[p])
			}
		}
		exact := tree.Exact(make([]float64, len(nodes)), probabilities)
		for k, node := range nodes {
			p := 0.0
			if tree.Ends(k) {
				p = math.Exp(want[node]/temperature) / sum
			}
			if math.Abs(exact[k]-p) > 1e-9 {
				t.Fatalf("a path ends at %q with %v", node, exact[k])
			}
		}
		worse := func(label string) bool { return label != labels[best] && !(want[labels[best]]-want[label] < 1e-9) } // by more than rounding
		if got := nodes[d.Predict()]; worse(got) {
			t.Fatalf("predicted is %q, want %q", got, labels[best])
		}
		order := tree.Rank(probabilities, d.Predict())
		if worse(nodes[order[0]]) || len(order) != len(nodes) {
			t.Fatalf("the order is %v", order)
		}
		for i := 2; i < len(order); i++ {
			a, b := order[i-1], order[i]
			if tree.Ends(b) && !tree.Ends(a) || tree.Ends(a) == tree.Ends(b) && exact[a] < exact[b] {
				t.Fatalf("%q is before %q", nodes[a], nodes[b])
			}
		}
	})
}

// TestTreesRefused: labels that are no paths, and trees that are none.
func TestTreesRefused(t *testing.T) {
	for label, want := range map[string]string{
		"a//b": "empty part", "/a": "empty part", "a/": "empty part", "": "empty part",
		strings.Repeat("a/", mostParts) + "a": "more than 1024 parts",
	} {
		if _, err := PathNodes([]string{"x", label}, "/", 1<<16); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", label, err, want)
		}
	}
	if _, err := PathNodes([]string{"a/b", "c"}, "/", 2); err == nil || !strings.Contains(err.Error(), "more than 2 nodes") {
		t.Errorf("too many nodes: %v", err)
	}
	for _, test := range []struct {
		nodes     []string
		separator string
		inner     []int32
		want      string
	}{
		{[]string{"a"}, "", nil, "separator"},
		{[]string{"b", "a"}, "/", nil, "must be sorted"},
		{[]string{"a", "a"}, "/", nil, "must be sorted"},
		{[]string{"a/b"}, "/", nil, "no parent"},
		{[]string{"a", "a/b"}, "/", []int32{1}, "node 1"},
		{[]string{"a", "a/b"}, "/", []int32{0, 0}, "node 0"},
		{[]string{"a", "a/b"}, "/", []int32{-1}, "node -1"},
		{[]string{"a", "a/b"}, "/", []int32{2}, "node 2"},
		{[]string{"a", "a/"}, "/", nil, "empty part"},
	} {
		if _, err := NewTree(test.nodes, test.separator, test.inner); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.nodes, err, test.want)
		}
	}
}

// TestDeep: a path of 1000 parts, and a chain without any choice.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("x/", 999) + "x"
	nodes, tree, err := TreeOf([]string{deep, "y", "x/z"}, "/", 1<<16)
	must.OK(t, err)
	margins := make([]float64, tree.Outputs())
	random := rand.New(rand.NewPCG(1, 2))
	for i := range margins {
		margins[i] = random.NormFloat64()
	}
	d, p := NewDecoder(tree, PathRule{Scale: 1}), make([]float64, len(nodes))
	d.Probabilities(p, margins)
	k, _ := slices.BinarySearch(nodes, deep)
	second, _ := slices.BinarySearch(nodes, "x/x")
	if p[k] != p[second] || tree.OutputOf(k) != second {
		t.Errorf("the end of a chain has %v, its beginning %v; output %d", p[k], p[second], tree.OutputOf(k))
	}
	only, _, err := TreeOf([]string{"a/b/c"}, "/", 10)
	if err != nil || len(only) != 3 {
		t.Fatalf("%q, %v", only, err)
	}
	one, err := NewTree(only, "/", nil)
	must.OK(t, err)
	p = make([]float64, 3)
	d = NewDecoder(one, PathRule{Scale: 1, Beam: 1})
	if d.Probabilities(p, make([]float64, 3)); p[0] != 1 || p[2] != 1 || d.Predict() != 2 || one.OutputOf(2) != -1 {
		t.Errorf("a single path has %v", p)
	}
}

// TestShared counts the parts from the beginning.
func TestShared(t *testing.T) {
	for _, test := range []struct {
		a, b           string
		shared, na, nb int
	}{{"a/b/c", "a/b", 2, 3, 2}, {"a", "b", 0, 1, 1}, {"a/b", "c/b", 0, 2, 2}, {"x y/z", "x y/z", 2, 2, 2}, {"ab/c", "a/c", 0, 2, 2}} {
		if shared, na, nb := SharedParts(test.a, test.b, "/"); shared != test.shared || na != test.na || nb != test.nb {
			t.Errorf("%q and %q share %d of %d and %d", test.a, test.b, shared, na, nb)
		}
	}
}

// TestFarMargins: where the sigmoids of all alternatives round to 0, they have shares all the same. That of an end counts twice.
func TestFarMargins(t *testing.T) {
	nodes, tree, err := TreeOf([]string{"a", "b", "c"}, "/", 10)
	must.OK(t, err)
	p := make([]float64, len(nodes))
	NewDecoder(tree, PathRule{Scale: 1}).Probabilities(p, []float64{-900, -901, -1000})
	for k, want := range []float64{1 / (1 + math.Exp(-2)), 1 / (1 + math.Exp(2)), 0} {
		if !(math.Abs(p[k]-want) < 1e-9) {
			t.Errorf("probabilities are %v; of %s, want %v", p, nodes[k], want)
		}
	}
}
