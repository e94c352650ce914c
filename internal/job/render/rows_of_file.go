package render

import (
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// Parquet is the name of rows in a Parquet file, which another program writes.
const Parquet = string(corpus.Parquet)

// FileRow is a row of a Parquet file that is to be written, with its classes and their scores, as package recordstream
// has it. A bad record's has none.
func FileRow(c *score.Classifier, show Shown) score.Render {
	labels := c.Labels()
	return func(dst []byte, d *corpus.Document, p *score.Prediction) []byte {
		if p == nil {
			return recordstream.AppendKept(dst, d.Line)
		}
		classes := show.of(p)
		dst = recordstream.AppendScored(dst, d.Line, len(classes))
		for _, k := range classes {
			dst = recordstream.AppendClass(dst, labels[k], p.Scores[k])
		}
		return dst
	}
}

// Lists tells whether a row may have several classes.
func (s *Shown) Lists(c *score.Classifier) bool {
	return s.Label == nil && (s.Top > 0 || c.MultiLabel())
}
