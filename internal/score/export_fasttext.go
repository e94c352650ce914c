package score

import (
	"errors"
	"io"
)

// ExportFastText writes a model of fastText in its own format, for fastText to run: with the same labels and
// probabilities. Where these can't be the same, it writes nothing, and the error says why.
func (c *Classifier) ExportFastText(w io.Writer) error {
	if c.fastText == nil {
		return errors.New("nbsvm: the model is not of fastText: its n-grams are hashed otherwise, so that fastText can't run it; tsv has its weights")
	}
	return c.guard(func() error { return c.fastText.Write(w) })
}
