package score

import (
	"math"

	"github.com/seed-167f963f/nbsvm/internal/model"
)

// Prune gives the classifier with a share of its weights, those of the largest magnitude, and what that has left. It
// shares all else with c, which must not be closed as long as it is in use.
func (c *Classifier) Prune(keep float64) (pruned *Classifier, p model.Pruning, err error) {
	if err := c.refuse(pruning); err != nil {
		return nil, p, err
	}
	err = c.guard(func() error {
		var m *model.Model
		if m, p, err = c.m.Prune(keep); err == nil {
			pruned, err = newClassifier(m, c.file)
		}
		return err
	})
	return pruned, p, err
}

// candidateShares is how many shares of weights PruneWithin has to choose from: 1/√2, 1/2, and so on down to 1/1024.
const candidateShares = 20

// PruneWithin gives the classifier with the smallest share of its weights at which it loses at most so much, or with
// all of them if it loses more at every share. As what it loses falls with the share, but for noise, few shares are
// tried.
func (c *Classifier) PruneWithin(maxLoss float64, loss func(pruned *Classifier) (float64, error)) (best *Classifier, p model.Pruning, err error) {
	best, p, err = c.Prune(1)
	for good, bad := 0, candidateShares+1; err == nil && bad-good > 1; {
		i := (good + bad) / 2
		smaller, q, err := c.Prune(math.Exp2(-float64(i) / 2))
		if err != nil {
			return nil, p, err
		}
		lost, err := loss(smaller)
		switch {
		case err != nil:
			return nil, p, err
		case lost <= maxLoss:
			best, p, good = smaller, q, i
			p.Loss = lost
		default:
			bad = i
		}
	}
	return best, p, err
}
