package mem

import (
	"bytes"
	"testing"
)

// TestBuffer writes pieces of every size, and has them all in order.
func TestBuffer(t *testing.T) {
	var b Buffer
	var want []byte
	for i := range 300 {
		piece := bytes.Repeat([]byte{byte(i)}, i*i)
		if n, err := b.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("%d of %d bytes, %v", n, len(piece), err)
		}
		want = append(want, piece...)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Fatalf("%d bytes, want %d others", len(b.Bytes()), len(want))
	}
	b.Free()
	b.Free()
	if len(b.Bytes()) != 0 {
		t.Fatalf("%d bytes after Free", len(b.Bytes()))
	}
}
