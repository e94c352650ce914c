package solver

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// resume takes over the state to resume from, if there is one.
func (s *Stream) resume() error {
	if s.opts.keeps() {
		s.data = s.dataSum()
	}
	if s.opts.Resume == nil {
		return nil
	}
	return readState(s.opts.Resume, s.state)
}

// dataSum is a checksum of all that makes the problems but for the matrix itself, which
// who has the source must tell apart.
func (s *Stream) dataSum() uint32 {
	problems := make([]Problem, len(s.members))
	for k := range problems {
		problems[k] = s.members[k].p
	}
	shape := []int64{int64(s.source.Rows()), int64(s.source.Cols()), int64(s.source.Blocks()), int64(s.o.Resident), int64(s.o.Inner)}
	return dataSum(checksum.Add(0, shape), problems, &s.opts)
}

func (s *Stream) appendState(dst []byte) []byte {
	return appendState(dst, StateBytes(s.source.Rows(), s.source.Cols(), len(s.members)), s.state)
}

// state walks over what a solution has come to.
func (s *Stream) state(c *codec) {
	c.same("number of problems", uint64(len(s.members)))
	c.same("loss", uint64(s.opts.Loss))
	c.same("tol", math.Float64bits(s.opts.Tol))
	c.same("max epochs", uint64(s.opts.MaxEpochs))
	c.same("bias", math.Float64bits(s.opts.Bias))
	c.same("seed", s.opts.Seed)
	c.same("data", uint64(s.data))
	whole(c, &s.epochs, 8, 1, s.opts.MaxEpochs)
	s.random = splitmix.Source(c.word(uint64(s.random), 8))
	for k := range s.members {
		m := &s.members[k]
		c.stats(&m.stats, &s.opts)
		c.flag(&m.done)
		c.floats(&m.primal, &m.trust.full, &m.trust.active, &m.bias)
		for i := range m.alpha {
			cost := m.p.cost(i)
			c.float(&m.alpha[i], 0, s.opts.Loss.most(cost))
			if m.rest != nil {
				c.float(&m.rest[i], 0, cost)
			}
		}
		c.singles(len(m.slots), func(j int) *float32 { return &m.slots[j].U })
	}
}
