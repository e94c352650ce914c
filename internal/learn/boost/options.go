package boost

import "fmt"

// Options say how trees are trained. DefaultOptions gives every field its default; zero values are taken as they are.
type Options struct {
	Rounds int     `json:"rounds"` // trees of every output
	Depth  int     `json:"depth"`  // splits between the root and a leaf, at most
	Rate   float64 `json:"rate"`   // factor of every leaf's value: the learning rate η, or shrinkage
	Lambda float64 `json:"lambda"` // λ, L2 regularisation of leaves' values
	// MinGain is what a split gains at least, see the package comment.
	MinGain float64 `json:"min_gain"`
	// MinChildWeight is the least sum of second derivatives on either side of a split.
	MinChildWeight float64 `json:"min_child_weight"`
	Subsample      float64 `json:"subsample"` // share of rows that each tree is trained on
	ColSample      float64 `json:"colsample"` // share of columns that each tree may split on
	Bins           int     `json:"bins"`      // of a column's values on either side of 0, at most
	Patience       int     `json:"patience"`  // rounds that don't lower the loss of held rows, until training stops
}

// The limits of Options.
const (
	MostRounds = 100_000
	MostDepth  = 32
)

// DefaultOptions are those that hold where nothing else is said.
func DefaultOptions() Options {
	return Options{
		Rounds: 300, Depth: 6, Rate: 0.3, Lambda: 1, MinChildWeight: 1, Subsample: 1, ColSample: 0.3, Bins: MostBins,
		Patience: 20,
	}
}

// Validate reports the first option that is out of its range.
func (o *Options) Validate() error {
	switch {
	case o.Rounds < 1 || o.Rounds > MostRounds:
		return fmt.Errorf("nbsvm: rounds is %d, want a number from 1 to %d", o.Rounds, MostRounds)
	case o.Depth < 1 || o.Depth > MostDepth:
		return fmt.Errorf("nbsvm: depth is %d, want a number from 1 to %d", o.Depth, MostDepth)
	case !(o.Rate >= 1e-4) || o.Rate > 1:
		return fmt.Errorf("nbsvm: rate is %v, want a number from 0.0001 to 1", o.Rate)
	case !(o.Lambda >= 0) || o.Lambda > 1e9:
		return fmt.Errorf("nbsvm: lambda is %v, want a number from 0 to 1e+09", o.Lambda)
	case !(o.MinGain >= 0) || o.MinGain > 1e9:
		return fmt.Errorf("nbsvm: min-gain is %v, want a number from 0 to 1e+09", o.MinGain)
	case !(o.MinChildWeight >= 0) || o.MinChildWeight > 1e9:
		return fmt.Errorf("nbsvm: min-child-weight is %v, want a number from 0 to 1e+09", o.MinChildWeight)
	case !(o.Subsample >= 0.01) || o.Subsample > 1:
		return fmt.Errorf("nbsvm: subsample is %v, want a share from 0.01 to 1", o.Subsample)
	case !(o.ColSample >= 0.01) || o.ColSample > 1:
		return fmt.Errorf("nbsvm: colsample is %v, want a share from 0.01 to 1", o.ColSample)
	case o.Bins < 1 || o.Bins > MostBins:
		return fmt.Errorf("nbsvm: bins is %d, want a number from 1 to %d", o.Bins, MostBins)
	case o.Patience < 1:
		return fmt.Errorf("nbsvm: patience is %d, want 1 or more", o.Patience)
	}
	return nil
}
