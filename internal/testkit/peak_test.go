package testkit

import "testing"

func TestPeakMemory(t *testing.T) {
	ResetPeakMemory()
	before, ok := PeakMemory()
	if !ok {
		t.Skip("the system doesn't tell the peak of memory")
	}
	held := make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	after, _ := PeakMemory()
	if after-before < 32<<20 {
		t.Errorf("peak memory grew by %d bytes with %d bytes more, held by byte %d", after-before, len(held), held[0])
	}
}
