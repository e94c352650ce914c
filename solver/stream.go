package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// stream solves problems on a matrix that is not in memory. What is: the numbers of rows and columns, see
// StreamBytes, and some rows at a time.
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
	parts     []streamPart
	keeps     []keeps // by part
	order     []int   // of blocks
	laidOut   int     // number of problems that there is memory for, with this loss
	loss      Loss
	size      int // problems of a part
	steps     int
	certifies bool // the next step computes the objectives
	chunks    [2]chunk
	surveys   []survey // of a chunk's rows, some at a time, by part
	cache     chunk    // the rows that are kept
}

// streamPart is one problem, or several side by side, while they are solved. It is used by one goroutine at a time.
type streamPart interface {
	begin(problems []Problem) // lays out the state before the first step
	// rows appends the places of those rows of a chunk that take part.
	rows(c *chunk, dst []int32) []int32
	// visit makes an update of every listed row of a chunk. It returns those that are not at a bound, in the memory
	// of the list. With counts, what it sees adds to the estimate of the pass.
	visit(c *chunk, places []int32, counts bool) []int32
	// survey adds up what rows of a chunk are to the objectives, and lists the places of those that would move. It may
	// be called by several goroutines at once, for other rows each.
	survey(c *chunk, lo, hi int, dst *survey)
	take(from *survey)
	beginPass(first bool)          // of the updates of a chunk, or of the cache
	endPass(full bool) (goes bool) // takes in a pass of updates, and says whether more of them are worth while
	certify()                      // concludes a pass of surveys
	isDue() bool                   // for a certificate
	isDone() bool
	state(c *codec)

	// Of the k-th of its problems:
	memberOf(k int) *member
	weight(k, column int) float32
	intercept(k int) float64
	appendAlpha(dst []float64, k int) []float64
}

// survey is what rows of a chunk are to the objectives of a part.
type survey struct {
	sums   [kernels.GroupSize]objective
	moving []int32 // places of rows that would move
}

// keeps are the rows that a part wants to have in the cache.
type keeps struct {
	marked []bool  // by the place of a row in the chunk
	cached []int32 // places in the cache
	order  []int32 // scratch memory
}

// lanesFrom is from how many problems on they are solved side by side.
const lanesFrom = 4

// StreamBytes returns about how many bytes of memory it takes to solve problems on a [Source], besides the rows that
// Matrix.Resident counts.
func StreamBytes(rows, columns, problems int, l Loss) int64 {
	row, column := int64(8+4), int64(8)
	if problems >= lanesFrom {
		problems = chunks(problems, kernels.GroupSize)
		row, column = kernels.GroupSize*row+2, kernels.GroupSize*column
		if l == Logistic {
			row += kernels.GroupSize * 8
		}
	} else if l == Logistic {
		row += 8
	}
	return int64(problems) * (row*int64(rows) + column*int64(columns))
}

func newStream(m Matrix) *stream {
	return &stream{Matrix: m, order: make([]int, m.Source.Blocks())}
}

// checksum is of the shape alone: who has the source must tell its rows apart.
func (s *stream) checksum() uint32 {
	x := s.Source
	return checksum.Add(0, []int64{
		int64(x.Rows()), int64(x.Cols()), int64(x.Blocks()), int64(s.Resident), int64(s.Inner),
	})
}

// part is the one that a problem is in, and the problem's number there.
func (s *stream) part(problem int) (streamPart, int) {
	return s.parts[problem/s.size], problem % s.size
}

func (s *stream) stats(problem int) *Stats {
	p, k := s.part(problem)
	return &p.memberOf(k).stats
}

func (s *stream) alpha(problem int, dst []float64) []float64 {
	p, k := s.part(problem)
	return p.appendAlpha(dst, k)
}

func (s *stream) weights(problem int, dst []float32) ([]float32, float64) {
	p, k := s.part(problem)
	dst = slices.Grow(dst[:0], s.Source.Cols())[:s.Source.Cols()]
	for j := range dst {
		dst[j] = p.weight(k, j)
	}
	return dst, p.intercept(k)
}

// begin lays out what is in memory.
func (s *stream) begin() {
	if s.laidOut != len(s.problems) || s.loss != s.opts.Loss {
		s.release()
		s.parts, s.laidOut, s.loss, s.size = s.parts[:0], len(s.problems), s.opts.Loss, 1
		if len(s.problems) >= lanesFrom {
			s.size = kernels.GroupSize
		}
		for range chunks(len(s.problems), s.size) {
			if s.size == 1 {
				s.parts = append(s.parts, newStreamSingle(s))
			} else {
				s.parts = append(s.parts, newStreamGroup(s))
			}
		}
		s.keeps = make([]keeps, len(s.parts))
	}
	s.steps, s.certifies = 0, false
	inChunks(s.opts.Threads, len(s.parts), 1, func(k, _, _ int) {
		p := s.parts[k]
		p.begin(s.problems[k*s.size : min((k+1)*s.size, len(s.problems))])
	})
}

