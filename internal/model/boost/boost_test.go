package boost

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// labelled is a problem whose rows have one class each.
type labelled struct {
	Problem
	Class []int32
}

// target makes targets of classes: one for each, or for two classes one for the second.
func (p *labelled) target(classes int) {
	p.Targets, p.Rivals = nil, classes > 2
	for k := range classes {
		if classes == 2 && k == 0 {
			continue
		}
		target := Target{Inside: make([]bool, len(p.Class)), Positive: 1, Negative: 1}
		for i, class := range p.Class {
			target.Inside[i] = int(class) == k
		}
		p.Targets = append(p.Targets, target)
	}
}

// lay lays out a matrix of finite values as the problem's columns.
func (p *labelled) lay(x *sparse.CSR, o Options) {
	if p.Weights == nil {
		p.Weights = slices.Repeat([]float64{1}, x.Rows)
	}
	if err := p.Lay(x, nil, nil, o); err != nil {
		panic(err)
	}
}

// hold holds some rows out.
func (p *labelled) hold(from, to int) {
	p.Held = make([]bool, len(p.Class))
	for i := from; i < to; i++ {
		p.Held[i] = true
	}
}

// sampled is a random problem: rows of a sparse matrix, whose entries are 1 or, with values, numbers on both sides of
// 0, and classes that depend on the first columns. No two rows have the same weight, so that splits hardly ever tie.
func sampled(seed uint64, rows, width, classes int, valued bool) (*sparse.CSR, *labelled) {
	random := xmath.SplitMix(seed)
	x := &sparse.CSR{Rows: rows, Cols: width, Indptr: []int64{0}}
	p := &labelled{}
	for range rows {
		score := 0.0
		for j := range width {
			if random.IntN(j+3) >= 2 { // the first columns are the most frequent
				continue
			}
			v := 1.0
			if valued {
				v = float64(random.IntN(9)-4) / 4
			}
			score += v * float64(j%classes)
			x.Indices = append(x.Indices, uint32(j))
			if valued {
				x.Values = append(x.Values, float32(v))
			}
		}
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
		class := int32(math.Abs(score)) % int32(classes)
		if random.IntN(5) == 0 {
			class = int32(random.IntN(classes))
		}
		p.Class = append(p.Class, class)
		p.Weights = append(p.Weights, 0.5+float64(random.IntN(1000))/1000)
	}
	p.target(classes)
	p.lay(x, Options{})
	return x, p
}

// dense is a matrix with its zeros.
func dense(x *sparse.CSR) [][]float32 {
	rows := make([][]float32, x.Rows)
	for i := range rows {
		rows[i] = make([]float32, x.Cols)
		ids, values := x.Row(i)
		for k, j := range ids {
			if rows[i][j] = 1; values != nil {
				rows[i][j] = values[k]
			}
		}
	}
	return rows
}

func options(rounds, depth int) Options {
	o := DefaultOptions()
	o.Rounds, o.Depth, o.ColSample = rounds, depth, 1
	return o
}

func train(t *testing.T, p *labelled, o Options) *Result {
	t.Helper()
	r, err := Train(t.Context(), &p.Problem, o, nil)
	must.OK(t, err)
	return r
}

// bruteGain is what a split of a set of rows gains, with plain sums; 0 if a side has too little weight.
func bruteGain(x [][]float32, rows []int, g, h []float64, o *Options, column int, threshold float32) float64 {
	var gl, hl, gr, hr float64
	for _, i := range rows {
		if x[i][column] < threshold {
			gl, hl = gl+g[i], hl+h[i]
		} else {
			gr, hr = gr+g[i], hr+h[i]
		}
	}
	if hl < o.MinChildWeight || hr < o.MinChildWeight || hl == 0 || hr == 0 {
		return 0
	}
	score := func(g, h float64) float64 { return g * g / (h + o.Lambda) }
	return score(gl, hl) + score(gr, hr) - score(gl+gr, hl+hr)
}

