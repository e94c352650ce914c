package tag

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// crf minimizes the sum of the sentences' negative log-likelihoods and L2/2 times the square of the weights by
// stochastic gradient descent (Bottou 2010): in step t the rate is 1/(λ(t0+t)), λ = L2/sentences, where t0 makes the
// first rate that which does best on some of the sentences. The gradients of a block of sentences are all those of the
// weights before it, so that threads can share them; steps are taken one after the other.
func (l *learner) crf() error {
	sentences := len(l.words) - 1
	d := &descent{learner: l, lambda: l.o.L2 / float64(sentences), scale: 1}
	d.block = make([]gradient, min(max(sentences/leastBlocks, 1), mostInBlock))
	rate, err := d.calibrate(l.order())
	if err != nil {
		return err
	}
	d.begin(rate)
	for epoch := range l.o.Epochs {
		loss, err := d.pass(l.order())
		if err == nil {
			err = l.tell(Epoch{Number: epoch + 1, Loss: loss / float64(len(l.gold))})
		}
		if err != nil {
			return err
		}
	}
	d.settle()
	for i, w := range l.chain.all {
		l.chain.all[i] = float64(float32(w))
	}
	return nil
}

// descent is the state of gradient descent. The weights of features are the learner's times scale, so that all of them
// shrink at once; the weights of the chain are stored as they are.
type descent struct {
	*learner
	block  []gradient
	lambda float64
	scale  float64
	t0, t  float64
	change []float32
}

// Numbers of sentences in a block: few in comparison with all.
const (
	mostInBlock = 16
	leastBlocks = 64
)

// gradient holds the expectations of a sentence.
type gradient struct {
	marginals
	ends, gold []int // of the sentence
	scores     []float64
	loss       float64 // its negative log-likelihood
	err        error
}

// begin restarts the descent at a rate.
func (d *descent) begin(rate float64) {
	d.scale, d.t, d.t0 = 1, 0, 1/(rate*d.lambda)
	clear(d.weights)
	for i, w := range d.chain.all {
		if !math.IsInf(w, -1) { // allowed
			d.chain.all[i] = 0
		}
	}
}

// calibrate finds the rate that does best in a pass over some sentences, among powers of 2.
func (d *descent) calibrate(order []int) (float64, error) {
	const most = 1000
	order = order[:min(len(order), most)]
	try := func(rate float64) (loss float64, err error) {
		if rate*d.lambda > 0.5 { // weights must not shrink to less than half in a step
			return math.Inf(1), nil
		}
		d.begin(rate)
		if _, err = d.pass(order); err == nil {
			loss, err = d.loss(order)
		}
		if err == errVanished {
			return math.Inf(1), nil
		}
		return loss, err
	}
	rate := min(0.125, 0.5/d.lambda)
	least, err := try(rate)
	for _, factor := range []float64{2, 0.5} {
		moved := false
		for range 10 {
			if err != nil {
				return 0, err
			}
			var loss float64
			if loss, err = try(rate * factor); err != nil || !(loss < least) {
				break
			}
			rate, least, moved = rate*factor, loss, true
		}
		if moved {
			break
		}
	}
	return rate, err
}

// gradients computes the gradients of all sentences, a block at a time, and visits them in order.
func (d *descent) gradients(order []int, visit func(g *gradient)) error {
	threads := par.Threads(d.o.Threads)
	for block := range slices.Chunk(order, len(d.block)) {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		first := &d.block[0]
		first.chain(d.chain)
		par.Chunks(threads, len(block), 1, func(k, _, _ int) {
			g := &d.block[k]
			if k > 0 {
				g.sameChain(&first.marginals)
			}
			d.gradient(g, block[k])
		})
		for k := range block {
			if err := d.block[k].err; err != nil {
				return err
			}
			visit(&d.block[k])
		}
	}
	return nil
}

// gradient computes what is expected of the i-th sentence.
func (d *descent) gradient(g *gradient, i int) {
	g.ends, g.gold = d.sentence(i)
	g.scores = addRows(g.scores, d.weights, d.pitch, d.rows, g.ends)
	for i := range g.scores {
		g.scores[i] *= d.scale
	}
	g.loss, g.err = g.marginals.sentence(g.scores, d.pitch, len(g.gold))
	g.loss -= d.chain.score(g.scores, d.pitch, g.gold)
}

// loss returns the sum of negative log-likelihoods and of the penalty's share.
func (d *descent) loss(order []int) (sum float64, err error) {
	if err := d.gradients(order, func(g *gradient) { sum += g.loss }); err != nil {
		return 0, err
	}
	squares := 0.0
	for _, w := range d.weights {
		squares += float64(float64(w) * float64(w))
	}
	penalty := d.lambda / 2 * float64(len(order)) * squares * d.scale * d.scale
	return sum + float64(penalty), nil
}

// pass takes a step for each sentence, and returns the sum of their negative log-likelihoods before.
func (d *descent) pass(order []int) (sum float64, err error) {
	err = d.gradients(order, func(g *gradient) {
		sum += g.loss
		d.step(g)
	})
	return sum, err
}

// step moves the weights towards the sentence's tags, and away from what was expected.
func (d *descent) step(g *gradient) {
	rate := 1 / (d.lambda * (d.t0 + d.t))
	d.t++
	shrink := 1 - float64(rate*d.lambda)
	if d.scale *= shrink; d.scale < 1e-4 {
		for i := range d.weights {
			d.weights[i] = float32(float64(d.weights[i]) * d.scale)
		}
		d.scale = 1
	}
	k := len(d.tags)
	d.change = sized(d.change, k)
	for i, tag := range g.gold {
		for y, p := range g.tag[i*k:][:k] {
			if y == tag {
				p -= 1
			}
			d.change[y] = float32(-p * rate / d.scale)
		}
		for _, row := range d.rows[g.ends[i]:g.ends[i+1]] {
			weights := d.weights[int(row)*d.pitch:][:k]
			for y, by := range d.change {
				weights[y] += by
			}
		}
	}
	d.stepChain(g, rate, shrink)
}

// stepChain is like step of the chain's weights.
func (d *descent) stepChain(g *gradient, rate, shrink float64) {
	gold, k, n, c := g.gold, len(d.tags), len(g.gold), d.chain
	for y := range k {
		c.start[y] = float64(c.start[y]*shrink) - float64(rate*g.tag[y])
		c.end[y] = float64(c.end[y]*shrink) - float64(rate*g.tag[(n-1)*k+y])
	}
	for i, p := range g.pair {
		c.next[i] = float64(c.next[i]*shrink) - float64(rate*p)
	}
	c.start[gold[0]] += rate
	c.end[gold[n-1]] += rate
	for i := 1; i < n; i++ {
		c.next[gold[i-1]*k+gold[i]] += rate
	}
}

// settle multiplies the learner's weights by scale.
func (d *descent) settle() {
	for i, w := range d.weights {
		d.weights[i] = float32(float64(w) * d.scale)
	}
}
