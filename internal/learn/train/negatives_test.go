package train

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
)

// TestNegativesChosen: auto is near for many classes with many documents alone, and what is asked for stays.
func TestNegativesChosen(t *testing.T) {
	for _, test := range []struct {
		classes, documents int
		want               Negatives
	}{
		{2, 1 << 30, ""},
		{63, 1 << 30, ""},
		{64, 1<<18 - 1, ""},
		{64, 1 << 18, NearNegatives},
		{1000, 1 << 14, ""},
		{1000, 1 << 15, NearNegatives},
	} {
		ds := &dataset.Dataset{Documents: test.documents, Classes: dataset.Classes{
			Labels: make([]string, test.classes), Sets: make([]*roaring.Bitmap, test.classes),
		}}
		if got := AutoNegatives.chosenFor(ds); got != test.want {
			t.Errorf("%d classes, %d documents: auto is %q, want %q", test.classes, test.documents, got, test.want)
		}
		for _, n := range []Negatives{"", AllNegatives, NearNegatives} {
			if got := n.chosenFor(ds); got != n {
				t.Errorf("%q became %q", n, got)
			}
		}
	}
}
