package solver

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// engines solve problems on one matrix, each in its way.
var engines = map[string]func(problems []trial, o Options) ([]Stats, error){
	"single": func(problems []trial, o Options) ([]Stats, error) {
		return opened(problems[0].X, nil).Solve(context.Background(), problemsOf(problems[:1], &o), o)
	},
	"group": func(problems []trial, o Options) ([]Stats, error) {
		return opened(problems[0].X, nil).Solve(context.Background(), problemsOf(problems, &o), o)
	},
}

// TestOverflow: what is not finite, or becomes so, ends a solution at once, and the error names
// the row. Rows have a number in the error from 1.
func TestOverflow(t *testing.T) {
	const row = 23
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	value := func(v float32) func(*trial) {
		return func(p *trial) { p.X.Values[p.X.Indptr[row]] = v }
	}
	column := func(v float32) func(*trial) {
		return func(p *trial) { p.ColScale[p.X.Indices[p.X.Indptr[row]]] = v }
	}
	for name, change := range map[string]func(*trial){
		"a value of NaN":           value(nan),
		"an infinite value":        value(inf),
		"a row scale of NaN":       func(p *trial) { p.UnitRows, p.RowScale[row] = false, math.NaN() },
		"an infinite row scale":    func(p *trial) { p.UnitRows, p.RowScale[row] = false, math.Inf(1) },
		"a column scale of NaN":    column(nan),
		"an infinite column scale": column(inf),
		"a large column scale":     column(1e25),
	} {
		for engine, solve := range engines {
			for _, loss := range losses {
				for _, unit := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s, %v, unit rows %t", name, engine, loss, unit), func(t *testing.T) {
						problems := sideBySide(rand.New(rand.NewPCG(31, 1)), 3, 200, 30, true, true, unit)
						change(&problems[0])
						for k := range problems { // what they have in common
							problems[k].ColScale, problems[k].UnitRows = problems[0].ColScale, problems[0].UnitRows
						}
						o, epochs := DefaultOptions(), 0
						o.Loss = loss
						o.Progress = func(e Epoch) { epochs = e.Number }
						stats, err := solve(problems, o)
						if err == nil {
							t.Fatalf("no error: %+v", stats)
						}
						if !strings.Contains(err.Error(), "overflow in epoch 1: row ") {
							t.Error(err)
						}
						if strings.Contains(name, "value") && !strings.Contains(err.Error(), fmt.Sprintf(": row %d of 200", row+1)) {
							t.Errorf("another row than %d: %v", row+1, err)
						}
						if epochs > 1 {
							t.Errorf("%d epochs", epochs)
						}
					})
				}
			}
		}
	}
}

// TestLargeValues: values whose squares are beyond single precision end a solution early, or it
// gives finite numbers.
func TestLargeValues(t *testing.T) {
	for _, v := range []float32{1e15, 1e20, 1e30, math.MaxFloat32} {
		for engine, solve := range engines {
			for _, loss := range losses {
				for _, unit := range []bool{false, true} {
					problems := sideBySide(rand.New(rand.NewPCG(32, 1)), 3, 200, 30, true, true, unit)
					for k := range problems[0].X.Values {
						if k%10 == 0 {
							problems[0].X.Values[k] *= v
						}
					}
					o := DefaultOptions()
					o.Loss, o.MaxEpochs = loss, 50
					stats, err := solve(problems, o)
					if err != nil {
						t.Logf("%s, %v, %v, unit rows %t: %v", engine, loss, v, unit, err)
					}
					for _, s := range stats {
						if !inRange(s.Primal, s.Dual, s.Gap) {
							t.Errorf("%s, %v, values of %v, unit rows %t: %+v", engine, loss, v, unit, s)
						}
					}
				}
			}
		}
	}
}
