package rows

import (
	"math/rand/v2"
	"testing"
)

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{1, 1, 3}, {5, 5, 4}, {100, 7, 50}, {100, 7, 0}, {3, 0, 2}} {
		entries, length, count := shape[0], shape[1], shape[2]
		ids := Random(r, entries, length, count)
		if len(ids) != length*count {
			t.Fatalf("%v: %d ids", shape, len(ids))
		}
		for k, id := range ids {
			if int(id) >= entries || k%length > 0 && id <= ids[k-1] {
				t.Errorf("%v: id %d at position %d of its row", shape, id, k%length)
			}
		}
	}
}
