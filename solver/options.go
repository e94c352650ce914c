package solver

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Loss is a loss function of the margin z = y·wᵀx, or of the residual z = wᵀx − t where rows have targets t, for
// regression. See the package comment for the formulas.
type Loss uint8

const (
	Hinge                     Loss = iota // max(0, 1−z): the L1-loss support vector machine
	SquaredHinge                          // max(0, 1−z)²: the L2-loss support vector machine
	Logistic                              // log(1+exp(−z)): logistic regression
	EpsilonInsensitive                    // max(0, |z|−ε): L1-loss support vector regression
	SquaredEpsilonInsensitive             // max(0, |z|−ε)²: L2-loss support vector regression; ridge regression if ε is 0
)

var lossNames = [...]string{
	Hinge: "hinge", SquaredHinge: "squared-hinge", Logistic: "logistic",
	EpsilonInsensitive: "epsilon-insensitive", SquaredEpsilonInsensitive: "squared-epsilon-insensitive",
}

// IsRegression reports whether rows have targets rather than sides.
func (l Loss) IsRegression() bool { return l == EpsilonInsensitive || l == SquaredEpsilonInsensitive }

// String returns "hinge", "squared-hinge", "logistic", "epsilon-insensitive" or "squared-epsilon-insensitive".
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
	return fmt.Errorf("solver: loss must be one of %s, got %q", strings.Join(lossNames[:], ", "), text)
}

// Options say how problems are solved. Start from [DefaultOptions]: zero values are not replaced by defaults.
type Options struct {
	Loss Loss
	// Epsilon is ε, how far from its target a row is without loss; LIBLINEAR's -p. It is from 0 to 1e30, in units of the
	// targets, and 0 where rows have none. The default is 0.
	Epsilon float64
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
		return fmt.Errorf("solver: Options.Loss must be one of the constants, got %d", uint8(o.Loss))
	case !(o.Epsilon >= 0 && o.Epsilon <= mostOffset) || o.Epsilon > 0 && !o.Loss.IsRegression():
		return fmt.Errorf("solver: Options.Epsilon must be from 0 to %v, and 0 unless the loss is of regression, "+
			"got %v for %v", mostOffset, o.Epsilon, o.Loss)
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
	Number   int     // from 1; Newton's method solves several problems one after the other
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
