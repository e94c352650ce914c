package learn

import "github.com/seed-167f963f/nbsvm/internal/data/dataset"

// enoughDocuments are enough to fit a temperature to.
const enoughDocuments = 2000

// margins holds the margins of held-out documents, from which thresholds and probabilities are learned.
type margins struct {
	of       [][]float64 // by output
	carries  [][]bool    // whether the document has the output's label
	weights  []float64   // by document; where it has one label, the weight of its class counts as well
	positive []float64   // by output, the class weight of documents with its label; nil for 1
	distinct []bool      // by document, whether it is the first that says the same
	met      map[int]bool
}

func newMargins(outputs int) *margins {
	return &margins{of: make([][]float64, outputs), carries: make([][]bool, outputs), met: map[int]bool{}}
}

// add adds a document's margins and its weight times a factor, unless that is 0.
func (m *margins) add(parts *dataset.Division, doc int, factor float64, of []float64, carries func(output int) bool) {
	weight := parts.Weight(doc) * factor
	if weight == 0 {
		return
	}
	for i, margin := range of {
		m.of[i] = append(m.of[i], margin)
		m.carries[i] = append(m.carries[i], carries(i))
	}
	first := parts.Copy(doc)
	m.weights, m.distinct = append(m.weights, weight), append(m.distinct, !m.met[first])
	m.met[first] = true
}

// enough reports whether margins are enough to fit probabilities to, so that the other folds need not be trained: of
// thousands of documents that differ for a temperature, which is one number; of more, of either class, for the two
// numbers of a sigmoid, which move the threshold. docs/explanation/defaults.md has the measurements.
func (m *margins) enough() bool {
	documents, positive := m.count(0)
	if len(m.of) > 1 {
		return documents >= enoughDocuments
	}
	return documents >= 4000 && min(positive, documents-positive) >= 1000
}

// count returns how many documents differ, and of how many of these the output's label is.
func (m *margins) count(output int) (documents, positive int) {
	for n, distinct := range m.distinct {
		if distinct {
			documents++
			if m.carries[output][n] {
				positive++
			}
		}
	}
	return documents, positive
}

// evidence returns the weights, scaled so that distinct documents count 1 or more on average: with weights below 1,
// they would count less than the prior.
func (m *margins) evidence() []float64 {
	documents, total := 0, 0.0
	for n, weight := range m.weights {
		if total += weight; m.distinct[n] {
			documents++
		}
	}
	if total >= float64(documents) {
		return m.weights
	}
	scaled := make([]float64, len(m.weights))
	for n, weight := range m.weights {
		scaled[n] = weight * (float64(documents) / total)
	}
	return scaled
}
