package kernels

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

// TestEdgeOfMemory dies of a kernel that reads beyond the slices, even without use.
func TestEdgeOfMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, atEnd := range []bool{false, true} {
		const entries = maxLength
		ids, val := fenced[uint32](t, maxLength, atEnd), fenced[float32](t, maxLength, atEnd)
		o := operands{
			slots: fenced[Slot](t, entries, atEnd), table: fenced[float64](t, entries, atEnd),
			groups: fenced[GroupSlot](t, entries, atEnd), groups64: fenced[Group64](t, entries, atEnd),
		}
		words := fenced[uint64](t, entries, atEnd)
		for k, j := range r.Perm(entries) {
			ids[k] = uint32(j)
		}
		eachImplementation(t, func(*testing.T) {
			for n := range maxLength + 1 {
				o.idx, o.val = ids[:n], val[:n]
				if atEnd {
					o.idx, o.val = ids[len(ids)-n:], val[len(val)-n:]
				}
				for _, k := range kernels {
					k.call(&o, 1)
				}
				PrefetchIDs(o.idx)
				PrefetchSlots(o.slots, o.idx, 0)
				Prefetch64(o.table, o.idx, 0)
				PrefetchGroups(o.groups, o.idx, 0)
				PrefetchGroups(o.groups64, o.idx, 0)
				ReadStream(words[:n])
				for _, ahead := range []int{0, 5} {
					ReadRandom(words, o.idx, ahead)
					ModifyRandom(words, o.idx, ahead)
				}
				ReadGather(words, o.idx)
			}
		})
	}
}
