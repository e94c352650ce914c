package kernels

import "testing"

// TestEdgeOfMemoryOfStrings dies of a kernel that reads beyond the text.
func TestEdgeOfMemoryOfStrings(t *testing.T) {
	for _, atEnd := range []bool{false, true} {
		page := fenced[uint8](t, 300, atEnd)
		for i := range page {
			page[i] = 'x'
		}
		eachImplementation(t, func(t *testing.T) {
			for n := range len(page) + 1 {
				text := page[:n]
				if atEnd {
					text = page[len(page)-n:]
				}
				if got := PlainPrefix(text); got != n {
					t.Errorf("%d of %d bytes are plain", got, n)
				}
			}
		})
	}
}
