package tag

// average keeps what makes an average of weights over all steps: each change times the step at which it was made. The
// average is the weights minus that, divided by the number of steps.
type average struct {
	step    float64
	weights []float64
	chain   *chain
}

func newAverage(l *learner) *average {
	return &average{step: 1, weights: make([]float64, len(l.weights)), chain: newChain(l.chain.tags)}
}

// settle replaces the learner's weights by their average over all steps.
func (a *average) settle(l *learner) {
	for i, sum := range a.weights {
		l.weights[i] = float32(float64(l.weights[i]) - sum/a.step)
	}
	for i, sum := range a.chain.all {
		l.chain.all[i] = float64(float32(l.chain.all[i] - sum/a.step))
	}
}

// word adds to the weights of a word's features for a tag.
func (a *average) word(l *learner, rows []uint32, tag int, by float64) {
	for _, row := range rows {
		i := int(row)*l.pitch + tag
		l.weights[i] += float32(by)
		a.weights[i] += float64(by * a.step)
	}
}

// add adds to the weight of a tag in the chain.
func (a *average) add(weights, sums []float64, i int, by float64) {
	weights[i] += by
	sums[i] += float64(by * a.step)
}

// sequence adds to all weights of a sequence of tags.
func (a *average) sequence(l *learner, ends, tags, other []int, by float64) {
	c, last := l.chain, len(tags)-1
	for i, tag := range tags {
		if tag != other[i] {
			a.word(l, l.rows[ends[i]:ends[i+1]], tag, by)
		}
		if i > 0 {
			a.add(c.next, a.chain.next, tags[i-1]*c.tags+tag, by)
		}
	}
	a.add(c.start, a.chain.start, tags[0], by)
	a.add(c.end, a.chain.end, tags[last], by)
}

// perceptron trains on whole sentences: where the best sequence is not the right one, the weights of the right one
// grow, and those of the other fall (Collins 2002).
func (l *learner) perceptron() error {
	a := newAverage(l)
	var v viterbi
	var scores []float64
	var found []int
	for epoch := range l.o.Epochs {
		mistakes := 0
		for _, i := range l.order() {
			ends, gold := l.sentence(i)
			scores = addRows(scores, l.weights, l.pitch, l.rows, ends)
			found = sized(found, len(gold))
			v.decode(l.chain, scores, l.pitch, found)
			if wrong := differ(found, gold); wrong > 0 {
				mistakes += wrong
				a.sequence(l, ends, gold, found, 1)
				a.sequence(l, ends, found, gold, -1)
			}
			a.step++
		}
		if err := l.tell(Epoch{Number: epoch + 1, Mistakes: mistakes}); err != nil {
			return err
		}
	}
	a.settle(l)
	return nil
}

// differ counts words whose tags differ.
func differ(a, b []int) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
