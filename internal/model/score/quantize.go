package score

// Quantize gives the classifier with weights and ratios of 8 bits. It shares all else with c, which must not be closed
// as long as it is in use.
func (c *Classifier) Quantize() (q *Classifier, err error) {
	if err := c.checkWeights("quantized"); err != nil {
		return nil, err
	}
	err = c.Guard(func() error {
		m, err := c.m.Quantize()
		if err == nil {
			q, err = newClassifier(m, c.file)
		}
		return err
	})
	return q, err
}
