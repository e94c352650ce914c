package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

func TestClasses(t *testing.T) {
	if got := classList([]corpus.ClassCount{{Label: "neg", Documents: 1200}, {Label: "", Documents: 1}}); got != `2: neg 1,200, "" 1` {
		t.Errorf("two classes: %s", got)
	}
	many := make([]corpus.ClassCount, 15)
	for i := range many {
		many[i] = corpus.ClassCount{Label: fmt.Sprint("c", i), Documents: 1}
	}
	if got := classList(many); !strings.HasPrefix(got, "15: c0 1, ") || !strings.HasSuffix(got, ", c11 1, and 3 more") {
		t.Errorf("fifteen classes: %s", got)
	}
}

// TestUnconverged: a report says how many classifiers stopped too early, if any did.
func TestUnconverged(t *testing.T) {
	for unconverged, want := range map[int]bool{0: false, 3: true} {
		r := &nbsvm.Report{Solution: &nbsvm.Solution{Outputs: 20, Unconverged: unconverged}}
		if got := fmt.Sprint(OfReport(r)); strings.Contains(got, "not converged: 3 of 20 classifiers") != want {
			t.Errorf("%d unconverged: %s", unconverged, got)
		}
	}
}
