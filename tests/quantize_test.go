package tests

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// widened is a quantized classifier with the same numbers in 32 bits.
func widened(t testing.TB, c *nbsvm.Classifier) *nbsvm.Classifier {
	m := *modelOf(t, c)
	widen := func(s *model.Numbers) {
		if *s != nil {
			*s = model.Float32s(slices.Clone((*s).Range(make([]float32, (*s).Len()), 0, (*s).Len())))
		}
	}
	widen(&m.Dense)
	if m.Sparse != nil {
		sparse := *m.Sparse
		widen(&sparse.Value)
		m.Sparse = &sparse
	}
	widen(&m.Ratio)
	return classifier(t, &m)
}

func quantize(t testing.TB, c *nbsvm.Classifier) *nbsvm.Classifier {
	t.Helper()
	quantized, err := inside.Classifier(c).Quantize()
	must.OK(t, err)
	return inside.Wrap(quantized).(*nbsvm.Classifier)
}

// TestQuantize: a quantized classifier does, bit for bit, what one of 32 bits does whose
// numbers were rounded the same way, also when written and opened again.
func TestQuantize(t *testing.T) {
	must.SkipUnderRace(t)
	exactWeights(t)
	layouts := map[string]bool{}
	for kind, s := range map[string]shape{
		"two classes": small,
		"many":        small.with(func(s *shape) { s.classes, s.docs = 30, 400 }),
	} {
		for _, name := range []string{"default", "tfidf", "calibrated", "mnb", "pa"} {
			c, _ := mustTrain(t, s.input(), options(everyVariant()[name]))
			m := modelOf(t, c)
			t.Run(kind+"/"+name, func(t *testing.T) {
				quantized := quantize(t, c)
				for have, is := range map[string]bool{"dense": m.Dense != nil, "sparse": m.Sparse != nil, "ratio": m.Ratio != nil} {
					layouts[have] = layouts[have] || is
				}
				path := filepath.Join(t.TempDir(), "quantized.nbm")
				must.OK(t, quantized.Save(path))
				opened, err := nbsvm.Open(path)
				must.OK(t, err)
				defer opened.Close()
				sameClassifiers(t, s, widened(t, quantized), quantized)
				sameClassifiers(t, s, widened(t, quantized), opened)
			})
		}
	}
	for _, layout := range []string{"dense", "sparse", "ratio"} {
		if !layouts[layout] {
			t.Errorf("no model is %s", layout)
		}
	}
}

// sameClassifiers compares what two classifiers do.
func sameClassifiers(t *testing.T, s shape, a, b *nbsvm.Classifier) {
	t.Helper()
	sa, sb := newScorer(t, a), newScorer(t, b)
	for _, d := range s.records()[:100] {
		pa, pb := predict(t, sa, d.text), predict(t, sb, d.text)
		if !reflect.DeepEqual(pa, pb) {
			t.Fatalf("%q gives %v and %v", d.text, pa, pb)
		}
		ea, errA := sa.ExplainText([]byte(d.text))
		eb, errB := sb.ExplainText([]byte(d.text))
		if errA != nil || errB != nil || !reflect.DeepEqual(ea, eb) {
			t.Fatalf("%q is explained as %+v and %+v (%v, %v)", d.text, ea, eb, errA, errB)
		}
	}
	if !reflect.DeepEqual(strongest(t, a, 10), strongest(t, b, 10)) {
		t.Error("other features are the strongest")
	}
	export := func(c *nbsvm.Classifier) string {
		var matrix bytes.Buffer
		err := inside.ExportMatrix(context.Background(), c, s.input(), 2, nil, c.Labels()[1], &matrix)
		return fmt.Sprint(matrix.String(), err)
	}
	if export(a) != export(b) {
		t.Error("other things are exported")
	}
}
