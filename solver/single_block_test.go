package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBlock has a block solved in the middle of a solution: the dual grows, the slots
// follow alpha, and its rows are where they belong.
func TestBlock(t *testing.T) {
	for _, loss := range []Loss{Hinge, SquaredHinge, EpsilonInsensitive, SquaredEpsilonInsensitive} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 1))
			p := randomProblem(rng, 200, 100, 10, seed%2 == 1, true)
			p.UnitRows = seed%3 == 0
			o := DefaultOptions()
			o.Loss, o.MaxEpochs = loss, 2
			s := newSingle(Matrix{X: p.X}, 1, nil)
			if _, err := s.Solve(context.Background(), p, o); err != nil {
				t.Fatal(err)
			}
			_, before := s.certified(true)
			s.solveBlock(s.order)
			if len(s.block.rows) != blockLeast {
				t.Fatalf("a block of %d rows, want %d", len(s.block.rows), blockLeast)
			}
			primal, dual := s.certified(false)
			exact, exactDual := s.certified(true)
			if math.Abs(primal-exact) > 1e-6*exact || math.Abs(dual-exactDual) > 1e-6*exact {
				t.Errorf("%v: the slots have P %v and D %v, alpha has %v and %v", loss, primal, dual, exact, exactDual)
			}
			if exactDual < before {
				t.Errorf("%v: the dual fell from %v to %v", loss, before, exactDual)
			}
			for _, i := range s.block.rows {
				r := &s.rows[i]
				diagonal, bound := loss.box(r.cost)
				margin := s.own(i, s.head(int(i)).dot64(s.exactU)) + s.p.offset(int(i))
				q := r.norm + diagonal
				best := s.loss.least(r.alpha, r.alpha*diagonal+s.loss.epsilon+margin, q, bound)
				if r.alpha != loss.nearest(r.alpha, r.cost) || math.Abs(best-r.alpha)*q > 10*blockPrecise {
					t.Errorf("%v: row %d has alpha %v of up to %v, best is %v", loss, i, r.alpha, bound, best)
				}
				if r.moved != 0 {
					t.Errorf("row %d has moved %v since", i, r.moved)
				}
			}
		}
	}
}

// TestNearCopies: rows that are nearly the same take no more epochs than others. Without
// blocks these take 448.
func TestNearCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	p := randomProblem(rng, 400, 2000, 40, false, false)
	p.ColScale, p.Mass = make([]float32, p.X.Cols), nil
	for j := range p.ColScale {
		p.ColScale[j] = float32(0.02 + rng.Float64())
	}
	for i := range 4 { // a copy, but for a column
		idx, _ := p.X.Row(i)
		p.X.AppendRow(idx[:len(idx)-1], nil)
		p.Positive = append(p.Positive, p.Positive[i])
	}
	p.Costs = Costs{10, 10}
	o := DefaultOptions()
	o.Loss = Hinge
	if s := solve(t, p, o).Stats; !s.Converged || s.Epochs > 150 {
		t.Errorf("%v after %d epochs", s.Converged, s.Epochs)
	} else {
		t.Logf("%d epochs", s.Epochs)
	}
}