// bruteBest is the largest gain of all columns and all thresholds between values of the rows.
func bruteBest(x [][]float32, rows []int, g, h []float64, o *Options) (best float64) {
	for j := range x[0] {
		var values []float32
		for _, i := range rows {
			values = append(values, x[i][j])
		}
		slices.Sort(values)
		for k := 1; k < len(values); k++ {
			if values[k] > values[k-1] {
				best = max(best, bruteGain(x, rows, g, h, o, j, values[k]))
			}
		}
	}
	return best
}

// TestSplits: every split of a first tree is the one that brute force finds, and every leaf has the value of the
// paper's equation 5.
func TestSplits(t *testing.T) {
	for _, valued := range []bool{false, true} {
		for seed := range uint64(20) {
			x, p := sampled(seed, 200, 12, 2, valued)
			o := options(1, 4)
			o.MinChildWeight, o.Lambda = float64(seed%3), float64(seed%2)+0.1
			r := train(t, p, o)
			base := r.Base[0]
			g, h := make([]float64, x.Rows), make([]float64, x.Rows)
			prior := 1 / (1 + math.Exp(-base))
			var rows []int
			for i := range g {
				g[i], h[i] = p.Weights[i]*(prior-float64(p.Class[i])), p.Weights[i]*prior*(1-prior)
				rows = append(rows, i)
			}
			full, tree := dense(x), &r.Forest.Trees[0]
			var check func(node uint32, depth int, rows []int)
			check = func(node uint32, depth int, rows []int) {
				n := &tree.Nodes[node]
				var sumG, sumH float64
				for _, i := range rows {
					sumG, sumH = sumG+g[i], sumH+h[i]
				}
				if math.Abs(float64(n.Cover)-sumH) > 1e-5*sumH {
					t.Errorf("seed %d: node %d has cover %v, want %v", seed, node, n.Cover, sumH)
				}
				best := bruteBest(full, rows, g, h, &o)
				if n.Leaf() {
					if depth < o.Depth && best > 1e-4 {
						t.Errorf("seed %d: node %d is a leaf, and a split gains %v", seed, node, best)
					}
					if want := -o.Rate * sumG / (sumH + o.Lambda); math.Abs(want-float64(n.Number)) > 1e-6 {
						t.Errorf("seed %d: leaf %d has %v, want %v", seed, node, n.Number, want)
					}
					return
				}
				near := func(gain float64) bool { return math.Abs(gain-best) < 1e-5*(1+best) }
				if gain := bruteGain(full, rows, g, h, &o, int(n.Column), n.Number); !near(gain) || !near(float64(n.Gain)) {
					t.Errorf("seed %d: node %d splits on %d < %v, which gains %v, not %v, and the best split %v", seed, node, n.Column, n.Number, gain, n.Gain, best)
				}
				var left, right []int
				for _, i := range rows {
					if full[i][n.Column] < n.Number {
						left = append(left, i)
					} else {
						right = append(right, i)
					}
				}
				check(n.Left, depth+1, left)
				check(n.Left+1, depth+1, right)
			}
			check(0, 0, rows)
		}
	}
}

// TestRoundedToZero: a row counts whose second derivative is so small that it is rounded to 0, but not its first one.
func TestRoundedToZero(t *testing.T) {
	for seed := range uint64(20) {
		x, p := sampled(seed, 300, 1, 2, true)
		o := options(1, 1)
		g, random := newGrower(p.columns, &o), xmath.SplitMix(seed)
		full, rows := dense(x), make([]int, x.Rows)
		for i := range rows {
			rows[i] = i
			if g.g[i], g.h[i] = float64(random.IntN(100)-40)/100, 0.25; full[i][0] == 0.5 || full[i][0] == -0.25 {
				g.h[i] = 1e-13
			}
		}
		tree := g.tree(&random, make([]float64, x.Rows))
		best := bruteBest(full, rows, g.g, g.h, &o)
		if n := tree.Nodes[0]; n.Leaf() || math.Abs(float64(n.Gain)-best) > 1e-5*(1+best) {
			t.Errorf("seed %d: %+v, and the best split gains %v", seed, n, best)
		}
	}
}

