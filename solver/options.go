package solver

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Loss is a loss function of the margin z = y·wᵀx. See the package comment for the formulas.
type Loss uint8

const (
	Hinge        Loss = iota // max(0, 1−z): the L1-loss support vector machine
	SquaredHinge             // max(0, 1−z)²: the L2-loss support vector machine
	Logistic                 // log(1+exp(−z)): logistic regression
)

var lossNames = [...]string{Hinge: "hinge", SquaredHinge: "squared-hinge", Logistic: "logistic"}

// String returns "hinge", "squared-hinge" or "logistic".
func (l Loss) String() string {
	if int(l) < len(lossNames) {
		return lossNames[l]
	}
	return fmt.Sprintf("Loss(%d)", uint8(l))
}

// UnmarshalText accepts what [Loss.String] returns.
func (l *Loss) UnmarshalText(text []byte) error {
	for i, name := range lossNames {
		if string(text) == name {
			*l = Loss(i)
			return nil
		}
	}
	return fmt.Errorf("solver: loss must be hinge, squared-hinge or logistic, got %q", text)
}

// Options say how problems are solved. Start from [DefaultOptions]: zero values are not replaced by defaults.
type Options struct {
	Loss Loss
	// Tol is the relative duality gap (P−D)/P at which a solution is good enough, from 0 to below 1. The default is
	// 1e-3. With 0, the solver runs for MaxEpochs. Several problems at once take 1e-5 or more.
	Tol float64
	// MaxEpochs bounds the passes over the rows, 1 or more. The default is 1000.
	MaxEpochs int
	// Bias is the value of a feature that every row has, whose weight is regularized like the others; LIBLINEAR's -B.
	// It is from 0, which means no bias, to 1e6. The default is 1.
	Bias float64
	// Seed makes the random order of the rows. The same seed gives the same solution.
	Seed uint64
	// Threads work on one problem; less than 1 means 1. The solution has the same bits for any number of threads.
	// Several problems are solved side by side by one thread.
	Threads int
	// Progress is called after every epoch, if it is not nil.
	Progress func(Epoch)
}

// DefaultOptions returns the options for the squared hinge loss, a gap of 1e-3, and a bias of 1.
func DefaultOptions() Options {
	return Options{Loss: SquaredHinge, Tol: 1e-3, MaxEpochs: 1000, Bias: 1, Seed: 1}
}

// GroupSize returns how many problems can be solved at once: 8, or 1 if Tol is below 1e-5.
func (o Options) GroupSize() int {
	if o.Tol < leastGroupTol {
		return 1
	}
	return kernels.GroupSize
}

// Validate reports the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case int(o.Loss) >= len(lossNames):
		return fmt.Errorf("solver: Options.Loss must be Hinge, SquaredHinge or Logistic, got %d", uint8(o.Loss))
	case math.IsNaN(o.Tol) || o.Tol < 0 || o.Tol >= 1:
		return fmt.Errorf("solver: Options.Tol must be a relative duality gap from 0 to below 1, got %v", o.Tol)
	case o.MaxEpochs < 1:
		return fmt.Errorf("solver: Options.MaxEpochs must be 1 or more, got %d", o.MaxEpochs)
	case math.IsNaN(o.Bias) || o.Bias < 0 || o.Bias > 1e6:
		return fmt.Errorf("solver: Options.Bias must be from 0 to 1e6, got %v", o.Bias)
	}
	return nil
}

// Epoch describes a pass over the rows.
type Epoch struct {
	Number   int     // from 1
	Active   int     // rows that shrinking has not left out
	Estimate float64 // the estimated relative duality gap; of several problems, the largest
	Gap      float64 // the relative duality gap if this epoch computed it, else NaN
}

// Stats describe a solution.
type Stats struct {
	Converged bool // Gap is at most Tol; otherwise the solver has stopped after MaxEpochs
	Epochs    int
	Steps     int64   // coordinate updates
	Primal    float64 // P(w)
	Dual      float64 // D(alpha)
	Gap       float64 // (P−D)/P, which bounds the relative distance of P(w) from the optimum
}
