package distributed

import "fmt"

// Method says how the changes of workers become one.
type Method string

// The methods of the package comment.
const (
	Adding    Method = "adding"
	Averaging Method = "averaging"
	ByColumn  Method = "by column"
)

// MostWorkers is how many workers there may be.
const MostWorkers = 64

// Options say how a problem is trained.
type Options struct {
	Workers     int // 1 to MostWorkers
	Method      Method
	Factor      float64 // of the safe sigma', above 0; sigma' is at least 1
	LocalEpochs float64 // updates of a worker in a round, as a part of its rows, above 0
	Contiguous  bool    // each worker has rows that lie side by side, else any
	Seed        uint64
	Tol         float64 // relative duality gap to reach
	MaxRounds   int
	Exact       bool // gaps are computed in double precision, after every round
}

func (o *Options) validate() error {
	switch {
	case o.Workers < 1 || o.Workers > MostWorkers:
		return fmt.Errorf("distributed: %d workers, want 1 to %d", o.Workers, MostWorkers)
	case o.Method != Adding && o.Method != Averaging && o.Method != ByColumn:
		return fmt.Errorf("distributed: unknown method %q, want %s, %s or %s", o.Method, Adding, Averaging, ByColumn)
	case !(o.Factor > 0 && o.Factor <= 1):
		return fmt.Errorf("distributed: sigma' is to be %v of what is safe, want more than 0 and at most 1", o.Factor)
	case !(o.LocalEpochs > 0 && o.LocalEpochs <= 100):
		return fmt.Errorf("distributed: %v local epochs a round, want more than 0 and at most 100", o.LocalEpochs)
	case !(o.Tol > 0 && o.Tol < 1):
		return fmt.Errorf("distributed: the gap to reach is %v, want more than 0 and less than 1", o.Tol)
	case o.MaxRounds < 1:
		return fmt.Errorf("distributed: %d rounds, want 1 or more", o.MaxRounds)
	}
	return nil
}
