package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
)

// Predict scores a text, or ready-made features in SVMlight text if the model takes these. It may be called by any
// number of goroutines at once, and the prediction is the caller's to keep. A Scorer saves the memory of that.
func (c *Classifier) Predict(text []byte) (Prediction, error) {
	s, err := c.borrow()
	if err != nil {
		return Prediction{}, err
	}
	p, err := s.predictSafely(text)
	if err != nil {
		return Prediction{}, err // and the scorer is given up: a fault may have left it half done
	}
	scores, n := slices.Concat(p.Scores, p.Margins), len(p.Scores)
	p = Prediction{Labels: slices.Clone(p.Labels), Scores: scores[:n:n], Margins: scores[n:], tree: p.tree}
	c.giveBack(s)
	return p, nil
}

// PredictBest gives only the class with the best score, which of several labels may be one that is not predicted, and
// -1 where there is none. It is otherwise like Predict, and takes less time and no memory.
func (c *Classifier) PredictBest(text []byte) (class int, score float64, err error) {
	s, err := c.borrow()
	if err != nil {
		return -1, 0, err
	}
	s.onlyBest = true
	p, err := s.predictSafely(text)
	if err != nil {
		return -1, 0, err
	}
	class = -1
	if c.tree != nil {
		class, score = p.Labels[0], p.Scores[p.Labels[0]]
	} else if len(p.Labels) > 0 || c.MultiLabel() {
		class = 0
		for k, other := range p.Scores {
			if other > p.Scores[class] {
				class = k
			}
		}
		score = p.Scores[class]
	}
	c.giveBack(s)
	return class, score, nil
}

// PredictAll predicts texts, of the options with Threads and OnlyBest. What Predict would return of texts[k], visit is
// told, from several goroutines at once and in no order; it is valid until visit returns. The first text that can't be
// predicted ends it with an error, which only ready-made features can be.
func (c *Classifier) PredictAll(ctx context.Context, texts [][]byte, o Options, visit func(k int, p *Prediction)) error {
	threads := ordered.Threads(o.Threads)
	ends := shares(texts, threads)
	if len(ends) <= 1 {
		threads = 1
	}
	return ordered.Each(ctx, threads, len(ends), func(_, i int) error {
		first := 0
		if i > 0 {
			first = ends[i-1]
		}
		s, err := c.borrow()
		if err != nil {
			return err
		}
		s.onlyBest = o.OnlyBest
		if err = c.guard(func() error { return s.predictTexts(texts[first:ends[i]], first, visit) }); err == nil {
			c.giveBack(s)
		}
		return err
	})
}

// How much text is predicted between two looks at the model's file.
const (
	leastShare = 16 << 10
	mostShare  = 256 << 10
)

// shares are the ends of runs of texts, enough for all threads to have work to the end.
func shares(texts [][]byte, threads int) (ends []int) {
	const cost = 64 // of a text beside that of its bytes, in bytes
	all := cost * len(texts)
	for _, text := range texts {
		all += len(text)
	}
	most, size := min(max(all/(8*threads), leastShare), mostShare), 0
	for k, text := range texts {
		if size += cost + len(text); size >= most || k+1 == len(texts) {
			ends, size = append(ends, k+1), 0
		}
	}
	return ends
}

// predictTexts predicts texts, which are numbered from first on.
func (s *Scorer) predictTexts(texts [][]byte, first int, visit func(k int, p *Prediction)) error {
	var p Prediction
	if s.fastText != nil {
		for k, text := range texts {
			var err error
			if p, err = s.scoreFastText(text); err != nil {
				return fmt.Errorf("nbsvm: text %d: %w", first+k+1, err)
			}
			visit(first+k, &p)
		}
		return nil
	}
	for b := &s.batch; len(texts) > 0; {
		b.reset()
		n := 0
		for ; n < len(texts) && b.size() < lookedUp; n++ {
			if err := s.features.append(b, texts[n]); err != nil {
				return fmt.Errorf("nbsvm: text %d: %w", first+n+1, err)
			}
			b.end()
		}
		s.find()
		for k := range n {
			p = s.predict(k)
			visit(first+k, &p)
		}
		texts, first = texts[n:], first+n
	}
	return nil
}

// fewBest is how many of the best scores are sorted as they come. More are sorted together: insertion takes the
// square of their number.
const fewBest = 16

// clone is a prediction that does not belong to a Scorer.
func (p *Prediction) clone() Prediction {
	return Prediction{slices.Clone(p.Labels), slices.Clone(p.Scores), slices.Clone(p.Margins), p.tree}
}

// Best lists the n classes with the largest scores, best first, ties by number. Where labels are paths the predicted
// one is first, and those follow in which the document is likely to be and not below.
func (p *Prediction) Best(n int) []int {
	scores := p.Scores
	n = min(n, len(scores))
	if p.tree != nil {
		return p.tree.Rank(scores, p.Labels[0])[:n]
	}
	if n > fewBest {
		order := make([]int, len(scores))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), i-j) })
		return order[:n]
	}
	order := make([]int, 0, n+1)
	for k, score := range scores {
		at := len(order)
		for at > 0 && score > scores[order[at-1]] {
			at--
		}
		if at == n {
			continue
		}
		order = append(order, 0)
		copy(order[at+1:], order[at:])
		order[at] = k
		order = order[:min(n, len(order))]
	}
	return order
}

// borrow gives a scorer that nobody else has, to be given back.
func (c *Classifier) borrow() (*Scorer, error) {
	if s, ok := c.scorers.Get().(*Scorer); ok {
		return s, nil
	}
	return c.NewScorer()
}

// giveBack lets others borrow a scorer that has met no error.
func (c *Classifier) giveBack(s *Scorer) {
	s.onlyBest = false
	c.scorers.Put(s)
}
