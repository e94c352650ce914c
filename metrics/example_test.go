package metrics_test

import (
	"fmt"
	"os"

	"github.com/seed-167f963f/nbsvm/metrics"
)

func ExampleMultiClass() {
	want := []int32{0, 0, 1, 1, 1}
	got := []int32{0, 1, 1, 1, 0}
	r, err := metrics.MultiClass([]string{"ham", "spam"}, want, got, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := r.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   documents             5
	//   accuracy         0.6000
	//   macro f1         0.5833
	//   micro f1         0.6000
	//   weighted f1      0.6000
	//   macro precision  0.5833
	//   macro recall     0.5833
	//   micro precision  0.6000
	//   micro recall     0.6000
	//
	//   label  support  predicted  precision  recall      f1
	//   ham          2          2     0.5000  0.5000  0.5000
	//   spam         3          3     0.6667  0.6667  0.6667
	//
	// confusion: wanted down, predicted across
	//         ham  spam
	//   ham     1     1
	//   spam    1     2
}
