package kernels

import (
	"strings"
	"testing"
)

func TestCPU(t *testing.T) {
	for _, test := range []struct {
		brand string
		sets  []string
		want  string
	}{
		{"Some CPU", []string{"AVX2", "FMA3"}, "Some CPU (AVX2 FMA3)"},
		{"  Some CPU ", nil, "Some CPU"},
		{"", nil, "unknown CPU"},
		{"", []string{"ASIMD"}, "unknown CPU (ASIMD)"},
	} {
		if got := describe(test.brand, test.sets); got != test.want {
			t.Errorf("describe(%q, %v) = %q, want %q", test.brand, test.sets, got, test.want)
		}
	}
	if got := CPU(); got == "" || got != strings.TrimSpace(got) {
		t.Errorf("CPU() = %q", got)
	}
}
