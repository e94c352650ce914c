package hashing

import "testing"

// TestFalsePositives fills a filter to what it was made for, and asks for n-grams that
// it has not seen.
func TestFalsePositives(t *testing.T) {
	const n = 500_000
	f := newFilter(n)
	for i := range uint64(n) {
		f.add(mix(i * golden))
	}
	mistakes := 0
	for i := range uint64(n) {
		if !f.holds(mix(i * golden)) {
			t.Fatalf("n-gram %d was added, but is not held", i)
		}
		if f.holds(mix((n + i) * golden)) {
			mistakes++
		}
	}
	rate := float64(mistakes) / n
	t.Logf("rate when full: %.2g", rate)
	if rate > 1.2*falsePositives || rate < falsePositives/20 {
		t.Errorf("the share of false positives is %g when full, want about %g", rate, falsePositives)
	}
}

func TestEmptyFilter(t *testing.T) {
	if newFilter(0).holds(mix(1)) {
		t.Error("an empty filter holds an n-gram")
	}
}
