package render

import (
	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/recordstream"
)

// Parquet is the name of rows in a Parquet file, which another program writes.
const Parquet = string(corpus.Parquet)

// FileRow is a row of a Parquet file that is to be written, with its classes and their scores, as package recordstream
// has it. A bad record's has none.
func FileRow(c *nbsvm.Classifier, show Shown) nbsvm.Render {
	labels := c.Labels()
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p == nil {
			return recordstream.AppendKept(dst, d.Line)
		}
		classes := show.of(c, p)
		dst = recordstream.AppendScored(dst, d.Line, len(classes))
		for _, k := range classes {
			dst = recordstream.AppendClass(dst, labels[k], p.Scores[k])
		}
		return dst
	}
}

// Lists tells whether a row may have several classes.
func (s *Shown) Lists(c *nbsvm.Classifier) bool {
	return s.Label == nil && (s.Top > 0 || c.MultiLabel())
}
