package sparse_test

import (
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/sparse"
)

func ExampleCSR_AddColumnSums() {
	var m sparse.CSR
	m.AppendRow([]uint32{0, 1}, []float32{1, 2})
	m.AppendRow([]uint32{1, 2}, []float32{3, 4})
	m.AppendRow([]uint32{0, 2}, []float32{5, 6})

	class := roaring.BitmapOf(0, 2) // the rows of one class
	sums := make([]float64, m.Cols)
	m.AddColumnSums(sums, class, nil)
	fmt.Println(sums)
	// Output: [6 2 6]
}

func ExampleAppendSVMLight() {
	idx, val, err := sparse.AppendSVMLight(nil, nil, []byte("3:1 17:0.5 20:0"))
	fmt.Println(idx, val, err)

	_, _, err = sparse.AppendSVMLight(nil, nil, []byte("3:1 2:1"))
	var feature *sparse.FeatureError
	fmt.Println(errors.As(err, &feature), feature.Offset)
	fmt.Println(err)
	// Output:
	// [3 17] [1 0.5] <nil>
	// true 4
	// sparse: feature "2:1" at byte 4 of the row: indices must increase from left to right
}

func ExampleAppendSVMLightRow() {
	fmt.Printf("%s", sparse.AppendSVMLightRow(nil, "+1", []uint32{0, 6}, []float64{1, 0.25}))
	// Output: +1 1:1 7:0.25
}
