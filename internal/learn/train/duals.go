package train

// duals are the alpha that the solver came to for each output of a model. Models of other options on the same documents
// start from them, which saves a fifth to a half of the solver's work (Chu, Ho, Tsai, Lin and Lin 2015, "Warm Start for
// Parameter Selection of Linear Classifiers"): alpha that are taken as they are served better than those multiplied by
// what C is.
type duals struct {
	loss  string
	alpha [][]float64 // by output and row; nil for an output of which none are known
}

// mostDuals is how many alpha are kept, for all outputs together.
const mostDuals = 1 << 24

// begin readies the duals for a model of so many rows and outputs: alpha of another loss are given up.
func (d *duals) begin(loss string, rows, outputs int) {
	if d.loss != loss || len(d.alpha) != outputs {
		d.loss, d.alpha = loss, make([][]float64, outputs)
	}
	if int64(rows)*int64(outputs) > mostDuals {
		d.alpha = nil
	}
}

// of are the alpha of an output; nil where there are none.
func (d *duals) of(output int) []float64 {
	if d == nil || d.alpha == nil {
		return nil
	}
	return d.alpha[output]
}

// keep takes in what came of an output.
func (d *duals) keep(output int, alpha func(dst []float64) []float64) {
	if d != nil && d.alpha != nil {
		d.alpha[output] = alpha(d.alpha[output][:0])
	}
}
