package score

import "github.com/seed-167f963f/nbsvm/internal/model"

// Quantize gives the classifier with weights and ratios of 8 bits, and what
// rounding has done to them. It shares all else with c, which must not be closed as
// long as it is in use.
func (c *Classifier) Quantize() (q *Classifier, roundings []model.Rounding, err error) {
	if err := c.refuse(quantizing); err != nil {
		return nil, nil, err
	}
	err = c.Guard(func() error {
		var m *model.Model
		if m, roundings, err = c.m.Quantize(); err == nil {
			q, err = newClassifier(m, c.file)
		}
		return err
	})
	return q, roundings, err
}
