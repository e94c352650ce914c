package display

import (
	"strings"
	"testing"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "7B": 7, "1e3": 1000, "1.5k": 1536, "2K": 2048, "2kB": 2000, "2KB": 2000, "2 KiB": 2048,
		"512M": 512 << 20, "512m": 512 << 20, "512MB": 512e6, "512MiB": 512 << 20, "512mib": 512 << 20,
		"512Mi": 512 << 20, "8Gi": 8 << 30, "8G": 8 << 30, "8gb": 8e9, "8GiB": 8 << 30, "1T": 1 << 40, "1TB": 1e12, "1TiB": 1 << 40,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "lots", "-1", "5XB", "1iB", "1MBB", "1KMB", "Inf", "NaN", "1e30", "9999999T"} {
		if got, err := ParseBytes(text); err == nil || !strings.Contains(err.Error(), "such as 512MiB or 8GiB") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}
