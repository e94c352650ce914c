package distributed

import (
	"fmt"
	"testing"

	"github.com/seed-167f963f/nbsvm/solver"
)

// TestNewton: any number of workers reaches the gap in the same rounds, and with the optimum of one machine, which no
// dual is above and no primal below; the primal falls from step to step.
func TestNewton(t *testing.T) {
	for _, loss := range []solver.Loss{solver.SquaredHinge, solver.Logistic} {
		for _, valued := range []bool{false, true} {
			p := madeUp(3, 400, 900, valued)
			p.Loss, p.UnitRows = loss, !valued
			best := optimum(t, p)
			slack := 400 * 0x1p-52 * best.Primal * 2 // what sums over 400 rows are rounded by
			rounds := 0
			for _, workers := range []int{1, 4, 16} {
				name := fmt.Sprintf("%v, %d workers, valued %t", loss, workers, valued)
				n, err := NewNewton(p, options.with(func(o *Options) { o.Workers = workers }))
				if err != nil {
					t.Fatal(err)
				}
				var r Round
				for before := n.primal; ; before = r.Primal {
					if r, err = n.Round(t.Context()); err != nil {
						t.Fatal(err)
					}
					if r.Dual > best.Primal || r.Primal < best.Dual || r.Primal > before+slack {
						t.Fatalf("%s, round %d: P %v after %v, D %v, and the optimum is between %v and %v", name, r.Number,
							r.Primal, before, r.Dual, best.Dual, best.Primal)
					}
					if r.Gap <= options.Tol {
						break
					}
					if r.Number == 200 {
						t.Fatalf("%s: the gap is %v after %d rounds", name, r.Gap, r.Number)
					}
				}
				if off := r.Primal/best.Primal - 1; off > options.Tol {
					t.Errorf("%s: P is %v, %v above the optimum", name, r.Primal, off)
				}
				if rounds == 0 {
					rounds = r.Number
				}
				if r.Number != rounds {
					t.Errorf("%s: %d rounds, alone %d", name, r.Number, rounds)
				}
				decisions, losses := n.Decisions(), 0.0
				for i, d := range decisions {
					if !p.Positive[i] {
						d = -d
					}
					losses += p.Loss.Value(d, p.Cost)
				}
				if losses >= r.Primal || losses < r.Primal/1e3 {
					t.Errorf("%s: losses of %v by the decisions, and P is %v", name, losses, r.Primal)
				}
			}
		}
	}
}

// TestNewtonRefused: a loss with a corner is.
func TestNewtonRefused(t *testing.T) {
	p := madeUp(1, 20, 30, false)
	p.Loss = solver.Hinge
	if _, err := NewNewton(p, options); err == nil {
		t.Error("no error about hinge loss")
	}
	p.Loss = solver.Logistic
	if _, err := NewNewton(p, options.with(func(o *Options) { o.Workers = 0 })); err == nil {
		t.Error("no error about no workers")
	}
}

// TestNewtonMessages: gradients and diagonals are sent together, products alone.
func TestNewtonMessages(t *testing.T) {
	p := madeUp(9, 200, 400, true)
	p.Loss = solver.Logistic
	n, err := NewNewton(p, options)
	if err != nil {
		t.Fatal(err)
	}
	for number, times := range []int64{2, 1} {
		r, err := n.Round(t.Context())
		if want := times * 4 * (n.s.shared + 1); err != nil || r.Messages != (Messages{Workers: 4, Dense: want}) {
			t.Errorf("round %d: %+v, %v; want %d bytes", number+1, r.Messages, err, want)
		}
	}
}
