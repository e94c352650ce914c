package score

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestRules: what needs weights refuses a model of trees, and trees that can't be read are an error.
func TestRules(t *testing.T) {
	ids, _, err := model.NewKeySet(10, []uint64{2, 5, 7})
	must.OK(t, err)
	open := func(data []byte) (*Classifier, error) {
		m := &model.Model{
			Meta:     model.Meta{Labels: []string{"neg", "pos"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count", Made: []byte(`{"options":{"model":"gbdt"}}`)},
			Universe: 10, Keys: *ids, Outputs: 1, Rule: &model.Rule{Section: model.Trees, Data: data},
			Bias: []float64{-10}, Base: []float64{0}, Threshold: []float64{0},
		}
		var file bytes.Buffer
		_, err := m.WriteTo(&file)
		must.OK(t, err)
		return OpenBytes(file.Bytes())
	}
	forest := boost.Forest{Outputs: 1, Trees: []boost.Tree{{Nodes: []boost.Node{{Number: 3}}}}}
	c, err := open(forest.AppendBinary(nil, nil))
	must.OK(t, err)
	if p, err := c.Predict([]byte("2:3")); err != nil || p.Margins[0] != -7 {
		t.Errorf("predicted %+v, %v", p, err)
	}
	_, quantized := c.Quantize()
	_, matrix := c.MatrixRow("")
	for what, err := range map[string]error{
		"quantized":            quantized,
		"exported as weights":  c.Weights(nil),
		"no solver trained it": matrix,
	} {
		if err == nil || !strings.Contains(err.Error(), "gbdt") || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := open([]byte("circles")); !errors.Is(err, model.ErrCorrupt) || !strings.Contains(err.Error(), "section TREES") {
		t.Errorf("damaged: %v", err)
	}
}
