package learn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// drawn is a problem of random rows. Classes are those of random weights, so that data are separable.
func drawn(t *rapid.T) (p *OnlineProblem, dense [][]float64) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	rows, cols := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(2, 30).Draw(t, "cols")
	p = &OnlineProblem{
		X: &sparse.CSR{Rows: rows, Cols: cols, Indptr: []int64{0}}, Bias: float64(rapid.IntRange(0, 2).Draw(t, "bias")),
		Outputs: rapid.SampledFrom([]int{1, 3, 8, 11}).Draw(t, "outputs"), Seed: rng.Uint64(),
	}
	valued := rapid.Bool().Draw(t, "valued")
	if rapid.Bool().Draw(t, "column scales") {
		for range cols {
			p.ColScale = append(p.ColScale, float32(1+rng.Float64()))
		}
	}
	scaled := rapid.Bool().Draw(t, "row scales")
	truth := make([][]float64, max(p.Outputs, 2))
	for k := range truth {
		for range cols + 1 {
			truth[k] = append(truth[k], rng.NormFloat64())
		}
	}
	for i := range rows {
		row, scale := make([]float64, cols+1), 1.0
		if scaled {
			scale = 0.5 + rng.Float64()
			p.RowScale = append(p.RowScale, scale)
		}
		for j := range cols {
			if rng.IntN(3) > 0 {
				continue
			}
			v := float32(1)
			if valued {
				v = float32(rng.NormFloat64())
				p.X.Values = append(p.X.Values, v)
			}
			p.X.Indices = append(p.X.Indices, uint32(j))
			if p.ColScale != nil {
				v *= p.ColScale[j] // in 32 bits, as documents are scored
			}
			row[j] = float64(v) * scale
		}
		row[cols] = p.Bias
		p.X.Indptr = append(p.X.Indptr, int64(len(p.X.Indices)))
		best := 0
		for k := range truth {
			if dot(truth[k], row) > dot(truth[best], row) {
				best = k
			}
		}
		p.Class, p.Rows, dense = append(p.Class, int32(best)), append(p.Rows, int32(i)), append(dense, row)
	}
	return p, dense
}

func dot(a, b []float64) (sum float64) {
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

// plain is the definition: joint features of dense rows, and the mean of the weights after each document. It returns
// the mean, what the last weights are, and whether rounding may decide: a lead is so close to 0, or two rivals to each
// other.
func plain(p *OnlineProblem, dense [][]float64, epochs int) (mean, w [][]float64, mistakes int, close bool) {
	n := len(dense[0])
	for range p.Outputs {
		mean, w = append(mean, make([]float64, n)), append(w, make([]float64, n))
	}
	random, rows, steps := xmath.SplitMix(p.Seed), slices.Clone(p.Rows), 0.0
	for range epochs {
		xmath.Shuffle(&random, rows)
		for _, i := range rows {
			x, class := dense[i], int(p.Class[i])
			size := 0.0 // of the terms that leads are sums of
			for k := range w {
				for j := range x {
					size += math.Abs(w[k][j] * x[j])
				}
			}
			tied := func(difference float64) bool { return size > 0 && math.Abs(difference) < 1e-12*size }
			to := map[int]float64{class: 1} // directions in which outputs move
			var lead float64
			if p.Outputs == 1 {
				to = map[int]float64{0: float64(2*class - 1)}
				lead = to[0] * dot(w[0], x)
			} else {
				rival := -1
				for k := range w {
					if k != class && (rival < 0 || dot(w[k], x) > dot(w[rival], x)) {
						rival = k
					}
				}
				for k := range w { // those that are exactly equal, too: sums in another order need not be
					close = close || k != class && k != rival && !slices.Equal(w[k], w[rival]) && tied(dot(w[k], x)-dot(w[rival], x))
				}
				to[rival] = -1
				lead = dot(w[class], x) - dot(w[rival], x)
			}
			close = close || tied(lead)
			cost := 1.0
			if p.Costs != nil {
				cost = p.Costs[i]
			}
			step := cost
			if lead <= 0 {
				mistakes++
			} else if !p.Aggressive {
				step = 0
			}
			if p.Aggressive {
				step = 0
				if square := dot(x, x) * float64(len(to)); square > 0 {
					step = min(cost, max(0, 1-lead)/square)
				}
			}
			for k, sign := range to {
				for j := range x {
					w[k][j] += step * sign * x[j]
				}
			}
			steps++
			for k := range w {
				for j := range w[k] {
					mean[k][j] += w[k][j]
				}
			}
		}
	}
	for k := range mean {
		for j := range mean[k] {
			mean[k][j] /= steps
		}
	}
	return mean, w, mistakes, close
}

// TestOracle compares with dense weights that are added up after every document.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, dense := drawn(t)
		p.Aggressive = rapid.Bool().Draw(t, "aggressive")
		if rapid.Bool().Draw(t, "costs") {
			for range dense {
				p.Costs = append(p.Costs, rapid.Float64Range(0.01, 2).Draw(t, "cost"))
			}
		}
		epochs := rapid.IntRange(1, 4).Draw(t, "epochs")
		want, _, wantMistakes, close := plain(p, dense, epochs)
		if close {
			t.Skip("a lead is 0 but for rounding")
		}
		l, mistakes := NewOnline(p), 0
		for range epochs {
			n, changes, err := l.Epoch(t.Context())
			must.OK(t, err)
			if !p.Aggressive && changes != n {
				t.Fatalf("%d mistakes have changed weights %d times", n, changes)
			}
			mistakes += n
		}
		if mistakes != wantMistakes {
			t.Fatalf("%d mistakes, want %d", mistakes, wantMistakes)
		}
		got := make([]float32, p.X.Cols)
		for k := range p.Outputs {
			bias := l.Average(k, got)
			if b := want[k][p.X.Cols] * p.Bias; math.Abs(bias-b) > 1e-9*max(1, math.Abs(b)) {
				t.Fatalf("output %d: bias %v, want %v", k, bias, b)
			}
			for j, w := range got {
				if math.Abs(float64(w)-want[k][j]) > 1e-6*max(1, math.Abs(want[k][j])) {
					t.Fatalf("output %d, column %d: weight %v, want %v", k, j, w, want[k][j])
				}
			}
		}
	})
}

