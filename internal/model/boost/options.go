package boost

// Options say how trees are trained. DefaultOptions gives every field its default; zero values are taken as they are.
// Values must be in the ranges that package train checks.
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
