package scoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// Record writes a record as it stands. It makes a bad record of one that is not text: rows of Parquet, see
// [FileRow].
func Record(dst []byte, d *corpus.Document, _ *nbsvm.Prediction) []byte {
	if d.Record == nil {
		d.Err = errors.New("its file holds no text, so that the record can't be written as text")
		return dst
	}
	return append(append(dst, d.Record...), d.EOL...)
}

// AddField writes a record with one more member, the last of its object: the score of the label shown, or the predicted
// label with its score. Nothing else changes. A record that has such a member, or has no object where dots descend, is
// bad; a blank line stays one. In bad records the member is null, unless they can't have it: those are left out.
func AddField(path string, c *nbsvm.Classifier, show Shown) nbsvm.Render {
	value := fieldValue(c, show)
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		start := len(dst)
		switch { // the value stands in front of the record for as long as that is put together
		case p != nil:
			dst = value(dst, p)
		case bytes.HasPrefix(bytes.TrimLeft(d.Record, " \t"), []byte("{")) && json.Valid(d.Record):
			dst = append(dst, "null"...)
		default:
			return dst
		}
		end := len(dst)
		dst, err := jsonscan.AppendField(dst, d.Record, path, dst[start:end])
		switch {
		case err == nil:
			dst = append(dst, d.EOL...)
		case p != nil:
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