// TestMistakeBound: on data that are separable with a margin γ by weights of length 1, a perceptron makes at most R²/γ²
// mistakes, in however many epochs, where R is the length of the longest (joint) features (Novikoff 1962; Collins
// 2002).
func TestMistakeBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, dense := drawn(t)
		rng := rand.New(rand.NewPCG(p.Seed, 2))
		truth := make([][]float64, p.Outputs) // of unit length together
		var square float64
		for k := range truth {
			for range dense[0] {
				truth[k] = append(truth[k], rng.NormFloat64())
			}
			square += dot(truth[k], truth[k])
		}
		gamma, radius := math.Inf(1), 0.0
		p.Rows = p.Rows[:0]
		for i, x := range dense {
			lead, longest := math.Inf(1), dot(x, x)
			if p.Outputs == 1 {
				m := dot(truth[0], x)
				if p.Class[i] = 0; m > 0 {
					p.Class[i] = 1
				}
				lead = math.Abs(m)
			} else {
				best := 0
				for k := range truth {
					if dot(truth[k], x) > dot(truth[best], x) {
						best = k
					}
				}
				for k := range truth {
					if k != best {
						lead = min(lead, dot(truth[best], x)-dot(truth[k], x))
					}
				}
				p.Class[i] = int32(best)
				longest *= 2
			}
			if lead = lead / math.Sqrt(square); lead < 0.1 {
				continue // no margin to speak of
			}
			p.Rows = append(p.Rows, int32(i))
			gamma, radius = min(gamma, lead), max(radius, longest)
		}
		l, mistakes := NewOnline(p), 0
		for epoch := 0; ; epoch++ {
			n, _, err := l.Epoch(t.Context())
			must.OK(t, err)
			if mistakes += n; n == 0 {
				break
			}
			if bound := radius / (gamma * gamma); float64(mistakes) > bound*(1+1e-9) {
				t.Fatalf("%d mistakes in %d epochs, the bound is %v", mistakes, epoch+1, bound)
			}
		}
	})
}

// TestAggressive: where the cost allows it, a document has a margin of 1 after its step, and the step is the smallest
// that gives it.
func TestAggressive(t *testing.T) {
	p := &OnlineProblem{
		X:       &sparse.CSR{Rows: 1, Cols: 2, Indptr: []int64{0, 2}, Indices: []uint32{0, 1}, Values: []float32{3, 4}},
		Outputs: 1, Class: []int32{0}, Rows: []int32{0}, Costs: []float64{1}, Aggressive: true,
	}
	weights := make([]float32, 2)
	l := NewOnline(p)
	if _, _, err := l.Epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Average(0, weights)
	if want := []float32{-3. / 25, -4. / 25}; !slices.Equal(weights, want) {
		t.Errorf("weights %v, want %v", weights, want)
	}
	p.Costs[0] = 0.01
	l = NewOnline(p)
	if _, _, err := l.Epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Average(0, weights)
	if want := []float32{-0.03, -0.04}; !slices.Equal(weights, want) {
		t.Errorf("weights %v with a bound, want %v", weights, want)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := &OnlineProblem{X: &sparse.CSR{Rows: 1, Cols: 1, Indptr: []int64{0, 0}}, Outputs: 1, Class: []int32{0}, Rows: []int32{0}}
	if _, _, err := NewOnline(p).Epoch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it is cancelled", err)
	}
	if bias := NewOnline(p).Average(0, []float32{1}); bias != 0 {
		t.Errorf("bias %v before the first document", bias)
	}
}
