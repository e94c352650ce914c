package scoring

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// drawn returns whether a document is drawn by its score of a class, the probability by a model, as for GPT-3 (Brown et
// al., 2020, appendix A): if numpy.random.pareto(alpha) > 1 - score, a random number of the Lomax distribution. That is
// above x with the probability (1 + x)^-alpha, so one number that is uniform from 0 to 1 tells the same. It is made of
// the record or its id.
func (s *Scoring) drawn(of, class int) func(d *corpus.Document, p []nbsvm.Prediction) bool {
	alpha, seed := *s.options.KeepPareto, uint64(1)
	if s.options.Seed != nil {
		seed = *s.options.Seed
	}
	byID := s.options.IDField != ""
	return func(d *corpus.Document, p []nbsvm.Prediction) bool {
		return uniform(seed, d, byID) < keptOfScore(p[of].Scores[class], alpha)
	}
}

// keptOfScore returns the probability with which a document of this score is kept.
func keptOfScore(score, alpha float64) float64 { return xmath.Exp(-alpha * xmath.Log(2-score)) }

// uniform returns a number from 0 to less than 1 that depends on nothing but the seed and the document's id or record;
// of Parquet, whose records are no bytes, its text.
func uniform(seed uint64, d *corpus.Document, byID bool) float64 {
	of := d.Record
	switch {
	case byID && len(d.Kept) > 0: // a blank record has none
		of = d.Kept[0].AppendText(nil)
	case of == nil:
		of = d.Text
	}
	hash := sha256.New()
	hash.Write(binary.LittleEndian.AppendUint64(nil, seed))
	hash.Write(of)
	return float64(binary.LittleEndian.Uint64(hash.Sum(nil))>>11) / (1 << 53)
}
