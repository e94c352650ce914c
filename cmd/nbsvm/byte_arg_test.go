package main

import (
	"strings"
	"testing"
)

func TestByteArg(t *testing.T) {
	for text, want := range map[string]byteArg{
		"0": 0, "7": 7, "7B": 7, "1e3": 1000, "1.5k": 1536, "2K": 2048, "2kB": 2000, "2KB": 2000, "2 KiB": 2048,
		"512M": 512 << 20, "512m": 512 << 20, "512MB": 512e6, "512MiB": 512 << 20, "512mib": 512 << 20,
		"8G": 8 << 30, "8gb": 8e9, "8GiB": 8 << 30, "1T": 1 << 40, "1TB": 1e12, "1TiB": 1 << 40,
	} {
		var got byteArg
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "lots", "-1", "5XB", "1iB", "1MBB", "1KMB", "Inf", "NaN", "1e30", "9999999T"} {
		var got byteArg
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as 512MiB or 8GiB") {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
}
