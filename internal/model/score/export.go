package score

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/data/rowsort"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// exporter sees documents and weights as the solver saw them for one output:
// rows x = unit·f·r, weights w with wᵀx + bias the margin.
//
// A model of ready-made features whose margin is linear in these is exported for documents as they are: its ratio is in
// its weights, and its features and, where they can, its labels have their own numbers.
type exporter struct {
	c      *Classifier
	output int // -1: all outputs

	numbers []uint32 // ready-made features of rows, less 1; nil if rows are numbered
	labels  bool     // labels are whole numbers, and stay
}

// LinearInFeatures reports whether the margin is linear in the ready-made features of a document.
func (c *Classifier) LinearInFeatures() bool {
	return c.TakesFeatures() && !c.m.Meta.Normalize
}

// exporter checks that the class's matrix can be given. Two classes need no name.
func (c *Classifier) exporter(class string) (*exporter, error) {
	m := c.m
	made := madeOf(m)
	kind := made.Options.Kind
	if made.Solution == nil {
		return nil, fmt.Errorf("nbsvm: a %s model can't be exported, because no solver trained it", kind)
	}
	if err := c.refusePaths("exported for LIBLINEAR"); err != nil {
		return nil, err
	}
	number := slices.Index(c.Labels(), class)
	if class != "" && number < 0 {
		return nil, fmt.Errorf("nbsvm: the model has no class %q; its classes are %s",
			class, display.Excerpts(c.Labels()))
	}
	e := &exporter{c: c, output: -1}
	if c.LinearInFeatures() {
		for _, key := range m.Keys.All() {
			e.numbers = append(e.numbers, uint32(key)-1)
		}
		e.labels = class == "" && !c.MultiLabel() && dataset.WholeNumbers(c.Labels())
	}
	switch {
	case m.Outputs == 1:
		e.output = 0
		if positive := m.OutputClass(0); class != "" && number != positive {
			return nil, fmt.Errorf("nbsvm: the model separates %q from %q: export the class %[1]q instead",
				c.Labels()[positive], class)
		}
	case class != "":
		e.output = number
	case c.MultiLabel():
		return nil, fmt.Errorf("nbsvm: documents may have several of the %d labels, which LIBLINEAR does not support: choose one label", m.Outputs)
	}
	return e, nil
}

// label returns how the class is named to LIBLINEAR, which knows whole numbers only: as ever if it is one that stays,
// else 1 and -1 for an output on its own, and the class's number from 1 otherwise.
func (e *exporter) label(class int) string {
	switch {
	case class < 0:
		return "0"
	case e.labels:
		return e.c.Labels()[class]
	case e.output < 0:
		return strconv.Itoa(class + 1)
	case class == e.c.m.OutputClass(e.output):
		return "1"
	}
	return "-1"
}

// LiblinearLabels returns which classes LIBLINEAR's numbers are in what MatrixRow and ExportLiblinear write: their
// labels, and nil for all classes but the one that is set against them.
func (c *Classifier) LiblinearLabels(class string) (map[int]*string, error) {
	e, err := c.exporter(class)
	if err != nil {
		return nil, err
	}
	labels := map[int]*string{}
	for k := range c.Labels() {
		number, _ := strconv.Atoi(e.label(k))
		if _, several := labels[number]; several || class != "" && number < 0 && c.m.Outputs > 1 {
			labels[number] = nil
		} else {
			labels[number] = &c.Labels()[k]
		}
	}
	return labels, nil
}

// Weights visits the features of the model in order of their keys, each with its weight for every class; the first
// visit is of the bias, without a feature. Of two classes the weights are each other's negatives. What is visited
// is valid until the visit returns.
func (c *Classifier) Weights(visit func(f *explain.Feature, weights []float64) error) error {
	if err := c.refuse(exportingWeights); err != nil {
		return err
	}
	return c.Guard(func() error {
		names := c.names()
		outputs, weights := make([]float64, c.m.Outputs), make([]float64, len(c.Labels()))
		byClass := func(outputs []float64) []float64 {
			if len(outputs) >= len(weights) {
				return outputs[:len(weights)] // of paths there may be more
			}
			weights[0], weights[1] = -outputs[0], outputs[0]
			return weights
		}
		if err := visit(nil, byClass(c.m.Bias)); err != nil {
			return err
		}
		for row, key := range c.m.Keys.All() {
			c.m.RowWeights(row, outputs)
			if err := visit(&explain.Feature{Key: key, Name: names[row]}, byClass(outputs)); err != nil {
				return err
			}
		}
		return nil
	})
}

