package model

import (
	"bytes"
	"errors"
	"testing"
)

// TestTakeApart: a file that is taken apart and put together is the same, and its checksums are right if its header is
// spoilt.
func TestTakeApart(t *testing.T) {
	for name, m := range samples() {
		data := encode(t, m)
		p, err := TakeApart(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(p.Assemble(), data) {
			t.Errorf("%s: other bytes", name)
		}
		p.Spoil = func(header []byte) { header[40]++ }
		if _, err := decode(p.Assemble()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: another number of rows: %v", name, err)
		}
	}
	for _, n := range []int{0, 100, 1000} {
		if _, err := TakeApart(encode(t, sample())[:n]); err == nil {
			t.Errorf("%d bytes are taken apart", n)
		}
	}
}
