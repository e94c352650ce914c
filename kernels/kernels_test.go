package kernels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// A document is the ids of its words. Its score under a linear model is a dot product, and learning from it adds a
// multiple of its row to the weights.
func Example() {
	weights := make([]float64, 8)
	document := []uint32{1, 4, 6}

	kernels.Axpy(weights, document, nil, 0.5)
	fmt.Println(weights)
	fmt.Println(kernels.Dot(weights, document, nil))
	// Output:
	// [0 0.5 0 0 0.5 0 0.5 0]
	// 1.5
}

func ExampleMulVec() {
	// 1 0 2
	// 0 0 0
	// 0 3 0
	indptr, idx, val := []int64{0, 2, 2, 3}, []uint32{0, 2, 1}, []float32{1, 2, 3}
	scores := make([]float64, 3)
	kernels.MulVec(scores, indptr, idx, val, []float64{1, 10, 100})
	fmt.Println(scores)
	// Output: [201 0 30]
}

func TestSquaredNorm(t *testing.T) {
	weights, idx := []float64{1, 2, 3}, []uint32{0, 2}
	if got := kernels.SquaredNorm(weights, idx, []float32{2, -1}); got != 7 {
		t.Errorf("with values: %v, want 7", got)
	}
	if got := kernels.SquaredNorm(weights, idx, nil); got != 4 {
		t.Errorf("without values: %v, want 4", got)
	}
}

func TestMisuse(t *testing.T) {
	for name, misuse := range map[string]func(){
		"2 ids but 1 values":      func() { kernels.Dot(make([]float64, 3), []uint32{0, 1}, []float32{1}) },
		"1 row bounds for 2 rows": func() { kernels.MulVec(make([]float64, 2), []int64{0}, nil, nil, nil) },
		"out of range [3]":        func() { kernels.Axpy(make([]float64, 3), []uint32{3}, nil, 1) },
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.Contains(message, name) {
					t.Errorf("panicked with %q, want %q", message, name)
				}
			}()
			misuse()
		}()
	}
}

func TestUse(t *testing.T) {
	before := kernels.Active()
	for _, name := range kernels.Implementations() {
		if err := kernels.Use(name); err != nil || kernels.Active() != name {
			t.Errorf("Use(%q): %v, active %s", name, err, kernels.Active())
		}
	}
	if err := kernels.Use("abacus"); err == nil || !strings.Contains(err.Error(), `"abacus"`) {
		t.Error(err)
	}
	must.OK(t, kernels.Use(before))
}
