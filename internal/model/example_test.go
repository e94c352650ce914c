package model_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/keyset"
	"github.com/seed-167f963f/nbsvm/internal/model"
)

// A model for ready-made features: two of ten have weights.
func Example() {
	keys, _, err := keyset.New(10, []uint64{3, 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &model.Model{
		Meta:     model.Meta{Labels: []string{"ham", "spam"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count"},
		Universe: 10, Keys: *keys, Outputs: 1,
		Dense: model.Float32s{-1.5, 2},
		Bias:  []float64{0.25}, Base: []float64{0}, Threshold: []float64{0},
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "tiny.nbm")
	file, err := os.Create(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	if _, err := m.WriteTo(file); err != nil {
		fmt.Println(err)
		return
	}

	got, err := model.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer got.Close()
	margin := got.Bias[0]
	for _, key := range []uint64{3, 5, 8} {
		if row, ok := got.Keys.Rank(key); ok {
			margin += float64(got.Dense.At(row))
		}
	}
	fmt.Println(margin, got.Meta.Labels[1])

	if err := os.WriteFile(path+"2", []byte("label\ttext"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	_, err = model.Open(path + "2")
	fmt.Println(errors.Is(err, model.ErrNotModel))
	// Output:
	// 0.75 spam
	// true
}
