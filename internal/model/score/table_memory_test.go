package score

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTableStaysMapped: the memory of a table, which the garbage collector does not know,
// stays until the last call with the table returns, also where nobody else holds the table.
func TestTableStaysMapped(t *testing.T) {
	must.SkipUnderRace(t)
	const bits = 19
	ids := make([]uint64, 1<<bits)
	for i := range ids {
		ids[i] = uint64(i)
	}
	set, _, err := model.NewKeySet(1<<bits, ids)
	must.OK(t, err)
	narrow := &model.Model{Universe: 1 << bits, Keys: *set, Outputs: 1, Dense: make(model.Float32s, len(ids))}
	narrow.Meta = model.Meta{Labels: []string{"a", "b"}, Task: "binary", Link: "margin", Source: "text", Values: "binary"}
	narrow.Meta.Text = hashing.DefaultOptions()
	narrow.Meta.Text.Bits = bits
	wide := *narrow
	wide.Outputs, wide.Meta.Task = 2, "multiclass"
	wide.Dense = make(model.Float32s, 2*len(ids))
	sparse := wide
	sparse.Dense, sparse.Sparse = nil, model.NewSparse(len(ids), func(func(row uint32, output int, number float32)) {})
	for _, m := range []*model.Model{narrow, &wide, &sparse} {
		m.Bias, m.Base, m.Threshold = make([]float64, m.Outputs), make([]float64, m.Outputs), make([]float64, m.Outputs)
	}
	text := numbered(1 << 18)
	active := kernels.Active()
	defer kernels.Use(active)
	if err := kernels.Use("generic"); err != nil { // assembly is not interrupted
		t.Fatal(err)
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for name, m := range map[string]*model.Model{"one output": narrow, "dense": &wide, "sparse": &sparse} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				scorers, done := make(chan *Scorer), make(chan any)
				go func() { // on a stack that the table has not been on
					defer func() { done <- recover() }()
					debug.SetPanicOnFault(true)
					p := (<-scorers).predictor
					must.OK(t, p.add(t.Context(), text))
					p.find()
					_, err := p.predict(0, nil)
					must.OK(t, err)
				}()
				s, err := New(m).NewScorer()
				must.OK(t, err)
				scorers <- s
				if fault := <-done; fault != nil {
					t.Fatal(fault)
				}
			}
		})
	}
}