// TestThreads: trees don't depend on the number of threads, nor on parts of columns, also with samples.
func TestThreads(t *testing.T) {
	for _, classes := range []int{2, 4} {
		for _, valued := range []bool{false, true} {
			x, p := sampled(1, 15000, 150, classes, valued)
			o := options(4, 5)
			o.ColSample = 0.5
			var first []byte
			for _, threads := range []int{1, 2, 5} {
				p.Threads = threads
				p.lay(x, o)
				if n := len(p.columns.parts); classes == 2 && n < min(threads, 3) {
					t.Fatalf("%d parts are too few to test with", n)
				}
				r := train(t, p, o)
				data := r.Forest.AppendBinary(nil, nil)
				if first == nil {
					first = data
				}
				if !slices.Equal(data, first) {
					t.Errorf("%d classes: %d threads make another forest", classes, threads)
				}
			}
		}
	}
}

// TestObjective: the loss falls in every round.
func TestObjective(t *testing.T) {
	for _, classes := range []int{2, 5} {
		for _, valued := range []bool{false, true} {
			_, p := sampled(3, 400, 30, classes, valued)
			o := options(60, 3)
			o.Rate = 0.1
			before := math.Inf(1)
			for n, round := range train(t, p, o).Rounds {
				if round.Loss >= before {
					t.Errorf("%d classes: the loss of round %d is %v, after %v", classes, n, round.Loss, before)
				}
				before = round.Loss
			}
		}
	}
}

// margins are those of a row, tree by tree.
func margins(r *Result, row []float32) []float64 {
	sums := slices.Clone(r.Base)
	for k := range r.Forest.Trees {
		tree := &r.Forest.Trees[k]
		sums[k%r.Forest.Outputs] += float64(tree.Value(row))
	}
	return sums
}

// TestLoss: the losses that are told are those of what trees say of rows, held ones, too.
func TestLoss(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, valued := range []bool{false, true} {
			x, p := sampled(4, 500, 25, classes, valued)
			p.hold(400, 500)
			o := options(15, 4)
			o.ColSample, o.Patience = 0.8, 100
			rounds, best := []Round{}, 0
			p.Seed = 7
			r, err := Train(t.Context(), &p.Problem, o, func(so *Result, _ bool) error {
				rounds = append(rounds, so.Rounds[len(so.Rounds)-1])
				return nil
			})
			must.OK(t, err)
			for k, round := range rounds {
				if round.Held < rounds[best].Held {
					best = k
				}
			}
			if r.Best() != best+1 || len(r.Forest.Trees) != 15*r.Forest.Outputs || !slices.Equal(rounds, r.Rounds) {
				t.Errorf("%d classes: the best round is %d of %d trees, want %d", classes, r.Best(), len(r.Forest.Trees), best+1)
			}
			if r.Cut(r.Best()); len(r.Forest.Trees) != r.Best()*r.Forest.Outputs {
				t.Errorf("%d trees are left", len(r.Forest.Trees))
			}
			full := dense(x)
			loss := func(from, to int) (sum, accuracy float64) {
				all := 0.0
				for i := from; i < to; i++ {
					m := margins(r, full[i])
					if len(m) == 1 {
						m = []float64{0, m[0]}
					}
					total := 0.0
					for _, v := range m {
						total += math.Exp(v)
					}
					sum -= p.Weights[i] * math.Log(math.Exp(m[p.Class[i]])/total)
					if m[p.Class[i]] == slices.Max(m) {
						accuracy += p.Weights[i]
					}
					all += p.Weights[i]
				}
				return sum / all, accuracy / all
			}
			got := rounds[best]
			trained, _ := loss(0, 400)
			held, accuracy := loss(400, 500)
			if math.Abs(got.Loss-trained) > 1e-9 || math.Abs(got.Held-held) > 1e-9 || math.Abs(got.Accuracy-accuracy) > 1e-9 {
				t.Errorf("%d classes: told %+v, want %v, %v and %v", classes, got, trained, held, accuracy)
			}
		}
	}
}

