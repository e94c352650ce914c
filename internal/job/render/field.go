package render

import (
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// AddField writes a record with one more member, the last of its object: the score of the
// label shown, or the predicted label with its score. Nothing else changes. A record that has
// such a member, or has no object where dots descend, is bad; a blank line stays one.
func AddField(path string, c *nbsvm.Classifier, show Shown) nbsvm.Render {
	value := fieldValue(c, show)
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		start := len(dst)
		dst = value(dst, p) // for as long as the record is put together, in front of it
		end := len(dst)
		dst, err := corpus.AppendField(dst, d.Record, path, dst[start:end])
		if err != nil {
			d.Err = fmt.Errorf("%w; choose another name for --add-field", err)
		}
		return slices.Delete(dst, start, end)
	}
}

// fieldValue writes a prediction as JSON: the score of the label shown, or
// {"label":…,"score":…}; of models of any number of labels {"labels":{…}}, with scores.
func fieldValue(c *nbsvm.Classifier, show Shown) func(dst []byte, p *nbsvm.Prediction) []byte {
	if show.Label != nil {
		return func(dst []byte, p *nbsvm.Prediction) []byte { return appendScore(dst, p.Scores[show.Label[0]]) }
	}
	labels := written(c, jsonLabel)
	if c.MultiLabel() {
		return func(dst []byte, p *nbsvm.Prediction) []byte {
			dst = append(dst, `{"labels":{`...)
			return append(appendScores(dst, labels, p.Labels, p.Scores), "}}"...)
		}
	}
	return func(dst []byte, p *nbsvm.Prediction) []byte {
		if len(p.Labels) == 0 {
			return append(dst, `{"label":null,"score":0}`...)
		}
		k := p.Labels[0]
		dst = append(append(dst, `{"label":`...), labels[k]...)
		return append(appendScore(append(dst, `,"score":`...), p.Scores[k]), '}')
	}
}