// over says whether there is nothing left to do.
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

// step is a pass over all rows, and updates of those that are kept.
func (s *stream) step(ctx context.Context) (Epoch, error) {
	s.steps++
	epoch := Epoch{Number: s.steps, Active: s.Source.Rows(), Gap: math.NaN()}
	s.inOrder()
	splitmix.Shuffle(&s.random, s.order)
	seed := splitmix.Source(s.random.Uint64())
	s.cache.clear(s.Source.Cols())
	for k, p := range s.parts {
		s.keeps[k].cached = s.keeps[k].cached[:0]
		p.beginPass(true)
	}
	all := true // rows that may move are in the cache
	err := s.pass(ctx, s.order, func(c *chunk) {
		if s.certifies {
			s.survey(c)
		} else {
			s.each(func(k int, p streamPart) { s.update(k, p, c, seed+splitmix.Source(c.number)) })
		}
		all = s.keep(c) && all
	})
	if err != nil {
		return epoch, err
	}
	s.each(func(_ int, p streamPart) {
		if s.certifies {
			p.certify()
		} else {
			p.endPass(true)
		}
	})
	for problem := range s.problems {
		p, k := s.part(problem)
		m := p.memberOf(k)
		if !m.inRange(p.intercept(k)) {
			return epoch, s.overflow(ctx, &s.problems[problem])
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
	s.each(func(k int, p streamPart) { s.settle(ctx, k, p, seed+splitmix.Source(len(s.order)), most) })
	s.certifies = true
	for _, p := range s.parts {
		s.certifies = s.certifies && (all || p.isDone() || p.isDue())
	}
	return epoch, nil
}

// update makes the updates of the rows of a chunk, in one part.
func (s *stream) update(k int, p streamPart, c *chunk, random splitmix.Source) {
	kept := &s.keeps[k]
	kept.order = p.rows(c, kept.order[:0])
	for visit := range s.Inner {
		splitmix.Shuffle(&random, kept.order)
		kept.order = p.visit(c, kept.order, visit == 0)
	}
	kept.clear(len(c.rows))
	kept.mark(kept.order)
}

// survey adds up what the rows of a chunk are to the objectives of all parts.
func (s *stream) survey(c *chunk) {
	some := chunks(len(c.rows), chunkRows)
	for len(s.surveys) < len(s.parts)*some {
		s.surveys = append(s.surveys, survey{})
	}
	inChunks(s.opts.Threads, len(s.parts)*some, 1, func(at, _, _ int) {
		if p := s.parts[at/some]; !p.isDone() {
			lo, dst := at%some*chunkRows, &s.surveys[at]
			dst.sums, dst.moving = [kernels.GroupSize]objective{}, dst.moving[:0]
			p.survey(c, lo, min(lo+chunkRows, len(c.rows)), dst)
		}
	})
	for k, p := range s.parts {
		s.keeps[k].clear(len(c.rows))
		for at := k * some; at < (k+1)*some && !p.isDone(); at++ {
			p.take(&s.surveys[at])
			s.keeps[k].mark(s.surveys[at].moving)
		}
	}
}

// clear unmarks so many rows of a chunk.
func (k *keeps) clear(rows int) {
	k.marked = slices.Grow(k.marked[:0], rows)[:rows]
	clear(k.marked)
}

// mark marks rows of a chunk.
func (k *keeps) mark(places []int32) {
	for _, at := range places {
		k.marked[at] = true
	}
}

// keep puts the rows of a chunk that parts have marked into the cache, and says whether there was room.
func (s *stream) keep(c *chunk) bool {
	for at, i := range c.rows {
		place := int32(-1)
		for k, p := range s.parts {
			if p.isDone() || !s.keeps[k].marked[at] {
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
			s.keeps[k].cached = append(s.keeps[k].cached, place)
		}
	}
	return true
}

// settle updates the rows of the cache until a part is nearly solved, but for rows that are not there.
func (s *stream) settle(ctx context.Context, k int, p streamPart, random splitmix.Source, most int) {
	kept := &s.keeps[k]
	kept.order = append(kept.order[:0], kept.cached...)
	for n := range most {
		if len(kept.order) == 0 || ctx.Err() != nil {
			return
		}
		p.beginPass(n == 0)
		splitmix.Shuffle(&random, kept.order)
		kept.order = p.visit(&s.cache, kept.order, true)
		if !p.endPass(false) {
			return
		}
	}
}

// inOrder puts the blocks in order.
func (s *stream) inOrder() {
	for b := range s.order {
		s.order[b] = b
	}
}

// each calls work for every part that is not solved, on several threads.
func (s *stream) each(work func(k int, p streamPart)) {
	inChunks(s.opts.Threads, len(s.parts), 1, func(k, _, _ int) {
		if p := s.parts[k]; !p.isDone() {
			work(k, p)
		}
	})
}
