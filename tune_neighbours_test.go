package nbsvm

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestMovesOfNeighbours: a search that begins with a knn model stays with it. Every setting can be trained with, and
// its flags tell it from the defaults.
func TestMovesOfNeighbours(t *testing.T) {
	o := DefaultOptions()
	o.Kind = KNN
	o = o.forKind()
	all := portfolioOf(settingOf(o, "word:1-2"), []Kind{KNN}, false)
	flags := map[string]TuneSetting{}
	for range 2 {
		for _, s := range slices.Clone(all) {
			for _, move := range moves {
				all = append(all, move(s, "binary")...)
			}
		}
	}
	seen := map[string]bool{}
	for _, s := range all {
		made, err := s.Options(o)
		must.OK(t, err)
		if err := made.Validate(); err != nil || made.Kind != KNN {
			t.Errorf("%+v: %v", s, err)
		}
		text := strings.Join(s.flags(), " ")
		if other, ok := flags[text]; ok && other != s {
			t.Errorf("%q are the flags of %+v and %+v", text, s, other)
		}
		flags[text] = s
		for _, flag := range s.flags() {
			seen[flag] = true
		}
	}
	for _, flag := range []string{"--neighbours", "--values", "--class-weight", "--min-df"} {
		if !seen[flag] {
			t.Errorf("nothing changes %s", flag)
		}
	}
}
