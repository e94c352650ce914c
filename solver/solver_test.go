package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/sparse"
)

var losses = []Loss{Hinge, SquaredHinge, Logistic, EpsilonInsensitive, SquaredEpsilonInsensitive}

// randomProblem has labels that a noisy hyperplane gives.
func randomProblem(rng *rand.Rand, rows, cols, perRow int, valued, scaled bool) trial {
	x := &sparse.CSR{Cols: cols, Indptr: []int64{0}}
	truth := make([]float64, cols)
	for j := range truth {
		truth[j] = rng.NormFloat64()
	}
	p := trial{Problem{Positive: make([]bool, rows), Mass: make([]float64, rows), Costs: Costs{1, 1}}, x}
	for i := range rows {
		var idx []uint32
		var val []float32
		score := rng.NormFloat64()
		for j := range cols {
			if rng.IntN(cols) < perRow {
				v := float32(1)
				if valued {
					v = float32(rng.NormFloat64())
				}
				idx, val = append(idx, uint32(j)), append(val, v)
				score += truth[j] * float64(v)
			}
		}
		if !valued {
			val = nil
		}
		x.AppendRow(idx, val)
		x.Cols = cols
		p.Positive[i] = score > 0
		p.Mass[i] = 0.5 + rng.Float64()
	}
	if scaled {
		p.ColScale = make([]float32, cols)
		for j := range p.ColScale {
			p.ColScale[j] = float32(rng.NormFloat64())
		}
		p.RowScale = make([]float64, rows)
		for i := range p.RowScale {
			p.RowScale[i] = 0.5 + rng.Float64()
		}
	}
	return p
}

// dense is the problem's matrix, bias included as the last column.
func (p trial) dense(bias float64) [][]float64 {
	rows := make([][]float64, p.X.Rows)
	for i := range rows {
		rows[i] = make([]float64, p.X.Cols+1)
		idx, val := p.X.Row(i)
		var square float64
		for k, j := range idx {
			v := 1.0
			if val != nil {
				v = float64(val[k])
			}
			if p.ColScale != nil {
				v *= float64(p.ColScale[j])
			}
			if p.RowScale != nil {
				v *= p.RowScale[i]
			}
			rows[i][j] = v
			square += v * v
		}
		if p.UnitRows && square > 0 {
			for j := range rows[i] {
				rows[i][j] /= math.Sqrt(square)
			}
		}
		rows[i][p.X.Cols] = bias
	}
	return rows
}

func (p trial) sign(i int) float64 {
	if p.positive(i) {
		return 1
	}
	return -1
}

// primal is P(w) written out.
func (p trial) primal(loss Loss, x [][]float64, w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v / 2
	}
	for i, row := range x {
		z := 0.0
		for j, v := range row {
			z += v * w[j]
		}
		z = z*p.sign(i) + p.offset(i)
		switch loss {
		case Hinge:
			sum += p.Cost(i) * math.Max(0, 1-z)
		case SquaredHinge:
			sum += p.Cost(i) * math.Pow(math.Max(0, 1-z), 2)
		case EpsilonInsensitive:
			sum += p.Cost(i) * math.Max(0, math.Abs(z)-epsilon)
		case SquaredEpsilonInsensitive:
			sum += p.Cost(i) * math.Pow(math.Max(0, math.Abs(z)-epsilon), 2)
		default:
			sum += p.Cost(i) * math.Log1p(math.Exp(-z))
		}
	}
	return sum
}

// optimum minimizes the dual by plain coordinate descent with bisection on the
// one-variable gradient: slow and simple, in double precision.
func (p trial) optimum(loss Loss, x [][]float64) float64 {
	w := make([]float64, len(x[0]))
	alpha := make([]float64, len(x))
	for sweeps, moves := 0, true; moves && sweeps < 600; sweeps++ {
		moves = false
		for i, row := range x {
			margin, square := p.offset(i), 0.0
			for j, v := range row {
				margin, square = margin+v*w[j]*p.sign(i), square+v*v
			}
			gradient := func(a float64) float64 {
				f := margin + (a-alpha[i])*square
				switch loss {
				case Hinge:
					return f - 1
				case SquaredHinge:
					return f - 1 + a/(2*p.Cost(i))
				case EpsilonInsensitive:
					return f + math.Copysign(epsilon, a)
				case SquaredEpsilonInsensitive:
					return f + math.Copysign(epsilon, a) + a/(2*p.Cost(i))
				default:
					return f + math.Log(a/(p.Cost(i)-a))
				}
			}
			low, high := 0.0, p.Cost(i)
			if loss.isSquared() {
				high = 1e6
			}
			if loss.IsRegression() {
				low = -high
			}
			for range 60 {
				if mid := (low + high) / 2; gradient(mid) > 0 {
					high = mid
				} else {
					low = mid
				}
			}
			a := (low + high) / 2
			moves = moves || math.Abs(a-alpha[i]) > 1e-11*(1+a)
			for j, v := range row {
				w[j] += (a - alpha[i]) * p.sign(i) * v
			}
			alpha[i] = a
		}
	}
	return p.primal(loss, x, w)
}

