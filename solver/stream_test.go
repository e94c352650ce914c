package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// cut is a matrix in memory as a source of blocks.
type cut struct {
	x    *sparse.CSR
	rows int // of a block
	fail int // block that can't be fetched, from 1
}

func (c *cut) Rows() int   { return c.x.Rows }
func (c *cut) Cols() int   { return c.x.Cols }
func (c *cut) Blocks() int { return par.Count(c.x.Rows, c.rows) }

func (c *cut) Ahead(int) {}

func (c *cut) Range(block int) (first, end int) {
	return block * c.rows, min((block+1)*c.rows, c.x.Rows)
}

func (c *cut) Append(_ context.Context, block int, x *sparse.CSR) error {
	if c.fail == block+1 {
		return errors.New("no such block")
	}
	first, end := c.Range(block)
	for i := first; i < end; i++ {
		idx, val := c.x.Row(i)
		x.AppendRow(idx, val)
	}
	return nil
}

// streamed is a solver that has the problems' matrix as a stream.
func streamed(t testing.TB, problems []trial, so at, rows int) *Solver {
	t.Helper()
	s, err := Open(Matrix{Source: &cut{x: problems[0].X, rows: rows}, Resident: so.resident, Inner: so.inner})
	must.OK(t, err)
	t.Cleanup(s.Close)
	return s
}

// streamedSolution solves problems on one matrix as a stream.
func streamedSolution(t testing.TB, problems []trial, so at, o Options, rows int) (*Solver, []Stats) {
	t.Helper()
	s := streamed(t, problems, so, rows)
	stats, err := s.Solve(context.Background(), problemsOf(problems), o)
	must.OK(t, err)
	return s, stats
}

// at is Resident and Inner of a Matrix.
type at struct{ resident, inner int }

// TestStream: the gap that a stream certifies is that of its weights, by the plain
// objective, and its optimum is that of a solver in memory.
func TestStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, loss := range losses {
		for _, valued := range []bool{false, true} {
			for _, unit := range []bool{false, true} {
				for _, so := range []at{{1, 1}, {200, 3}, {1 << 30, 1}} {
					name := fmt.Sprintf("%v, valued %t, unit rows %t, %+v", loss, valued, unit, so)
					p := randomProblem(rng, 150, 30, 6, valued, true)
					p.UnitRows = unit
					p.Mass[3] = 0
					o := DefaultOptions()
					o.Loss, o.Tol, o.MaxEpochs = loss, 1e-4, 3000
					s, stats := streamedSolution(t, []trial{p}, so, o, 17)
					if !stats[0].Converged || stats[0].Gap > o.Tol {
						t.Errorf("%s: %+v", name, stats[0])
						continue
					}
					weights, intercept := s.Weights(0, nil)
					primal := p.primal(loss, p.dense(o.Bias), dense(weights, intercept, o.Bias))
					if math.Abs(primal-stats[0].Primal) > 1e-5*primal {
						t.Errorf("%s: P is %v, certified %v", name, primal, stats[0].Primal)
					}
					o.Tol = 1e-6
					want := solve(t, p, o).Stats
					if stats[0].Primal > want.Primal*(1+2e-4) || stats[0].Dual > want.Primal*(1+1e-5) {
						t.Errorf("%s: P %v and D %v, the optimum is %v", name, stats[0].Primal, stats[0].Dual, want.Primal)
					}
				}
			}
		}
	}
}

// TestStreamGroup: of problems side by side, each gap that is certified is that of the weights, and the optimum is
// that of a solver in memory, whether rows that move are all kept or not.
func TestStreamGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	for _, loss := range losses {
		for _, valued := range []bool{false, true} {
			for _, unit := range []bool{valued} { // TestStream has the others
				for _, so := range []at{{1, 1}, {400, 2}, {1 << 30, 2}} {
					first := randomProblem(rng, 150, 30, 6, valued, true)
					first.UnitRows, first.Mass[3] = unit, 0
					problems := []trial{first}
					for len(problems) < 11 {
						p := first
						p.Positive = make([]bool, len(p.Positive))
						for i := range p.Positive {
							p.Positive[i] = rng.IntN(len(problems)+1) == 0
						}
						problems = append(problems, p)
					}
					o := DefaultOptions()
					o.Loss, o.Tol, o.MaxEpochs = loss, 1e-4, 3000
					s, stats := streamedSolution(t, problems, so, o, 17)
					for k, p := range problems {
						name := fmt.Sprintf("%v, valued %t, unit rows %t, %+v, problem %d", loss, valued, unit, so, k)
						if !stats[k].Converged || stats[k].Gap > o.Tol {
							t.Errorf("%s: %+v", name, stats[k])
							continue
						}
						weights, intercept := s.Weights(k, nil)
						primal := p.primal(loss, p.dense(o.Bias), dense(weights, intercept, o.Bias))
						if math.Abs(primal-stats[k].Primal) > 1e-5*primal {
							t.Errorf("%s: P is %v, certified %v", name, primal, stats[k].Primal)
						}
						exact := o
						exact.Tol = 1e-6
						want := solve(t, p, exact).Stats
						if stats[k].Primal > want.Primal*(1+2e-4) || stats[k].Dual > want.Primal*(1+1e-5) {
							t.Errorf("%s: P %v and D %v, the optimum is %v", name, stats[k].Primal, stats[k].Dual, want.Primal)
						}
					}
				}
			}
		}
	}
}

