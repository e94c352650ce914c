package score

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// squares is a rule with the margin Σ f², which is no sum of weights.
type squares struct{ m *model.Model }

func (r squares) scorer(*table) ruleScorer { return r }

func (r squares) Strongest(int, func(int) bool) [][]explain.Feature {
	return [][]explain.Feature{nil, {{Key: 7, Weight: 1}}}
}

func (squares) refuse(to use) error { return errors.New("squares can't be " + string(to)) }

func (squares) margins(b *batch) []float64 {
	sum := 0.0
	for _, f := range b.rowValues {
		sum += float64(f * f)
	}
	return []float64{sum}
}

func (squares) explain(_ *explain.Text, _ int, b *batch) []part {
	margins := make([]float64, len(b.rows))
	for k, f := range b.rowValues {
		margins[k] = float64(f * f)
	}
	return partsOf(margins, b)
}

// TestRules: a model decides by the rule that its file has, wherever it predicts. What needs weights refuses it, and so
// does a program that does not know the rule.
func TestRules(t *testing.T) {
	defer func(before func(*model.Model) (rule, error)) { rules[model.Trees] = before }(rules[model.Trees])
	rules[model.Trees] = func(m *model.Model) (rule, error) {
		if string(m.Rule.Data) != "squares" {
			return nil, errors.New("it holds no squares")
		}
		return squares{m}, nil
	}
	ids, _, err := model.NewKeySet(10, []uint64{2, 5, 7})
	must.OK(t, err)
	save := func(section, data string) string {
		m := &model.Model{
			Meta:     model.Meta{Labels: []string{"neg", "pos"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count", Made: []byte(`{"options":{"model":"squares"}}`)},
			Universe: 10, Keys: *ids, Outputs: 1, Rule: &model.Rule{Section: section, Data: []byte(data)},
			Bias: []float64{-10}, Base: []float64{0}, Threshold: []float64{0},
		}
		path := filepath.Join(t.TempDir(), "rule.nbm")
		var file bytes.Buffer
		if _, err := m.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		must.OK(t, os.WriteFile(path, file.Bytes(), 0o600))
		return path
	}
	c, err := Open(save(model.Trees, "squares"))
	must.OK(t, err)
	defer c.Close()
	s, err := c.NewScorer()
	must.OK(t, err)
	for text, want := range map[string]float64{"2:3 5:2": 3, "4:100 7:1": -9, "": -10} {
		p, err := s.PredictFeatures([]byte(text))
		if err != nil || !slices.Equal(p.Scores, []float64{-want, want}) || p.Labels[0] == 1 != (want > 0) {
			t.Errorf("%q: %+v, %v, want margin %v", text, p, err, want)
		}
	}
	e, err := s.ExplainText([]byte("2:3 5:2"))
	want := []explain.Contribution{{Name: "feature 2", Value: 3, Weight: 3, Margin: 9}, {Name: "feature 5", Value: 2, Weight: 2, Margin: 4}}
	if err != nil || e.Margin != 3 || e.Bias != -10 || !slices.Equal(e.Contributions, want) {
		t.Errorf("explained as %+v, %v", e, err)
	}
	if x, err := c.Explain(1); err != nil || len(x) != 2 || x[1].Features[0].Name != "feature 7" {
		t.Errorf("the model is explained as %+v, %v", x, err)
	}

	_, quantized := c.Quantize()
	_, matrix := c.MatrixRow("")
	for what, err := range map[string]error{
		"quantized":            quantized,
		"exported as weights":  c.Weights(nil),
		"no solver trained it": matrix,
	} {
		if err == nil || !strings.Contains(err.Error(), "squares") || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Open(save(model.Trees, "circles")); !errors.Is(err, model.ErrCorrupt) || !strings.Contains(err.Error(), "no squares") {
		t.Errorf("damaged: %v", err)
	}
	delete(rules, model.Trees)
	if _, err := Open(save(model.Trees, "squares")); !errors.Is(err, model.ErrNewerVersion) || !strings.Contains(err.Error(), "TREES") {
		t.Errorf("a rule that is not known: %v", err)
	}
}
