package scoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
)

// Record writes a record as it stands. It makes a bad record of one that is not text: rows of Parquet, see
// [FileRow].
func Record(dst []byte, d *corpus.Document, _ []nbsvm.Prediction) []byte {
	if d.Record == nil {
		d.Err = errors.New("its file holds no text, so that the record can't be written as text")
		return dst
	}
	return append(append(dst, d.Record...), d.EOL...)
}

// AddField writes a record with one more member, the last of its object: the score of the label shown, or the predicted
// label with its score. Nothing else changes. A record that has such a member, or has no object where dots descend, is
// bad; a blank line stays one. In bad records the member is null, unless they can't have it: those are left out.
// Of several models there is an object with such a value of each.
func AddField(path string, row *Row) nbsvm.Render {
	value := rowValue(row)
	return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
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

// rowValue writes the predictions of a document.
func rowValue(row *Row) func(dst []byte, p []nbsvm.Prediction) []byte {
	values := make([]func([]byte, *nbsvm.Prediction) []byte, len(row.Of))
	for i := range row.Of {
		values[i] = fieldValue(&row.Of[i])
	}
	return func(dst []byte, p []nbsvm.Prediction) []byte {
		if row.Of[0].Name == "" {
			return values[0](dst, &p[0])
		}
		dst = append(dst, '{')
		for i, value := range values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value(append(display.AppendJSON(dst, row.Of[i].Name), ':'), &p[i])
		}
		return append(dst, '}')
	}
}

// fieldValue writes a prediction as JSON: the score of the label shown, or
// {"label":…,"score":…}; of models of any number of labels {"labels":{…}}, with scores.
func fieldValue(show *Shown) func(dst []byte, p *nbsvm.Prediction) []byte {
	if show.Label != nil {
		return func(dst []byte, p *nbsvm.Prediction) []byte { return appendScore(dst, p.Scores[show.Label[0]]) }
	}
	labels := written(show.Classifier, jsonLabel)
	if show.MultiLabel() {
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
