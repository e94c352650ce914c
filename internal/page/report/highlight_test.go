package report

import (
	"slices"
	"testing"
)

// TestSpans: levels are shares of the strongest part, and no span ends within a character.
func TestSpans(t *testing.T) {
	got := spans([]byte("ab é\xff"), []float64{2, -1, 0, .4, 2, .5})
	want := []span{{"a", 4}, {"b", -2}, {" ", 0}, {"é\ufffd", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
