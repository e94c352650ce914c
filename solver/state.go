package solver

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/sparse"
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
	const fixed, word = 1 << 12, 8
	numbers := int64(problems) * 2 * word // alpha and rest
	return fixed + int64(rows)*(numbers+3*4+3) + int64(columns)*(int64(problems)*4+1)
}

// stateMagic begins the bytes of a state, which are little-endian:
//
//	8    "nbsolve" and the version of this layout, 2
//	…    the solver's options, the problems' shape and a checksum of all their numbers,
//	     which must be those of the problem that is resumed
//	…    numbers of the solution: single.state and group.state
//	4    the order of rows, 4 bytes each
//	…    every row: its alpha and what else its next update depends on
//	…    every shared column: u of the problem or problems
//	4    CRC-32C of all before
//
// A group's alpha and u have a byte before them that says which of them are not 0. Most are 0 if there are many
// classes.
const stateMagic = "nbsolve\x02"

// ErrState is the error of an Options.Resume that is damaged, or is the state of another problem.
var ErrState = errors.New("solver: the state to resume from")

// errDamaged is the error of a state that lacks bytes or has other bytes than were written.
var errDamaged = fmt.Errorf("%w is damaged", ErrState)

// problem walks over what a state must have in common with the problems that it is
// resumed for; x is nil where rows are not in memory.
func (c *codec) problem(x *sparse.CSR, of *common) {
	o := &of.opts
	c.same("number of problems", uint64(len(of.problems)))
	if x != nil {
		c.same("number of rows", uint64(x.Rows))
		c.same("number of columns", uint64(x.Cols))
		c.same("number of entries", uint64(x.NNZ()))
	}
	c.same("loss", uint64(o.Loss))
	c.same("tol", math.Float64bits(o.Tol))
	c.same("max epochs", uint64(o.MaxEpochs))
	c.same("bias", math.Float64bits(o.Bias))
	c.same("seed", o.Seed)
	c.same("data", uint64(of.data))
}

func (c *codec) stats(s *Stats, o *Options) {
	short := !s.Converged
	c.flag(&short)
	s.Converged = !short
	whole(c, &s.Epochs, 8, 0, o.MaxEpochs)
	whole(c, &s.Steps, 8, 0, math.MaxInt64)
	c.floats(&s.Primal, &s.Dual, &s.Gap)
}

// dataSum adds to a matrix's checksum what makes problems of it.
func dataSum(matrix uint32, problems []Problem, o *Options) uint32 {
	sum, first := matrix, &problems[0]
	for k := range problems {
		p := &problems[k]
		sum = checksum.Add(sum, p.Positive)
		sum = checksum.Add(sum, p.ColScale)
		sum = checksum.Add(sum, []float64{p.Costs.Positive, p.Costs.Negative})
	}
	sum = checksum.Add(sum, first.Mass)
	sum = checksum.Add(sum, first.RowScale)
	return checksum.Add(sum, []bool{first.UnitRows, o.Shrinking})
}