// TestPatience: training ends a while after the loss of held rows was lowest.
func TestPatience(t *testing.T) {
	_, p := sampled(5, 300, 20, 2, false)
	p.hold(200, 300)
	o := options(500, 6)
	o.Patience = 5
	if r := train(t, p, o); len(r.Rounds) != r.Best()+5 || r.Best() > 200 {
		t.Errorf("best of %d rounds is %d, want it 5 before", len(r.Rounds), r.Best())
	}
}

// TestWeights: a row of weight 2 counts as two rows, and one of weight 0 does not.
func TestWeights(t *testing.T) {
	x, p := sampled(6, 200, 15, 2, true)
	double := &sparse.CSR{Cols: x.Cols, Indptr: []int64{0}}
	q := &labelled{}
	for i := range x.Rows {
		p.Weights[i] = float64(i % 3)
		for range i % 3 {
			ids, values := x.Row(i)
			double.Indices, double.Values = append(double.Indices, ids...), append(double.Values, values...)
			double.Indptr = append(double.Indptr, int64(len(double.Indices)))
			double.Rows++
			q.Class = append(q.Class, p.Class[i])
		}
	}
	q.target(2)
	q.lay(double, Options{})
	a, b := train(t, p, options(1, 3)), train(t, q, options(1, 3))
	for i, row := range dense(x) {
		if m, n := margins(a, row)[0], margins(b, row)[0]; math.Abs(m-n) > 1e-6 {
			t.Errorf("row %d has margin %v, and %v where rows are repeated", i, m, n)
		}
	}
}

// TestScales: entries are multiplied by the scales of their row and column before they are compared.
func TestScales(t *testing.T) {
	x, p := sampled(8, 150, 10, 2, true)
	rowScale, colScale := make([]float64, x.Rows), make([]float32, x.Cols)
	for i := range rowScale {
		rowScale[i] = 1 + float64(i%7)
	}
	for j := range colScale {
		colScale[j] = 1 / float32(j+1)
	}
	scaled := *x
	scaled.Values = slices.Clone(x.Values)
	for i := range x.Rows {
		for k := x.Indptr[i]; k < x.Indptr[i+1]; k++ {
			scaled.Values[k] = float32(float64(x.Values[k]) * float64(colScale[x.Indices[k]]) * rowScale[i])
		}
	}
	p.lay(&scaled, Options{})
	want := train(t, p, options(5, 4)).Forest
	must.OK(t, p.Lay(x, rowScale, colScale, Options{}))
	if got := train(t, p, options(5, 4)).Forest; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Error("scales make other trees than values that are multiplied by them")
	}
}

// TestBins: where there are more values than bins, thresholds part values into as many groups, and trees still learn.
func TestBins(t *testing.T) {
	random := xmath.SplitMix(9)
	x := &sparse.CSR{Cols: 1, Indptr: []int64{0}}
	p := &labelled{}
	for i := range 1000 {
		v := float32(random.IntN(100000)-30000) / 1000
		x.Indices, x.Values, x.Indptr = append(x.Indices, 0), append(x.Values, v), append(x.Indptr, int64(i+1))
		x.Rows++
		class := int32(0)
		if v > 20 || v < -10 {
			class = 1
		}
		p.Class = append(p.Class, class)
	}
	p.target(2)
	p.lay(x, Options{})
	c := p.columns
	if n := len(c.most); n > 2*mostBins || n < mostBins {
		t.Errorf("%d bins of %d on either side", n, mostBins)
	}
	for k := 1; k < len(c.most); k++ {
		if c.least[k] <= c.most[k-1] {
			t.Errorf("bin %d begins at %v, and the one before ends at %v", k, c.least[k], c.most[k-1])
		}
	}
	r := train(t, p, options(20, 3))
	if last := r.Rounds[len(r.Rounds)-1].Loss; last > 0.1 {
		t.Errorf("the loss is %v", last)
	}
	// Rows that are held may have values between those of a node, in a bin that a threshold would cut.
	p.hold(300, 900)
	r = train(t, p, options(20, 3))
	var want float64
	for i := 300; i < 900; i++ {
		m := margins(r, x.Values[i:i+1])[0]
		want += math.Log1p(math.Exp(m - 2*m*float64(p.Class[i])))
	}
	if got := r.Rounds[19].Held; math.Abs(got-want/600) > 1e-9 {
		t.Errorf("the loss of held rows is said to be %v, and is %v", got, want/600)
	}
}

