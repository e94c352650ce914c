package probe

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// fenced returns n zeros that end, or else begin, where memory ends that may be
// touched: a row of a mapped file can be there.
func fenced[T any](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	var zero T
	size, page := n*int(unsafe.Sizeof(zero)), syscall.Getpagesize()
	pages := (size + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, pages+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, fence := range [][]byte{all[:page], all[page+pages:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	first := page
	if atEnd {
		first += pages - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&all[first])), n)
}

// TestEdgeOfMemory dies of a probe that reads beyond the slices, even without use.
func TestEdgeOfMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, atEnd := range []bool{false, true} {
		words, ids := fenced[uint64](t, maxLength, atEnd), fenced[uint32](t, maxLength, atEnd)
		for k, j := range r.Perm(maxLength) {
			ids[k] = uint32(j)
		}
		for n := range maxLength + 1 {
			idx, stream := ids[:n], words[:n]
			if atEnd {
				idx, stream = ids[len(ids)-n:], words[len(words)-n:]
			}
			ReadStream(stream)
			for _, ahead := range []int{0, 5} {
				ReadRandom(words, idx, ahead)
				ModifyRandom(words, idx, ahead)
			}
			ReadGather(words, idx)
		}
	}
}
