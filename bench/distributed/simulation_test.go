package distributed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/solver"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// madeUp is a problem of rows of words of two classes, columns by falling frequency.
func madeUp(seed uint64, rows, vocabulary int, valued bool) *Problem {
	random := rand.New(rand.NewPCG(seed, 1))
	words := make([][]int, rows)
	count := make([]int, vocabulary)
	positive := make([]bool, rows)
	for i := range words {
		positive[i] = random.IntN(2) == 0
		seen := map[int]bool{}
		for range 5 + random.IntN(20) {
			w := int(float64(vocabulary) * math.Pow(random.Float64(), 3))
			if positive[i] && random.IntN(3) == 0 {
				w = w / 2 * 2
			}
			if !seen[w] {
				seen[w] = true
				words[i] = append(words[i], w)
				count[w]++
			}
		}
	}
	order := make([]int, vocabulary)
	for w := range order {
		order[w] = w
	}
	slices.SortStableFunc(order, func(a, b int) int { return count[b] - count[a] })
	number := make([]uint32, vocabulary)
	for j, w := range order {
		number[w] = uint32(j)
	}
	x := &sparse.CSR{Cols: vocabulary, Indptr: []int64{0}, Rows: rows}
	for _, row := range words {
		ids := make([]uint32, 0, len(row))
		for _, w := range row {
			ids = append(ids, number[w])
		}
		slices.Sort(ids)
		x.Indices = append(x.Indices, ids...)
		for range ids {
			if valued {
				x.Values = append(x.Values, float32(1+random.IntN(3)))
			}
		}
		x.Indptr = append(x.Indptr, int64(len(x.Indices)))
	}
	scale := make([]float32, vocabulary)
	for j := range scale {
		scale[j] = float32(random.NormFloat64())
	}
	return &Problem{X: x, ColScale: scale, UnitRows: true, Positive: positive, Cost: 0.2, Bias: 1}
}

func (o Options) with(change func(*Options)) Options {
	change(&o)
	return o
}

var options = Options{
	Workers: 4, Method: Adding, Factor: 1, LocalEpochs: 1, Seed: 1, Tol: 1e-3, MaxRounds: 2000, Exact: true,
}

// optimum is P and D of the solver of one machine.
func optimum(t *testing.T, p *Problem) solver.Stats {
	t.Helper()
	one, err := solver.Open(solver.Matrix{X: p.X})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	o := solver.DefaultOptions()
	o.Loss, o.Bias, o.Tol = p.Loss, p.Bias, 1e-5
	stats, err := one.Solve(t.Context(), []solver.Problem{{
		ColScale: p.ColScale, UnitRows: p.UnitRows, Positive: p.Positive,
		Costs: solver.Costs{Positive: p.Cost, Negative: p.Cost},
	}}, o)
	if err != nil || !stats[0].Converged {
		t.Fatalf("%+v, %v", stats, err)
	}
	return stats[0]
}

