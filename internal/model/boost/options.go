package boost

import "fmt"

// Options say how trees are trained. DefaultOptions gives every field its default; zero values are taken as they are.
type Options struct {
	Rounds int     `json:"rounds"` // trees of every output
	Depth  int     `json:"depth"`  // splits between the root and a leaf, at most
	Rate   float64 `json:"rate"`   // factor of every leaf's value: the learning rate η, or shrinkage
	Lambda float64 `json:"lambda"` // λ, L2 regularization of leaves' values
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
	for _, option := range []struct {
		name    string
		value   any
		inRange bool
		must    string
	}{
		{"rounds", o.Rounds, o.Rounds >= 1 && o.Rounds <= MostRounds, "from 1 to 100000"},
		{"depth", o.Depth, o.Depth >= 1 && o.Depth <= MostDepth, "from 1 to 32"},
		{"rate", o.Rate, o.Rate >= 1e-4 && o.Rate <= 1, "from 0.0001 to 1"},
		{"lambda", o.Lambda, o.Lambda >= 0 && o.Lambda <= 1e9, "from 0 to 1e9"},
		{"min-gain", o.MinGain, o.MinGain >= 0 && o.MinGain <= 1e9, "from 0 to 1e9"},
		{"min-child-weight", o.MinChildWeight, o.MinChildWeight >= 0 && o.MinChildWeight <= 1e9, "from 0 to 1e9"},
		{"subsample", o.Subsample, o.Subsample >= 0.01 && o.Subsample <= 1, "a share from 0.01 to 1"},
		{"colsample", o.ColSample, o.ColSample >= 0.01 && o.ColSample <= 1, "a share from 0.01 to 1"},
		{"bins", o.Bins, o.Bins >= 1 && o.Bins <= MostBins, "from 1 to 255"},
		{"patience", o.Patience, o.Patience >= 1, "1 or more"},
	} {
		if !option.inRange {
			return fmt.Errorf("nbsvm: %s must be %s, got %v", option.name, option.must, option.value)
		}
	}
	return nil
}
