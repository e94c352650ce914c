package learn

import (
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Training updates a model without the documents that the model was trained on, by adding a correction to it.
// With f the decision values of the model, the solver minimizes
//
//	½·Σ_j h_j·δ_j² + Σ_i C_i·loss(y_i·(f(x_i) + δᵀx_i))
//
// over the new documents i. If all h_j were 1, this would be the dual problem of all documents, earlier ones
// included, with their alpha left as they are. But then a few new documents bend the model more than training on all
// of them would: the others don't resist. So h_j stands for them: it is 1 plus the second derivative that their
// losses would have if they had feature j as often as the new documents do,
//
//	h_j = 1 + stiffness·N/n·Σ_i C·m_i·x_ij²
//
// for N earlier documents and n new ones with weights m_i. The bias, which all documents have, is treated the same way.
// Features that the model knows keep their ratios; new ones have h = 1. A new class begins with the bias that it would
// have learned from N documents without it; new documents without it count as well.

// prior is a model to update, in terms of the columns of a matrix.
type prior struct {
	*model.Model
	earlier float64 // documents
	rows    []int32 // of the model, by column; -1 for other features
	outputs []int   // of the model, by output; -1 for a new class
	against int     // the output that is now for the first of two classes, of which the only output was against; or -1
	weights []part  // by output of the model, where they are sparse; columns are rows of the model, ascending
}

// newPrior returns nil without a model.
func (t *trainer) newPrior(m *model.Model) *prior {
	if m == nil {
		return nil
	}
	p := &prior{Model: m, earlier: t.Earlier, rows: make([]int32, len(t.x.Keys)), against: -1}
	par.Chunks(t.Threads, len(p.rows), columnsPart, func(_, lo, hi int) {
		for j, key := range t.x.Keys[lo:hi] {
			p.rows[lo+j] = -1
			if row, known := m.Keys.Rank(key); known {
				p.rows[lo+j] = int32(row)
			}
		}
	})
	for _, class := range t.outputClasses() {
		k := slices.Index(m.Meta.Labels, t.ds.Classes.Labels[class])
		if m.Meta.Task == "binary" && k >= 0 {
			if k == 0 {
				p.against = len(p.outputs)
			}
			k = 0
		}
		p.outputs = append(p.outputs, k)
	}
	if m.Sparse != nil {
		p.weights = p.byOutput(m.Sparse)
	}
	return p
}

// byOutput lists the numbers of the model's rows by output.
func (p *prior) byOutput(s *model.Sparse) []part {
	parts := make([]part, p.Outputs)
	for row := range s.Rows() {
		for k, v := range s.All(row) {
			parts[k].columns, parts[k].values = append(parts[k].columns, uint32(row)), append(parts[k].values, v)
		}
	}
	return parts
}

// stiffness returns twice the second derivative of the squared hinge, or twice the largest one of the logistic loss;
// the factor 2 makes up for features that occur together.
func (p *Params) stiffness() float64 {
	if p.Solver.Loss == solver.Logistic {
		return 0.5
	}
	return 4
}

// stiffBias returns the value of the bias feature that makes the bias as stiff as other weights.
func (p *Params) stiffBias() float64 {
	if p.From == nil {
		return p.Solver.Bias
	}
	return p.Solver.Bias / math.Sqrt(1+float64(p.stiffness()*p.C*p.Earlier*p.Solver.Bias*p.Solver.Bias))
}

// sign returns the sign of the model's numbers for an output.
func (p *prior) sign(output int) float32 {
	if output == p.against {
		return -1
	}
	return 1
}

// take finds the weights of the model for an output, in terms of columns, in the memory of dst, and the bias. Of a
// new class it has a bias alone.
func (p *prior) take(output int, dst []float32, loss solver.Loss) (weights []float32, bias float64) {
	weights = slices.Grow(dst[:0], len(p.rows))[:len(p.rows)]
	clear(weights)
	k, sign := p.outputs[output], p.sign(output)
	switch {
	case k < 0 && loss == solver.Logistic:
		return weights, -xmath.Log(2*p.earlier + 1)
	case k < 0:
		return weights, -1
	}
	ofRow := func(row int) float32 { return p.Dense.At(row*p.Outputs + k) }
	if p.Sparse != nil {
		all := make([]float32, p.Keys.Size())
		for i, row := range p.weights[k].columns {
			all[row] = p.weights[k].values[i]
		}
		ofRow = func(row int) float32 { return all[row] }
	}
	for j, row := range p.rows {
		if row >= 0 {
			weights[j] = sign * (ofRow(int(row)) + float32(p.Base[k]))
		}
	}
	return weights, float64(sign) * p.Bias[k]
}

// keepRatio replaces the ratio of features that the model knows by that of the model.
func (p *prior) keepRatio(columns []float32) {
	for j, row := range p.rows {
		if row >= 0 && p.Ratio != nil {
			columns[j] = p.Ratio.At(int(row))
		}
	}
}

// correction is how rows and steps of a correction are scaled, for all outputs alike.
type correction struct {
	rows    []float64 // nil for 1
	freedom []float32 // 1/√h by column, see above
	columns []float32 // what a column is multiplied by, freedom included
}

// newCorrection takes the scales of rows and columns that a problem without the model has.
func (t *trainer) newCorrection(p *solver.Problem) *correction {
	c := &correction{rows: p.RowScale}
	if p.UnitRows {
		c.rows = dataset.InverseNorms(t.x.X, p.ColScale, t.Threads)
	}
	c.freedom = t.freedom(p, c.rows)
	c.columns = slices.Clone(c.freedom)
	for j, s := range p.ColScale {
		c.columns[j] *= s
	}
	return c
}

// learnOn makes a problem one of correcting the model.
func (t *trainer) learnOn(output int, p *solver.Problem, m *classMemory) {
	t.correcting.Do(func() { t.correction = t.newCorrection(p) })
	scale := t.correction.rows
	m.prior, m.priorBias = t.prior.take(output, m.prior, t.Solver.Loss)
	if t.prior.outputs[output] < 0 {
		t.weighNegatives(p)
	}
	p.Offset = t.decide(m, scale)
	p.ColScale, p.RowScale, p.UnitRows = t.correction.columns, scale, false
}

// weighNegatives gives new documents without a new class the weight of the earlier documents as well, none of which has
// the class.
func (t *trainer) weighNegatives(p *solver.Problem) {
	negatives := 0
	for _, positive := range p.Positive {
		if !positive {
			negatives++
		}
	}
	if negatives > 0 {
		p.Costs.Negative *= 1 + t.prior.earlier/float64(negatives)
	}
}

// decide computes the decision values of the model for rows that are multiplied by a scale; nil for 1.
func (t *trainer) decide(m *classMemory, scale []float64) []float64 {
	x := t.x.X
	weights := make([]float64, len(m.prior))
	for j, w := range m.prior {
		if weights[j] = float64(w); t.x.IDF != nil {
			weights[j] *= float64(t.x.IDF[j])
		}
	}
	values := make([]float64, x.Rows)
	const chunk = 1 << 10
	par.Chunks(t.Threads, x.Rows, chunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			columns, counts := x.Row(i)
			value := kernels.Dot64(weights, columns, counts)
			if scale != nil {
				value = float64(value * scale[i])
			}
			values[i] = value + m.priorBias
		}
	})
	return values
}

// freedom returns 1/√h by column, see above.
func (t *trainer) freedom(p *solver.Problem, scale []float64) (freedom []float32) {
	x := t.x.X
	squares := make([]float64, len(t.x.Keys))
	for i := range x.Rows {
		c := t.C
		if t.mass != nil {
			c *= t.mass[i]
		}
		if scale != nil {
			c = float64(c*scale[i]) * scale[i]
		}
		columns, values := x.Row(i)
		for k, j := range columns {
			v := 1.0
			if values != nil {
				v = float64(values[k])
			}
			if p.ColScale != nil {
				v = float64(v * float64(p.ColScale[j]))
			}
			squares[j] += float64(float64(c*v) * v)
		}
	}
	times := t.stiffness() * t.prior.earlier / float64(x.Rows)
	for j, square := range squares {
		h := 1.0
		if t.prior.rows[j] >= 0 {
			h += float64(times * square)
		}
		freedom = append(freedom, float32(1/math.Sqrt(h)))
	}
	return freedom
}
