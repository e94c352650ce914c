package solver

import (
	"fmt"
	"math"
)

// Loss names a loss function.
type Loss uint8

// The losses of the package comment.
const (
	Hinge Loss = iota
	SquaredHinge
	Logistic
)

var lossNames = [...]string{Hinge: "hinge", SquaredHinge: "squared-hinge", Logistic: "logistic"}

func (l Loss) String() string {
	if int(l) < len(lossNames) {
		return lossNames[l]
	}
	return fmt.Sprintf("Loss(%d)", uint8(l))
}

// UnmarshalText accepts hinge, squared-hinge and logistic.
func (l *Loss) UnmarshalText(text []byte) error {
	for i, name := range lossNames {
		if string(text) == name {
			*l = Loss(i)
			return nil
		}
	}
	return fmt.Errorf("solver: unknown loss %q, want hinge, squared-hinge or logistic", text)
}

// Options of a solution. DefaultOptions gives the values to start from; zero
// values are taken as they are.
type Options struct {
	Loss      Loss
	Tol       float64 // relative duality gap to reach, at least 0
	MaxEpochs int     // passes over the rows, at least 1
	Bias      float64 // value of the constant feature, 0 for none
	Seed      uint64  // of the random permutations
	Shrinking bool    // leave rows out that stay at a bound; hinge losses only
	// Threads for one problem; less than 1 is 1. Results are the same bits for any number.
	// Several problems in memory are solved side by side by one thread.
	Threads int
	// Progress, where not nil, is called after every epoch.
	Progress func(Epoch)
	// Checkpoint, where not nil, is called after every epoch, the last one included, with
	// what the solution has come to. An error ends the solution.
	Checkpoint func(State) error
	// Resume, where not nil, is a State of the same problems and options to go on from, to
	// the same bits that a solution without interruption has. Threads may differ. That of a
	// finished solution gives its result at once.
	Resume []byte
}

// DefaultOptions is squared hinge to a gap of 1e-3 with a bias of 1.
func DefaultOptions() Options {
	return Options{Loss: SquaredHinge, Tol: 1e-3, MaxEpochs: 1000, Bias: 1, Seed: 1, Shrinking: true}
}

// Validate reports the first option out of its range.
func (o Options) Validate() error {
	switch {
	case int(o.Loss) >= len(lossNames):
		return fmt.Errorf("solver: unknown loss %d", uint8(o.Loss))
	case math.IsNaN(o.Tol) || o.Tol < 0 || o.Tol >= 1:
		return fmt.Errorf("solver: tol is %v, want a relative duality gap from 0 to below 1", o.Tol)
	case o.MaxEpochs < 1:
		return fmt.Errorf("solver: max epochs is %d, want at least 1", o.MaxEpochs)
	case math.IsNaN(o.Bias) || o.Bias < 0 || o.Bias > 1e6:
		return fmt.Errorf("solver: bias is %v, want a number from 0 (none) to 1e6", o.Bias)
	}
	return nil
}

// Epoch is what is known after a pass over the rows.
type Epoch struct {
	Number   int     // from 1
	Active   int     // rows that were not shrunk away
	Estimate float64 // estimated relative duality gap
	Gap      float64 // the relative duality gap, where it was computed, else NaN
}

// Stats of a solution.
type Stats struct {
	Converged bool // the gap is at most Tol; else MaxEpochs passed before that
	Epochs    int
	Steps     int64   // coordinate updates
	Primal    float64 // P(w)
	Dual      float64 // D(alpha)
	Gap       float64 // (P−D)/P
}
