package score

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/sparse"
)

// exporter sees documents as the solver saw them for one output: rows x = unit·f·r, of which a document's margin is a
// linear function.
type exporter struct {
	c      *Classifier
	output int // -1: all outputs
}

// exporter checks that the class's matrix can be given. Two classes need no name.
func (c *Classifier) exporter(class string) (*exporter, error) {
	m := c.m
	made := madeOf(m)
	kind := made.Options.Kind
	if made.Solution == nil {
		return nil, fmt.Errorf("nbsvm: a %s model can't be exported, because no solver trained it", kind)
	}
	if err := c.refusePaths("exported as rows of the solver"); err != nil {
		return nil, err
	}
	number := slices.Index(c.Labels(), class)
	if class != "" && number < 0 {
		return nil, fmt.Errorf("nbsvm: the model has no class %q; its classes are %s",
			class, display.Excerpts(c.Labels()))
	}
	e := &exporter{c: c, output: -1}
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
		return nil, fmt.Errorf("nbsvm: documents may have several of the %d labels, and a row has one: choose one label", m.Outputs)
	}
	return e, nil
}

// label returns how the class is named in rows, which have whole numbers: 1 and -1 for an output on its own, and the
// class's number from 1 otherwise; 0 if there is none.
func (e *exporter) label(class int) string {
	switch {
	case class < 0:
		return "0"
	case e.output < 0:
		return strconv.Itoa(class + 1)
	case class == e.c.m.OutputClass(e.output):
		return "1"
	}
	return "-1"
}

// Weights visits the features of the model in order of their keys, each with its weight for every class; the first
// visit is of the bias, without a feature. Of two classes the weights are each other's negatives. What is visited
// is valid until the visit returns.
func (c *Classifier) Weights(visit func(f *explain.Feature, weights []float64) error) error {
	if err := c.checkWeights("exported as weights"); err != nil {
		return err
	}
	if l := c.m.Meta.Levels; l != nil && len(l.Numbers) > 2 {
		return errors.New("nbsvm: an ordinal model has thresholds beside its weights, which can't be exported: train model nbsvr")
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
// unit length applied, without the bias feature. Its label is a number where the model predicts numbers. class names the
// class to set against the rest; "" stands for all. The rows of the training documents are the solver's own, but where an
// n-gram that training left out (see Options.MinDF) is in a bucket that several others share, and passes for one of them.
// Any number of goroutines may call the function.
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
		if c.Numbers() {
			ids, values, err := e.row(d.Text)
			if err != nil {
				return dst, err
			}
			return sparse.AppendSVMLightRow(dst, string(d.Labels[0]), ids, values), nil
		}
		class := -1
		for _, l := range d.Majority() {
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
		if values[k] = p.batch.rowValues[k] * unit; e.c.m.Ratio != nil {
			values[k] *= float64(e.c.m.Ratio.At(int(row)))
		}
	}
	ids := slices.Clone(p.batch.rows)
	sparse.SortRow(ids, values)
	e.c.scorers.Put(s)
	return ids, values, nil
}
