package page

import (
	"slices"
	"testing"
)

// TestSpans: levels are shares of the strongest part, and no span ends within a character.
func TestSpans(t *testing.T) {
	got := spans([]byte("ab é\xff"), []float64{2, -1, 0, .4, 2, .5})
	want := []span{{"a", "for4"}, {"b", "against2"}, {" ", ""}, {"é\ufffd", "for1"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