// run runs rounds to the gap or to the last one.
func run(t *testing.T, p *Problem, o Options) (*Simulation, []Round) {
	t.Helper()
	s, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var rounds []Round
	for range o.MaxRounds {
		r, err := s.Round(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if rounds = append(rounds, r); r.Gap <= o.Tol {
			break
		}
	}
	return s, rounds
}

// TestSimulation: whatever is safe reaches the gap, of the optimum of one machine, which no dual is above and no primal
// below; the dual rises in every round; rounds of few updates and of many do.
func TestSimulation(t *testing.T) {
	for _, loss := range []solver.Loss{solver.Hinge, solver.SquaredHinge, solver.Logistic} {
		for _, valued := range []bool{false, true} {
			p := madeUp(3, 400, 900, valued)
			p.Loss, p.UnitRows = loss, !valued
			best := optimum(t, p)
			for _, o := range []Options{
				options.with(func(o *Options) { o.Workers = 1 }),
				options,
				options.with(func(o *Options) { o.LocalEpochs, o.MaxRounds = 0.1, 8000 }),
				options.with(func(o *Options) { o.LocalEpochs, o.Workers, o.Contiguous = 3, 7, true }),
				options.with(func(o *Options) { o.Method = Averaging }),
				options.with(func(o *Options) { o.Method, o.Workers = ByColumn, 16 }),
				options.with(func(o *Options) { o.Method, o.Factor, o.Workers = ByColumn, 0.7, 8 }),
			} {
				t.Run(fmt.Sprintf("%v/%s of %d, %v epochs, valued %t", loss, o.Method, o.Workers, o.LocalEpochs, valued), func(t *testing.T) {
					_, rounds := run(t, p, o)
					before := math.Inf(-1)
					const slack = 1e-5 // of the dual, as w is in single precision
					for _, r := range rounds {
						if r.Dual > best.Primal || r.Primal < best.Dual || r.Gap < 0 {
							t.Fatalf("round %d: P %v, D %v, and the optimum is between %v and %v", r.Number, r.Primal, r.Dual, best.Dual, best.Primal)
						}
						if o.Factor == 1 && r.Dual < before-slack*math.Abs(best.Dual) {
							t.Fatalf("round %d: D fell from %v to %v", r.Number, before, r.Dual)
						}
						before = r.Dual
					}
					last := rounds[len(rounds)-1]
					if last.Gap > o.Tol {
						t.Fatalf("the gap is %v after %d rounds", last.Gap, last.Number)
					}
					if off := (last.Primal - best.Primal) / best.Primal; off > o.Tol {
						t.Errorf("P is %v, %v above the optimum", last.Primal, off)
					}
				})
			}
		}
	}
}

// TestDiverges: what is not safe is told, and ended.
func TestDiverges(t *testing.T) {
	p := madeUp(13, 600, 60, false)
	p.Loss, p.Cost = solver.SquaredHinge, 10
	s, err := New(p, options.with(func(o *Options) { o.Workers, o.Factor = 64, 1.0/64 }))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		r, err := s.Round(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Diverged {
			return
		}
	}
	t.Error("64 workers that add up steps of full length do not diverge")
}

// TestGaps: the gap that a pass over the rows gives is that of double precision.
func TestGaps(t *testing.T) {
	p := madeUp(5, 300, 500, false)
	for _, method := range []Method{Adding, Averaging, ByColumn} {
		exact := options.with(func(o *Options) { o.Method = method })
		_, want := run(t, p, exact)
		_, got := run(t, p, exact.with(func(o *Options) { o.Exact = false }))
		if len(want) != len(got) {
			t.Fatalf("%s: %d rounds, want %d", method, len(got), len(want))
		}
		for i := range want {
			if math.Abs(got[i].Gap-want[i].Gap) > 1e-5 || math.Abs(got[i].Primal/want[i].Primal-1) > 1e-5 {
				t.Errorf("%s, round %d: %+v, want %+v", method, i+1, got[i], want[i])
			}
		}
	}
}

// TestSame: a simulation is the same each time, but for the time.
func TestSame(t *testing.T) {
	p := madeUp(7, 300, 500, true)
	a, first := run(t, p, options)
	b, second := run(t, p, options)
	if !slices.Equal(a.u, b.u) || len(first) != len(second) || first[0].Messages != second[0].Messages {
		t.Error("two runs differ")
	}
	if slices.Equal(a.u, func() []float32 {
		c, _ := run(t, p, options.with(func(o *Options) { o.Seed = 2 }))
		return c.u
	}()) {
		t.Error("the seed changes nothing")
	}
}

// TestMessages counts what is exchanged the plain way.
func TestMessages(t *testing.T) {
	p := madeUp(9, 200, 400, false)
	for _, epochs := range []float64{0.02, 1} {
		o := options.with(func(o *Options) { o.LocalEpochs = epochs })
		s, err := New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		has := make([]map[uint32]bool, o.Workers)
		workers := map[uint32]int{}
		for k := range s.workers {
			has[k] = map[uint32]bool{}
			for _, i := range s.workers[k].rows {
				for _, j := range s.head(int(i)) {
					if !has[k][j] {
						workers[j]++
					}
					has[k][j] = true
				}
			}
		}
		several := int64(1) // the bias
		for _, n := range workers {
			if n > 1 {
				several++
			}
		}
		r, err := s.Round(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		changed := map[uint32]bool{}
		var sent int64
		for k := range s.workers {
			mine := map[uint32]bool{}
			for _, i := range s.workers[k].rows {
				if s.rows[i].alpha == 0 {
					continue
				}
				for _, j := range s.head(int(i)) {
					mine[j] = true
				}
			}
			some := int64(0)
			for j := range mine {
				if changed[j] = true; workers[j] > 1 {
					some++
				}
			}
			sent = max(sent, some)
		}
		m := r.Messages
		if m.Dense != 4*several || m.Sent > 8*sent || m.Sent < 8*sent*9/10 || m.Received < m.Sent || m.Workers != 4 {
			t.Errorf("%v epochs: %+v, want %d of all columns, and at most %d sent", epochs, m, 4*several, 8*sent)
		}
	}
}

// TestNetwork: the faster way counts, and one worker sends nothing.
func TestNetwork(t *testing.T) {
	var n Network
	if err := n.UnmarshalText([]byte("8@1ms")); err != nil || n.String() != "8@1ms" {
		t.Fatalf("%v, %v", n, err)
	}
	for _, test := range []struct {
		m    Messages
		want float64
	}{
		{Messages{Workers: 1, Dense: 1e9, Sent: 1e9}, 0},
		{Messages{Workers: 4, Dense: 2e6, Sent: 1e9}, 4e-3 + 3e-3},
		{Messages{Workers: 4, Dense: 2e9, Sent: 1e6, Received: 3e6}, 2e-3 + 4e-3},
	} {
		if got := n.Seconds(test.m); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%+v takes %v s, want %v", test.m, got, test.want)
		}
	}
	for _, wrong := range []string{"", "10", "10@", "@1ms", "0@1ms", "-1@1ms", "x@1ms", "1@-1ms", "NaN@1ms"} {
		if err := n.UnmarshalText([]byte(wrong)); err == nil {
			t.Errorf("%q is a network", wrong)
		}
	}
}

// TestAverage: one worker finds the optimum; of several, P is above it, and the decisions are of all rows.
func TestAverage(t *testing.T) {
	p := madeUp(11, 400, 300, true)
	p.Loss = solver.SquaredHinge
	best := optimum(t, p)
	for _, workers := range []int{1, 4} {
		o := options.with(func(o *Options) { o.Workers, o.Tol = workers, 1e-5 })
		a, err := Average(t.Context(), p, o, float64(workers))
		if err != nil {
			t.Fatal(err)
		}
		off := a.Primal/best.Primal - 1
		if off < -1e-5 || workers == 1 && off > 1e-5 || workers > 1 && off < 1e-4 || len(a.Decisions) != 400 {
			t.Errorf("%d workers: P is %v, the optimum %v", workers, a.Primal, best.Primal)
		}
	}
}

// TestRefused: what can't be simulated is refused.
func TestRefused(t *testing.T) {
	p := madeUp(1, 20, 30, false)
	for name, change := range map[string]func(*Options){
		"no workers": func(o *Options) { o.Workers = 0 }, "many workers": func(o *Options) { o.Workers = 65 },
		"more than rows": func(o *Options) { o.Workers = 21 }, "method": func(o *Options) { o.Method = "guessing" },
		"factor": func(o *Options) { o.Factor = 0 }, "no work": func(o *Options) { o.LocalEpochs = 0 },
		"tol": func(o *Options) { o.Tol = 0 }, "no rounds": func(o *Options) { o.MaxRounds = 0 },
	} {
		if _, err := New(p, options.with(change)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
