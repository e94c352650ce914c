package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// stream solves problems on a matrix that is not in memory. What is: the numbers of rows and columns, see
// Loss.StreamBytes, and some rows at a time.
//
// A step takes all blocks in random order, a chunk at a time, and updates the rows of a chunk in random order, Inner
// times, while the next is fetched. Rows whose alpha are not at a bound are kept in memory, as many as there is room
// for, and updated again and again until they are nearly solved. Where there was room for all of them, the next
// step only computes the objectives, and finds the rows that would move by now; otherwise that is done once the
// problems seem to be solved.
//
// Such are the block minimization of Yu, Hsieh, Chang and Lin, "Large linear classification when data cannot fit in
// memory" (KDD 2010), with their Algorithm 2 for the dual, and the rows that are kept of Chang and Roth, "Selective
// block minimization for faster convergence of limited memory large-scale linear models" (KDD 2011). The duality gap
// is that of the whole problem.
type stream struct {
	common
	Matrix
	parts     []*streamPart
	order     []int // of blocks
	laidOut   int   // number of problems that there is memory for, with this loss
	loss      Loss
	size      int // problems of a part
	steps     int
	certifies bool // the next step computes the objectives
	chunks    [2]chunk
	cache     chunk // the rows that are kept
}

// lanesOf returns how many of some problems are solved side by side.
func lanesOf(problems int) int {
	if problems < 4 {
		return 1
	}
	return kernels.GroupSize
}

// StreamBytes returns about how many bytes of memory it takes to solve problems on a [Source], besides the rows that
// Matrix.Resident counts.
func (l Loss) StreamBytes(rows, columns, problems int) int64 {
	lanes := lanesOf(problems)
	row, column := int64(8+4), int64(8) // of a column: u and s²
	if lanes > 1 {
		column = 4*int64(lanes) + 4
	}
	if l == Logistic {
		row += 8
	}
	return int64(par.Count(problems, lanes)) * ((int64(lanes)*row+2)*int64(rows) + column*int64(columns))
}

func newStream(m Matrix) *stream {
	return &stream{Matrix: m, order: make([]int, m.Source.Blocks())}
}

// part returns the one that a problem is in, and the problem's number there.
func (s *stream) part(problem int) (*streamPart, int) {
	return s.parts[problem/s.size], problem % s.size
}

func (s *stream) stats(problem int) *Stats {
	p, k := s.part(problem)
	return &p.members[k].stats
}

func (s *stream) alpha(problem int, dst []float64) []float64 {
	p, k := s.part(problem)
	for at := k; at < len(p.alpha); at += p.lanes {
		dst = append(dst, p.alpha[at])
	}
	return dst
}

func (s *stream) weights(problem int, dst []float32) ([]float32, float64) {
	p, k := s.part(problem)
	dst = slices.Grow(dst[:0], s.Source.Cols())[:s.Source.Cols()]
	for j := range dst {
		u, _ := p.slot(j, k)
		dst[j] = p.problems[k].weight(j, *u)
	}
	return dst, p.bias[k]
}

// begin lays out what is in memory.
func (s *stream) begin() {
	if s.laidOut != len(s.problems) || s.loss != s.opts.Loss {
		s.release()
		s.parts, s.laidOut, s.loss, s.size = s.parts[:0], len(s.problems), s.opts.Loss, lanesOf(len(s.problems))
		for range par.Count(len(s.problems), s.size) {
			s.parts = append(s.parts, newStreamPart(s, s.size))
		}
	}
	s.steps, s.certifies = 0, false
	par.Chunks(s.opts.Threads, len(s.parts), 1, func(k, _, _ int) {
		p := s.parts[k]
		p.begin(s.problems[k*s.size : min((k+1)*s.size, len(s.problems))])
	})
}

// over reports whether there is nothing left to do.
func (s *stream) over() bool {
	for _, p := range s.parts {
		if !p.isDone() {
			return false
		}
	}
	return true
}

// How often rows of the cache are updated in a step, where they are all that may move, and where they are not.
const (
	settleAll  = 30
	settleSome = 3
)

// step returns a pass over all rows, and updates of those that are kept.
func (s *stream) step(ctx context.Context) (Epoch, error) {
	s.steps++
	epoch := Epoch{Number: s.steps, Active: s.Source.Rows(), Gap: math.NaN()}
	s.inOrder()
	xmath.Shuffle(&s.random, s.order)
	seed := xmath.SplitMix(s.random.Uint64())
	s.cache.clear(s.Source.Cols())
	for _, p := range s.parts {
		p.cached = p.cached[:0]
		p.beginPass(true)
	}
	all := true // rows that may move are in the cache
	err := s.pass(ctx, s.order, func(c *chunk) {
		s.each(func(p *streamPart) {
			if p.list = p.takesPart(c, p.list[:0]); s.certifies {
				p.list = p.survey(c, p.list)
			} else {
				p.list = p.updateAll(c, p.list, seed+xmath.SplitMix(c.number))
			}
			p.mark(len(c.rows))
		})
		all = s.keep(c) && all
	})
	if err != nil {
		return epoch, err
	}
	s.each(func(p *streamPart) {
		if s.certifies {
			p.concludePass()
		} else {
			p.endPass(true)
		}
	})
	for problem := range s.problems {
		p, k := s.part(problem)
		m := &p.members[k]
		if !m.inRange(p.bias[k]) {
			return epoch, s.problems[problem].overflow(s.steps, s.opts.Bias, p.long)
		}
		epoch.Estimate = max(epoch.Estimate, m.estimate)
		if s.certifies && !(epoch.Gap >= m.stats.Gap) {
			epoch.Gap = m.stats.Gap
		}
	}
	most := settleSome
	if all {
		most = settleAll
	}
	s.each(func(p *streamPart) { p.settle(ctx, seed+xmath.SplitMix(len(s.order)), most) })
	if err := ctx.Err(); err != nil {
		return epoch, err
	}
	s.certifies = true
	for _, p := range s.parts {
		s.certifies = s.certifies && (all || p.isDone() || p.isDue())
	}
	return epoch, nil
}

// keep puts the rows of a chunk that parts have marked into the cache, and says whether there was room.
func (s *stream) keep(c *chunk) bool {
	for at, i := range c.rows {
		place := int32(-1)
		for _, p := range s.parts {
			if p.isDone() || !p.marked[at] {
				continue
			}
			if place < 0 {
				row := rowOf(&c.x, at)
				if len(s.cache.x.Indices)+len(row.idx) > s.Resident/cachePart {
					return false
				}
				place = int32(len(s.cache.rows))
				s.cache.append(i, row)
			}
			p.cached = append(p.cached, place)
		}
	}
	return true
}

// inOrder puts the blocks in order.
func (s *stream) inOrder() {
	for b := range s.order {
		s.order[b] = b
	}
}

// each calls work for every part that is not solved, on several threads.
func (s *stream) each(work func(p *streamPart)) {
	par.Chunks(s.opts.Threads, len(s.parts), 1, func(k, _, _ int) {
		if p := s.parts[k]; !p.isDone() {
			work(p)
		}
	})
}
