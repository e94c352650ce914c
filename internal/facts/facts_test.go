package facts

import (
	"fmt"
	"strings"
	"testing"

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