// several problems on one matrix.
func severalProblems(rng *rand.Rand, n int) []trial {
	problems := []trial{randomProblem(rng, 400, 60, 8, false, true)}
	for len(problems) < n {
		p := problems[0]
		p.Positive = make([]bool, len(p.Positive))
		for i := range p.Positive {
			p.Positive[i] = rng.IntN(3) == 0
		}
		problems = append(problems, p)
	}
	return problems
}

// TestStreamThreads: problems are solved to the same bits on any number of threads.
func TestStreamThreads(t *testing.T) {
	for _, n := range []int{3, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { streamThreads(t, n) })
	}
}

func streamThreads(t *testing.T, n int) {
	problems := severalProblems(rand.New(rand.NewPCG(5, 5)), n)
	so := at{500, 2}
	for _, loss := range losses {
		o := DefaultOptions()
		o.Loss = loss
		all, stats := streamedSolution(t, problems, so, o, 30)
		o.Threads = 3
		again, statsAgain := streamedSolution(t, problems, so, o, 30)
		for k := range problems {
			if stats[k] != statsAgain[k] {
				t.Errorf("%v, problem %d: %+v on one thread, %+v on three", loss, k, stats[k], statsAgain[k])
			}
			sameWeights(t, all, again, k, k)
		}
	}
}

func sameWeights(t *testing.T, a, b *Solver, i, k int) {
	t.Helper()
	wa, ia := a.Weights(i, nil)
	wb, ib := b.Weights(k, nil)
	if ia != ib {
		t.Errorf("intercepts %v and %v", ia, ib)
	}
	for j := range wa {
		if wa[j] != wb[j] {
			t.Fatalf("weight %d is %v and %v", j, wa[j], wb[j])
		}
	}
}

// countdown is a context that is cancelled when it has been looked at so many times.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestStreamStops wherever it is, also among rows that it keeps: no epoch is reported that an undisturbed solution
// does not report, and the same solver then gives the same weights.
func TestStreamStops(t *testing.T) {
	problems := severalProblems(rand.New(rand.NewPCG(6, 6)), 10)
	so := at{300, 1}
	reports := func(to *[]string) func(Epoch) {
		return func(e Epoch) { *to = append(*to, fmt.Sprint(e)) }
	}
	var undisturbed []string
	o := DefaultOptions()
	o.Tol, o.MaxEpochs, o.Threads, o.Progress = 1e-5, 8, 1, reports(&undisturbed)
	want, stats := streamedSolution(t, problems, so, o, 25)
	stopped := 0
	for looks := range int64(200) {
		var until []string
		o.Progress = reports(&until)
		ctx := &countdown{Context: t.Context()}
		ctx.left.Store(looks)
		s := streamed(t, problems, so, 25)
		_, err := s.Solve(ctx, problemsOf(problems), o)
		switch {
		case errors.Is(err, context.Canceled):
			stopped++
		case err != nil:
			t.Fatal(err)
		case len(until) != len(undisturbed):
			t.Fatalf("stopped at look %d, without an error: %d epochs, want %d", looks, len(until), len(undisturbed))
		}
		if !slices.Equal(until, undisturbed[:len(until)]) {
			t.Fatalf("stopped at look %d: epochs %v, want %v", looks, until, undisturbed)
		}
		if err != nil {
			if again, err := s.Solve(t.Context(), problemsOf(problems), o); err != nil || !slices.Equal(again, stats) {
				t.Fatalf("stopped at look %d, then solved: %+v, want %+v (%v)", looks, again, stats, err)
			}
		}
		for k := range problems {
			sameWeights(t, want, s, k, k)
		}
	}
	if stopped == 0 {
		t.Error("no solution was stopped")
	}
}

// TestStreamRefuses what it can't do, and passes on what its source can't.
func TestStreamRefuses(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(7, 7)), 50, 10, 3, false, false)
	x, problems := p.X, []Problem{p.Problem}
	if _, err := Open(Matrix{Source: &cut{x: x, rows: 10}, Resident: 0, Inner: 1}); err == nil {
		t.Error("no entries at a time")
	}
	for block := range 5 {
		s, err := Open(Matrix{Source: &cut{x: x, rows: 10, fail: block + 1}, Resident: 1, Inner: 1})
		must.OK(t, err)
		if _, err := s.Solve(context.Background(), problems, DefaultOptions()); err == nil {
			t.Errorf("block %d was fetched", block)
		}
	}
	s, err := Open(Matrix{Source: &cut{x: x, rows: 10}, Resident: 1, Inner: 1})
	must.OK(t, err)
	o := DefaultOptions()
	o.Tol = 1e-6
	if _, err := s.Solve(context.Background(), problems, o); err == nil {
		t.Error("a tolerance below 1e-5 was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Solve(ctx, problems, DefaultOptions()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
