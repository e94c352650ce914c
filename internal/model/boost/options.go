package boost

// Options say how trees are trained. Start from DefaultOptions: zero values are taken as they are. Users choose the first
// three; the others have the values that cross-validate best (docs/explanation/defaults.md).
type Options struct {
	Rounds int     // trees of every output
	Depth  int     // splits between the root and a leaf, at most
	Rate   float64 // factor of every leaf's value: the learning rate η, or shrinkage

	Lambda         float64 // λ, L2 regularization of leaves' values
	MinChildWeight float64 // the least sum of second derivatives on either side of a split
	ColSample      float64 // share of columns that each tree may split on
	Patience       int     // rounds that don't lower the loss of held rows, until training stops
}

// The limits of Options.
const (
	MostRounds = 100_000
	MostDepth  = 32
)

// DefaultOptions are those that hold where nothing else is said.
func DefaultOptions() Options {
	return Options{Rounds: 300, Depth: 6, Rate: 0.3, Lambda: 1, MinChildWeight: 1, ColSample: 0.3, Patience: 20}
}