// MatrixRow returns a function that appends a document as a row of SVMlight text, as the solver sees it: ratio, idf and
// unit length applied, without the bias feature. class names the class to set against the rest; "" stands for all. The
// rows of the training documents are the solver's own, but where an n-gram that training left out (see Options.MinDF)
// is in a bucket that several others share, and passes for one of them. Any number of goroutines may call the function.
func (c *Classifier) MatrixRow(class string) (func(dst []byte, d *corpus.Document) ([]byte, error), error) {
	e, err := c.exporter(class)
	if err != nil {
		return nil, err
	}
	number := map[string]int{}
	for k, label := range c.Labels() {
		number[label] = k
	}
	return func(dst []byte, d *corpus.Document) ([]byte, error) {
		class := -1
		for _, l := range d.Labels {
			if k, ok := number[string(l)]; ok && (class < 0 || e.output >= 0 && k == c.m.OutputClass(e.output)) {
				class = k
			}
		}
		ids, values, err := e.row(d.Text)
		if err != nil {
			return dst, err
		}
		return sparse.AppendSVMLightRow(dst, e.label(class), ids, values), nil
	}, nil
}

// row returns a document as the solver sees it, in columns by model row.
func (e *exporter) row(text []byte) ([]uint32, []float64, error) {
	s, err := e.c.borrow()
	if err != nil {
		return nil, nil, err
	}
	p := s.predictor.(*ruledPredictor)
	if _, err := p.predictWithRows(text); err != nil {
		return nil, nil, err
	}
	unit := p.rule.(*linearScorer).unit
	values := make([]float64, len(p.batch.rows))
	for k, row := range p.batch.rows {
		values[k] = p.batch.rowValues[k] * unit
		values[k] *= e.ratio(int(row))
	}
	ids := slices.Clone(p.batch.rows)
	if e.numbers != nil {
		for k, row := range ids {
			ids[k] = e.numbers[row]
		}
	}
	rowsort.Sort(ids, values)
	e.c.scorers.Put(s)
	return ids, values, nil
}

// ratio returns what the solver saw a feature multiplied by; 1 for documents as they are.
func (e *exporter) ratio(row int) float64 {
	if e.c.m.Ratio == nil || e.numbers != nil {
		return 1
	}
	return float64(e.c.m.Ratio.At(row))
}

// ExportLiblinear writes the model in the form that LIBLINEAR's predict reads, to be used on what MatrixRow writes
// or, if LinearInFeatures, on documents as they are.
func (c *Classifier) ExportLiblinear(class string, w io.Writer) error {
	e, err := c.exporter(class)
	if err != nil {
		return err
	}
	return c.Guard(func() error { return e.liblinear(w) })
}

// liblinear writes the model.
func (e *exporter) liblinear(w io.Writer) error {
	c := e.c
	trained := madeOf(c.m).Options
	solvers := map[string]string{
		"hinge": "L2R_L1LOSS_SVC_DUAL", "squared-hinge": "L2R_L2LOSS_SVC_DUAL",
		"logistic": "L2R_LR_DUAL",
	}
	m := c.m
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "solver_type %s\n", solvers[trained.Loss])
	outputs := []int{e.output}
	if e.output >= 0 {
		positive, negative := m.OutputClass(e.output), "-1"
		if e.labels {
			negative = e.label(1 - positive)
		}
		fmt.Fprintf(out, "nr_class 2\nlabel %s %s\n", e.label(positive), negative)
	} else {
		outputs = outputs[:0]
		fmt.Fprintf(out, "nr_class %d\nlabel", m.Outputs)
		for k := range m.Outputs {
			outputs = append(outputs, k)
			fmt.Fprintf(out, " %s", e.label(k))
		}
		fmt.Fprintln(out)
	}
	bias := trained.Bias
	if bias == 0 {
		bias = -1
	}
	features := m.Keys.Size()
	if n := len(e.numbers); n > 0 {
		features = int(e.numbers[n-1]) + 1
	}
	fmt.Fprintf(out, "nr_feature %d\nbias %v\nw\n", features, bias)
	weights := make([]float64, m.Outputs)
	line := func(value func(output int) float64) {
		for _, output := range outputs {
			fmt.Fprintf(out, "%.17g ", value(output))
		}
		fmt.Fprintln(out)
	}
	column := 0
	for row := range m.Keys.Size() {
		for ; e.numbers != nil && column < int(e.numbers[row]); column++ { // features that the model does not have
			line(func(int) float64 { return 0 })
		}
		column++
		m.RowWeights(row, weights)
		ratio := e.ratio(row)
		line(func(output int) float64 {
			if ratio == 0 {
				return 0
			}
			return weights[output] / ratio
		})
	}
	if bias > 0 {
		line(func(output int) float64 { return m.Bias[output] / bias })
	}
	return out.Flush()
}
