package display

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456", -1 << 63: "-9,223,372,036,854,775,808",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB",
		5 << 20: "5.0 MiB", 1 << 30: "1.00 GiB", 3 << 40: "3072.00 GiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}

// TestExcerpt: what is no text is cut short.
func TestExcerpt(t *testing.T) {
	if got, want := Excerpt("ELF\x00"+strings.Repeat("\x01", 60)), `"ELF\x00`+strings.Repeat(`\x01`, 12)+`"...`; got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}
