package mem

// Buffer is bytes that are written one after the other, in large pages. The zero value is empty.
type Buffer struct {
	bytes []byte
	free  func()
}

// Write implements [io.Writer]. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	if n := len(b.bytes) + len(p); n > cap(b.bytes) {
		larger, free := MakeHuge[byte](max(n, 2*cap(b.bytes)))
		larger = larger[:copy(larger, b.bytes)]
		b.Free()
		b.bytes, b.free = larger, free
	}
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// Bytes returns what was written, until the next Write or Free.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Free gives the memory back. It may be called again.
func (b *Buffer) Free() {
	if b.free != nil {
		b.free()
	}
	*b = Buffer{}
}
