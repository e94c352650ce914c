package kernels_test

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/kernels"
)

// A binary row is the ids of its features; no values are stored. Its dot product
// with the weights is a sum of U, and a step of the solver adds d·S to each.
func Example() {
	slots := make([]kernels.Slot, 8)
	for j := range slots {
		slots[j].S = 0.25 // the square of the column's scale
	}
	document := []uint32{1, 4, 6}

	fmt.Println(kernels.DotSlots(slots, document, nil))
	kernels.AxpySlots(slots, document, nil, 2)
	fmt.Println(kernels.DotSlots(slots, document, nil))
	// Output:
	// 0
	// 1.5
}

func ExampleDotSlots() {
	slots := []kernels.Slot{{U: 1}, {U: 10}, {U: 100}}
	fmt.Println(kernels.DotSlots(slots, []uint32{0, 2}, []float32{3, 0.5}))
	// Output: 53
}

func ExampleSum64() {
	weights := []float64{0.5, -1, 2, 0.25}
	fmt.Println(kernels.Dot64(weights, []uint32{0, 2, 3}, nil))
	// Output: 2.75
}
