package train

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"pgregory.net/rapid"
)

// TestThin: as many documents as are wanted, and of any neighbours as many as of others, up to one.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(0, 200).Draw(t, "documents"), rapid.IntRange(1, 250).Draw(t, "most")
		all := roaring.New()
		for i := range n {
			all.Add(uint32(3 * i))
		}
		some := thin(all, most)
		if got := int(some.GetCardinality()); got != min(n, most) || !roaring.AndNot(some, all).IsEmpty() {
			t.Fatalf("%d of %d documents, want %d", got, n, min(n, most))
		}
		least, largest := n, 0 // between two that are left
		last := -1
		for it := some.Iterator(); it.HasNext(); {
			place := int(it.Next()) / 3
			if last >= 0 {
				least, largest = min(least, place-last), max(largest, place-last)
			}
			last = place
		}
		if some.GetCardinality() > 1 && largest-least > 1 {
			t.Fatalf("gaps from %d to %d", least, largest)
		}
	})
}
