package labels

import (
	"slices"
	"testing"
)

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"sailing", "sialing", 2},
		{"kitten", "sitting", 3},
		{"pos", "neg", 3},
		{"spam", "sapm", 2},
		{"a", "b", 1},
	} {
		if got := edits(test.a, test.b); got != test.want {
			t.Errorf("edits(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

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