func solve(t testing.TB, p trial, o Options) *result {
	t.Helper()
	r, err := newSingle(Matrix{X: p.X}, 1, nil).Solve(context.Background(), p, o)
	must.OK(t, err)
	return r
}

// withIntercept is the result's weights in the columns of trial.dense.
// dense are weights and that of the bias feature.
func dense(weights []float32, intercept, bias float64) []float64 {
	var w []float64
	for _, x := range weights {
		w = append(w, float64(x))
	}
	if bias == 0 {
		return append(w, 0)
	}
	return append(w, intercept/bias)
}

// TestCertificatesAgree: one pass over float32 slots gives the objectives that double
// precision has, after any number of steps that rounded them.
func TestCertificatesAgree(t *testing.T) {
	for _, loss := range losses {
		for _, epochs := range []int{1, 3, refresh - 1} {
			for _, valued := range []bool{false, true} {
				rng := rand.New(rand.NewPCG(5, uint64(epochs)))
				p := randomProblem(rng, 500, 200, 20, valued, true)
				p.UnitRows = valued
				o := DefaultOptions()
				o.Loss, o.Tol, o.MaxEpochs = loss, leastGroupTol, epochs
				s := newSingle(Matrix{X: p.X}, 1, nil)
				if _, err := s.Solve(context.Background(), p, o); err != nil {
					t.Fatal(err)
				}
				primal, dual := s.certified(false)
				exactPrimal, exactDual := s.certified(true)
				if math.Abs(primal-exactPrimal) > 1e-6*exactPrimal || math.Abs(dual-exactDual) > 1e-6*exactPrimal {
					t.Errorf("%v, %d epochs, valued %v: P %.9g and D %.9g, in double precision %.9g and %.9g", loss, epochs, valued, primal, dual, exactPrimal, exactDual)
				}
			}
		}
	}
}

// TestWeightIsRepetition: a document of cost 3·C is three documents of cost C.
func TestWeightIsRepetition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loss := rapid.SampledFrom(losses).Draw(t, "loss")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p := randomProblem(rng, 30, 8, 3, false, false)
		q := trial{Problem{Costs: Costs{1, 1}}, &sparse.CSR{Cols: 8, Indptr: []int64{0}}}
		for i := range p.X.Rows {
			idx, _ := p.X.Row(i)
			times := 1 + rng.IntN(3)
			for range times {
				q.X.AppendRow(idx, nil)
				q.X.Cols = 8
				q.Positive, q.Mass = append(q.Positive, p.Positive[i]), append(q.Mass, p.Mass[i])
			}
			p.Mass[i] *= float64(times)
		}
		o := DefaultOptions()
		o.Loss, o.Tol, o.MaxEpochs = loss, 1e-4, 20000
		weighted, err := newSingle(Matrix{X: p.X}, 1, nil).Solve(context.Background(), p, o)
		must.OK(t, err)
		repeated, err := newSingle(Matrix{X: q.X}, 1, nil).Solve(context.Background(), q, o)
		must.OK(t, err)
		// Both primals are within Tol above one optimum.
		a, b := weighted.Stats, repeated.Stats
		if math.Abs(a.Primal-b.Primal) > 1.01e-4*max(a.Primal, b.Primal) {
			t.Fatalf("primal %g weighted, %g repeated", a.Primal, b.Primal)
		}
	})
}

// TestSwappedClasses: the mirror image of a problem has the mirror image of its
// solution, bit for bit.
func TestSwappedClasses(t *testing.T) {
	for _, loss := range losses {
		p := randomProblem(rand.New(rand.NewPCG(5, 6)), 200, 50, 6, true, true)
		o := DefaultOptions()
		o.Loss = loss
		a := solve(t, p, o)
		for i := range p.Positive {
			p.Positive[i] = !p.Positive[i]
		}
		b := solve(t, p, o)
		for j := range a.Weights {
			if a.Weights[j] != -b.Weights[j] {
				t.Fatalf("%v: weight %d is %g, mirrored %g", loss, j, a.Weights[j], b.Weights[j])
			}
		}
		// Blocks of a regression add in another order.
		if diff := math.Abs(a.Intercept + b.Intercept); diff > 0 && (diff > 1e-12 || !loss.IsRegression()) {
			t.Errorf("%v: intercept %g, mirrored %g", loss, a.Intercept, b.Intercept)
		}
	}
}

// TestReuse: what a solver did before leaves no trace.
func TestReuse(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(7, 8)), 100, 30, 5, false, true)
	s := newSingle(Matrix{X: p.X}, 1, nil)
	for _, first := range losses {
		for _, loss := range losses {
			o := DefaultOptions()
			o.Loss = first
			if _, err := s.Solve(context.Background(), p, o); err != nil {
				t.Fatal(err)
			}
			o.Loss = loss
			again, err := s.Solve(context.Background(), p, o)
			must.OK(t, err)
			fresh := solve(t, p, o)
			if again.Stats != fresh.Stats {
				t.Errorf("%v after %v: %+v, fresh %+v", loss, first, again.Stats, fresh.Stats)
			}
		}
	}
}

