package nbsvm

import (
	"testing"

	"github.com/seed-167f963f/nbsvm/solver"
)

// TestNegativesChosen: auto is near for many classes with many documents alone, and what is asked for stays.
func TestNegativesChosen(t *testing.T) {
	for _, test := range []struct {
		classes   int
		documents int64
		want      Negatives
	}{
		{2, 1 << 30, ""},
		{63, 1 << 30, ""},
		{64, 1<<18 - 1, ""},
		{64, 1 << 18, NearNegatives},
		{1000, 1 << 14, ""},
		{1000, 1 << 15, NearNegatives},
	} {
		if got := AutoNegatives.chosenFor(test.classes, test.documents, solver.Hinge); got != test.want {
			t.Errorf("%d classes, %d documents: auto is %q, want %q", test.classes, test.documents, got, test.want)
		}
		if got := AutoNegatives.chosenFor(test.classes, test.documents, solver.Logistic); got != "" {
			t.Errorf("%d classes, %d documents, logistic loss: auto is %q", test.classes, test.documents, got)
		}
		for _, n := range []Negatives{"", AllNegatives, NearNegatives} {
			if got := n.chosenFor(test.classes, test.documents, solver.Hinge); got != n {
				t.Errorf("%q became %q", n, got)
			}
		}
	}
}
