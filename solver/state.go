package solver

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

// State is how far a solution is after an epoch: all that later epochs depend on and that does not follow from the
// problem. It is valid while Options.Checkpoint runs.
//
// Its bytes carry a version and a checksum. A solver refuses those of another version.
type State struct {
	Epoch  int                     // the number of the last epoch
	Done   bool                    // no epoch follows
	Append func(dst []byte) []byte // appends the bytes of the state to dst, for Options.Resume
}

// StateBytes returns an upper bound for the length of a [State] in bytes.
func StateBytes(rows, columns, problems int) int64 {
	const fixed, ofRow, word = 1 << 12, 3*4 + 3, 8
	// Of each row, alpha, rest and what says which are not 0; of each column, u and what says whether it is not 0.
	ofProblem := fixed + int64(rows)*(2*word+1) + int64(columns)*(4+1)
	return int64(problems)*ofProblem + int64(rows)*ofRow
}

// stateMagic begins the bytes of a state, which are little-endian:
//
//	8    "nbsolve" and the version of this layout, 3
//	4    a checksum of the options, the matrix and the problems, which must be that of the
//	     problems that are resumed
//	…    numbers of the solution: the state of each engine
//	4    the order of rows, 4 bytes each
//	…    every row: its alpha and what else its next update depends on
//	…    every shared column: u of the problem or problems
//	4    CRC-32C of all before
//
// A group's alpha and u have a byte before them that says which of them are not 0. Most are 0 if there are many
// classes.
const stateMagic = "nbsolve\x03"

// ErrState is the error of an Options.Resume that is damaged, or is the state of another problem.
var ErrState = errors.New("solver: the state to resume from")

// errDamaged is the error of a state that lacks bytes or has other bytes than were written.
var errDamaged = fmt.Errorf("%w is damaged", ErrState)

func (c *codec) stats(s *Stats, o *Options) {
	short := !s.Converged
	c.flag(&short)
	s.Converged = !short
	whole(c, &s.Epochs, 8, 0, o.MaxEpochs)
	whole(c, &s.Steps, 8, 0, math.MaxInt64)
	c.floats(&s.Primal, &s.Dual, &s.Gap)
}

// sum is the checksum of all that a state must have in common with the problems that it is resumed for, given that of
// the matrix.
func (c *common) sum(matrix uint32) uint32 {
	o, first := &c.opts, &c.problems[0]
	sum := checksum.Add(matrix, []uint64{
		uint64(len(c.problems)), uint64(o.Loss), math.Float64bits(o.Tol), uint64(o.MaxEpochs), math.Float64bits(o.Bias), o.Seed,
	})
	for k := range c.problems {
		p := &c.problems[k]
		sum = checksum.Add(sum, p.Positive)
		sum = checksum.Add(sum, p.ColScale)
		sum = checksum.Add(sum, []float64{p.Costs.Positive, p.Costs.Negative})
		sum = checksum.Add(sum, p.Offset)
		sum = checksum.Add(sum, p.RowScale)
	}
	sum = checksum.Add(sum, first.Mass)
	return checksum.Add(sum, []bool{first.UnitRows, o.Shrinking})
}