func TestEdges(t *testing.T) {
	for _, loss := range losses {
		t.Run(loss.String(), func(t *testing.T) {
			o := DefaultOptions()
			o.Loss, o.Bias, o.Tol = loss, 0, 1e-6
			x := &sparse.CSR{Cols: 2, Indptr: []int64{0}}
			x.AppendRow([]uint32{0}, nil)
			x.AppendRow(nil, nil) // an empty document
			x.AppendRow([]uint32{0, 1}, nil)
			x.AppendRow([]uint32{1}, nil)
			p := trial{Problem{Positive: []bool{true, false, false, true}, Mass: []float64{1, 1, 1, 0}, Costs: Costs{1, 1}}, x}
			r := solve(t, p, o)
			if !r.Stats.Converged {
				t.Errorf("%+v", r.Stats)
			}
			p.Mass = []float64{0, 0, 0, 0}
			r = solve(t, p, o)
			if !r.Stats.Converged || r.Weights[0] != 0 || r.Weights[1] != 0 {
				t.Errorf("all costs 0: %+v, weights %v", r.Stats, r.Weights)
			}
			p.Mass, p.Positive = []float64{1, 1, 1, 1}, []bool{true, true, true, true}
			o.Bias = 1
			if r = solve(t, p, o); !r.Stats.Converged {
				t.Errorf("one class: %+v", r.Stats)
			}
			o.Tol, o.MaxEpochs = 0, 3
			p.Positive[0] = false
			if r = solve(t, p, o); r.Stats.Converged || r.Stats.Epochs != 3 || r.Stats.Gap <= 0 {
				t.Errorf("three epochs: %+v", r.Stats)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	good := randomProblem(rand.New(rand.NewPCG(1, 1)), 10, 5, 2, false, false)
	s := newSingle(Matrix{X: good.X}, 1, nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Solve(ctx, good, DefaultOptions()); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	for name, change := range map[string]func(*trial, *Options){
		"labels":          func(p *trial, _ *Options) { p.Positive = p.Positive[1:] },
		"masses":          func(p *trial, _ *Options) { p.Mass = p.Mass[1:] },
		"negative cost":   func(p *trial, _ *Options) { p.Mass = append([]float64{-1}, p.Mass[1:]...) },
		"NaN cost":        func(p *trial, _ *Options) { p.Mass = append([]float64{math.NaN()}, p.Mass[1:]...) },
		"row scales":      func(p *trial, _ *Options) { p.RowScale = []float64{1} },
		"column scales":   func(p *trial, _ *Options) { p.ColScale = []float32{1} },
		"NaN tol":         func(_ *trial, o *Options) { o.Tol = math.NaN() },
		"negative tol":    func(_ *trial, o *Options) { o.Tol = -1 },
		"no epochs":       func(_ *trial, o *Options) { o.MaxEpochs = 0 },
		"infinite bias":   func(_ *trial, o *Options) { o.Bias = math.Inf(1) },
		"unheard-of loss": func(_ *trial, o *Options) { o.Loss = 9 },
	} {
		p, o := good, DefaultOptions()
		change(&p, &o)
		if _, err := s.Solve(context.Background(), p, o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestNames(t *testing.T) {
	for _, loss := range losses {
		var back Loss
		if err := back.UnmarshalText([]byte(loss.String())); err != nil || back != loss {
			t.Errorf("%v: %v, %v", loss, err, back)
		}
	}
	var l Loss
	if l.UnmarshalText([]byte("huber")) == nil {
		t.Error("huber accepted")
	}
}

func TestProgress(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(1, 1)), 100, 20, 5, false, false)
	o := DefaultOptions()
	var epochs []Epoch
	o.Progress = func(e Epoch) { epochs = append(epochs, e) }
	r := solve(t, p, o)
	if len(epochs) != r.Stats.Epochs || epochs[len(epochs)-1].Gap != r.Stats.Gap {
		t.Errorf("%d calls for %d epochs, last %+v", len(epochs), r.Stats.Epochs, epochs[len(epochs)-1])
	}
}

// TestRowIsALine holds the state of a row to one line of the cache, which is what
// prefetch asks for.
func TestRowIsALine(t *testing.T) {
	if size := unsafe.Sizeof(row{}); size != 64 {
		t.Errorf("a row takes %d bytes, want 64", size)
	}
	if size, first := unsafe.Sizeof(groupRow{}), unsafe.Offsetof(groupRow{}.alpha); size != 192 || first != 64 {
		t.Errorf("a row of a group takes %d bytes, %d of them before alpha; want 192 and 64", size, first)
	}
}
