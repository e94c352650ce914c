package outdir

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestCounts: counts that are added up in any order and grouping are the same, also where labels become too many.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, labels := range []int{3, MostLabels, MostLabels + 1} {
		all := make([]Counts, 50)
		var want Counts
		for i := range all {
			all[i] = Counts{Documents: int64(i + 1), Written: int64(i), Bad: 1}
			for k := i; k < labels; k += len(all) {
				all[i].AddLabel(fmt.Sprint(k), int64(k))
			}
			all[i].AddLabel("of all", 2)
			want.Add(all[i])
		}
		// Label 0 has no documents; "of all" is a label more.
		if got, many := len(want.Labels), labels > MostLabels; many != want.ManyLabels || !many && (got != labels || want.Labels["of all"] != 100) {
			t.Fatalf("%d labels: %d, too many: %t", labels, got, want.ManyLabels)
		}
		for range 20 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			groups := make([]Counts, 4)
			for _, of := range all {
				groups[r.IntN(len(groups))].Add(of)
			}
			var got Counts
			for _, of := range groups {
				got.Add(of)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d labels: %+v, want %+v", labels, got, want)
			}
		}
	}
	var c Counts
	c.AddLabel("a\xff", 1)
	if c.AddLabel("a\xfe", 1); c.Labels["a\uFFFD"] != 2 {
		t.Errorf("labels that JSON can't tell apart are %v", c.Labels)
	}
}
