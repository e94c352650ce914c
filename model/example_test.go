package model_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/model"
)

// A model for ready-made features: two of ten have weights.
func Example() {
	ids, err := model.NewSet(10, []uint32{3, 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &model.Model{
		Meta:     model.Meta{Labels: []string{"ham", "spam"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count"},
		Universe: 10, IDs: ids, Outputs: 1,
		Dense: model.Float32s{-1.5, 2},
		Bias:  []float64{0.25}, Base: []float64{0}, Threshold: []float64{0},
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}

	got, err := model.Decode(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	margin := got.Bias[0]
	for _, id := range []uint32{3, 5, 8} {
		if row, ok := got.IDs.Row(id); ok {
			margin += float64(got.Dense.At(row))
		}
	}
	fmt.Println(margin, got.Meta.Labels[1])

	_, err = model.Decode(file.Bytes()[:900])
	fmt.Println(errors.Is(err, model.ErrTruncated), err)
	// Output:
	// 0.75 spam
	// true model: HEADER at byte 900: truncated: the file has 900 bytes of 960: copy the file again, or train again
}

func ExampleSections() {
	ids, _ := model.NewSet(1<<20, []uint32{3, 8})
	m := &model.Model{
		Meta:     model.Meta{Labels: []string{"ham", "spam"}, Task: "binary", Link: "margin", Source: "svmlight", Values: "count"},
		Universe: 1 << 20, IDs: ids, Outputs: 1,
		Dense: model.Float32s{-1.5, 2},
		Bias:  []float64{0.25}, Base: []float64{0}, Threshold: []float64{0},
	}
	var file bytes.Buffer
	m.WriteTo(&file)
	sections, err := model.Sections(file.Bytes())
	for _, s := range sections {
		if s.Length > 1000 {
			fmt.Println(s.Name, s.Offset, s.Length, s.OK)
		}
	}
	fmt.Println(err)
	// Output:
	// BITMAP 576 131072 true
	// RANK 131648 65536 true
	// <nil>
}
