package display

import (
	"slices"
	"testing"
)

func TestSimilar(t *testing.T) {
	labels := []string{"cooking", "music", "sailing", "sailing/dinghy", "weather"}
	for name, want := range map[string][]string{
		"Sailing": {"sailing", "sailing/dinghy"}, "sail": {"sailing", "sailing/dinghy"}, "muisc": {"music"}, "cookin": {"cooking"},
		"knitting": nil, "": nil,
	} {
		if got := similar(labels, name); !slices.Equal(got, want) {
			t.Errorf("similar to %q: %q, want %q", name, got, want)
		}
	}
}