// TestCancel: training ends with its context.
func TestCancel(t *testing.T) {
	_, p := sampled(1, 100, 10, 2, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(ctx, &p.Problem, options(3, 3), nil); err == nil {
		t.Error("a cancelled training ends well")
	}
}

// TestNothingToSplit: without anything to learn from, trees are leaves.
func TestNothingToSplit(t *testing.T) {
	x := &sparse.CSR{Rows: 4, Cols: 2, Indptr: []int64{0, 0, 0, 0, 0}}
	p := &labelled{Class: []int32{0, 1, 1, 1}}
	p.target(2)
	p.lay(x, Options{})
	r := train(t, p, options(10, 3))
	if len(r.Rounds) != 10 || slices.ContainsFunc(r.Forest.Trees, func(tree Tree) bool { return len(tree.Nodes) != 1 }) || math.Abs(r.Base[0]-math.Log(3)) > 1e-9 {
		t.Errorf("%d rounds, base %v", len(r.Rounds), r.Base)
	}
}

// TestLabels: outputs that are no rivals are trained as they are alone, with factors of their own.
func TestLabels(t *testing.T) {
	_, p := sampled(12, 300, 20, 4, true)
	p.Rivals = false
	for k := range p.Targets {
		p.Targets[k].Positive = float64(k + 1)
	}
	r := train(t, p, options(4, 4))
	for k, target := range p.Targets {
		alone := *p
		alone.Targets = []Target{target}
		one := train(t, &alone, options(4, 4))
		if one.Base[0] != r.Base[k] {
			t.Errorf("output %d has base %v, and alone %v", k, r.Base[k], one.Base[0])
		}
		for n, tree := range one.Forest.Trees {
			if fmt.Sprint(tree.Nodes) != fmt.Sprint(r.Forest.Trees[n*len(p.Targets)+k].Nodes) {
				t.Errorf("output %d has another tree %d than alone", k, n)
			}
		}
		// A factor is the same as weights.
		weighted := *p
		weighted.Targets, weighted.Weights = []Target{{target.Inside, 1, 1}}, slices.Clone(p.Weights)
		for i, inside := range target.Inside {
			if inside {
				weighted.Weights[i] *= float64(k + 1)
			}
		}
		if two := train(t, &weighted, options(4, 4)); fmt.Sprint(two.Forest) != fmt.Sprint(one.Forest) {
			t.Errorf("output %d: weights make another forest than a factor", k)
		}
	}
}

// TestInfinite: values that are not finite are refused.
func TestInfinite(t *testing.T) {
	x := &sparse.CSR{Rows: 1, Cols: 1, Indptr: []int64{0, 1}, Indices: []uint32{0}, Values: []float32{1e30}}
	if err := (&Problem{Weights: []float64{1}}).Lay(x, nil, []float32{1e30}, Options{}); err == nil {
		t.Error("an infinite value is taken")
	}
}

// TestLeastRows: columns of so few rows that they can't be split on may be left out.
func TestLeastRows(t *testing.T) {
	for _, classes := range []int{2, 4} {
		for _, valued := range []bool{false, true} {
			x, p := sampled(14, 400, 200, classes, valued)
			o := options(5, 4)
			o.ColSample, o.MinChildWeight = 0.5, 5
			want := train(t, p, o).Forest
			before := len(p.columns.most)
			p.lay(x, o)
			if after := len(p.columns.most); after >= before || p.leastRows(&o) < 5 {
				t.Errorf("%d bins of %d are left, of %v rows", after, before, p.leastRows(&o))
			}
			if got := train(t, p, o).Forest; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d classes: trees are others without columns of few rows", classes)
			}
		}
	}
}
