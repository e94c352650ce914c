package score

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Predict scores a text, or ready-made features in SVMlight text if the model takes these. It may be called by any
// number of goroutines at once, and the prediction is the caller's to keep. A Scorer saves the memory of that.
func (c *Classifier) Predict(text []byte) (Prediction, error) {
	s, err := c.borrow()
	if err != nil {
		return Prediction{}, err
	}
	p, err := s.predictOne(text, nil)
	if err != nil {
		return Prediction{}, err // and the scorer is given up: a fault may have left it half done
	}
	p = p.clone()
	c.scorers.Put(s)
	return p, nil
}

// PredictBest gives only the class with the best score, which of several labels may be one that is not predicted, and
// -1 where there is none. It is otherwise like Predict, and takes less time and no memory.
func (c *Classifier) PredictBest(text []byte) (class int, score float64, err error) {
	s, err := c.borrow()
	if err != nil {
		return -1, 0, err
	}
	p, err := s.predictOne(text, OnlyPredicted)
	if err != nil {
		return -1, 0, err
	}
	if class = c.First(&p); class >= 0 {
		score = p.Scores[class]
	}
	c.scorers.Put(s)
	return class, score, nil
}

// First returns the class of a prediction with the best score, or -1 if it has none.
func (c *Classifier) First(p *Prediction) int {
	if len(p.Labels) == 0 && !c.MultiLabel() {
		return -1
	}
	return c.best(p)
}

// PredictAll predicts texts on some threads; 0 stands for one per processor. It visits what Predict would return for
// texts[k], from several goroutines at once and in no order; the prediction is valid until visit returns. Unless only
// is nil, it has the classes whose scores are asked for beside those of the predicted ones: others may be 0. The first
// text that can't be predicted ends it with an error, which only ready-made features can be.
func (c *Classifier) PredictAll(
	ctx context.Context, texts [][]byte, threads int, only []int, visit func(k int, p *Prediction),
) error {
	threads = par.Threads(threads)
	ends := shares(texts, threads)
	if len(ends) <= 1 {
		threads = 1
	}
	return par.Each(ctx, threads, len(ends), func(_, i int) error {
		first := 0
		if i > 0 {
			first = ends[i-1]
		}
		s, err := c.borrow()
		if err != nil {
			return err
		}
		text := func(k int) []byte { return texts[first+k] }
		err = c.Guard(func() error {
			return s.PredictAll(ctx, ends[i]-first, text, only, func(k int, p *Prediction, err error) error {
				if err != nil {
					return fmt.Errorf("nbsvm: text %d: %w", first+k+1, err)
				}
				visit(first+k, p)
				return nil
			})
		})
		if err == nil {
			c.scorers.Put(s)
		}
		return err
	})
}

// How much text is predicted between two looks at the model's file.
const (
	leastShare = 16 << 10
	mostShare  = 256 << 10
)

// shares returns the ends of runs of texts, enough for all threads to have work to the end.
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

// OnlyPredicted asks for no scores beside those of the predicted classes.
var OnlyPredicted = []int{}

// Prediction for a document. Its slices belong to the Scorer, until its next
// call.
type Prediction struct {
	// Labels are the predicted classes by number: one, or for a multi-label
	// model any number.
	Labels []int
	// Scores of all classes: probabilities if the classifier has them, else
	// margins (of two classes, m for the second and −m for the first). That of a label which is a path is the
	// probability that the document belongs there or below.
	Scores []float64
	// Margins of the model's outputs: one for two classes, else one per class, and more behind these where labels are
	// in a tree. If it was grown, those that the search did not come to are -Inf, but for rows of a dataset.
	Margins []float64
	// Unknown is the share of the document's features that the model does not know, 1 if it has none; 0 unless AskUnknown
	// was called.
	Unknown float64
	// Parts is what Parts.Render has appended for the parts of the text, nil if it has none.
	Parts []byte
}

// clone returns a prediction that does not belong to a Scorer.
func (p *Prediction) clone() Prediction {
	scores, n := slices.Concat(p.Scores, p.Margins), len(p.Scores)
	return Prediction{Labels: slices.Clone(p.Labels), Scores: scores[:n:n], Margins: scores[n:]}
}

// highest returns the class with the highest score, the first of several.
func highest(scores []float64) int {
	best := 0
	for k, score := range scores {
		if score > scores[best] {
			best = k
		}
	}
	return best
}

// Best lists the n classes of a prediction with the highest ranks, without those of scores below least, best first,
// ties by number. Where labels are paths or fastText has trained the model, the predicted one is first; of paths, those
// follow in which the document is likely to be and not below.
func (c *Classifier) Best(p *Prediction, n int, least float64) (classes []int) {
	n = min(n, len(p.Scores))
	if c.Paths() != nil {
		classes = c.tree.Rank(p.Scores, p.Labels[0])[:n]
	} else {
		classes = best(c.Ranks(p), n)
	}
	if n > 0 && c.fastText != nil && len(p.Labels) > 0 { // of several with the best score
		predicted := p.Labels[0]
		classes = slices.DeleteFunc(classes, func(k int) bool { return k == predicted })
		classes = slices.Insert(classes, 0, predicted)[:n]
	}
	return slices.DeleteFunc(classes, func(k int) bool { return p.Scores[k] < least })
}

// borrow gives a scorer that nobody else has. One that has met no error goes back to c.scorers.
func (c *Classifier) borrow() (*Scorer, error) {
	if s, ok := c.scorers.Get().(*Scorer); ok {
		return s, nil
	}
	return c.NewScorer()
}
