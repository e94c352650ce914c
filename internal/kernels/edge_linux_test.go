package kernels

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// fenced returns n zeros that end, or else begin, where memory ends that may be
// touched: a row of a mapped file can be there.
func fenced[T any](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	var zero T
	size, page := n*int(unsafe.Sizeof(zero)), syscall.Getpagesize()
	pages := (size + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, pages+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	must.OK(t, err)
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, fence := range [][]byte{all[:page], all[page+pages:]} {
		must.OK(t, syscall.Mprotect(fence, syscall.PROT_NONE))
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
			scales: fenced[float32](t, entries, atEnd),
			groups: fenced[Group](t, entries, atEnd), groups64: fenced[Group64](t, entries, atEnd),
		}
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
				PrefetchAll(o.idx)
				PrefetchAll(o.val)
				PrefetchEntries(o.slots, o.idx, 0)
				PrefetchEntries(o.table, o.idx, 0)
				PrefetchEntries(o.groups, o.idx, 0)
			}
		})
	}
}

// TestEdgeOfMemoryOfText is the same of the text kernels: a document may be mapped.
func TestEdgeOfMemoryOfText(t *testing.T) {
	text := "Words, don't they? It's «naïve» to <b>end</b> at any abcdefghijklmnop of them; "
	text += text + text
	for _, atEnd := range []bool{false, true} {
		page := fenced[uint8](t, TextBlock+200, atEnd)
		dst, a, b := fenced[uint64](t, 4*20, atEnd), fenced[uint64](t, 20, atEnd), fenced[uint64](t, 20, atEnd)
		part := func(p []uint64, n int) []uint64 {
			if atEnd {
				return p[len(p)-n:]
			}
			return p[:n]
		}
		c := NewChars(testFolds, 0xff, 1, 2)
		eachImplementation(t, func(t *testing.T) {
			for n := range len(page) + 1 {
				if n > 300 && n < TextBlock-100 {
					continue
				}
				doc := page[:n]
				if atEnd {
					doc = page[len(page)-n:]
				}
				for i := range doc {
					doc[i] = text[(i+n)%len(text)]
				}
				checkWords(t, doc, textClasses(), 0x20, 1, 2, TextBlock)
				checkChars(t, c, doc, false, 300)
				if n < 3 {
					continue
				}
				copy(doc[n-3:], "中文"[:3])
				checkChars(t, c, doc, false, 300)
				checkChars(t, c, doc[1:n-1], false, 300)
			}
			// Hashes are written to the slice alone.
			w := NewWords(textClasses(), 0, 1, 2)
			w.Split([]byte(strings.Repeat("a b c d e f g h ", 8)))
			for n := range 61 {
				if got := w.Hash(part(dst, n), 0); got != n {
					t.Errorf("%d hashes, want %d", got, n)
				}
			}
			if n, _ := c.Hash(part(dst, CharBlock), []byte(strings.Repeat("é", CharBlock)), false); n < CharBlock/2 {
				t.Errorf("%d characters are hashed", n)
			}
			for n := range 21 {
				MixSums(part(dst, n), part(a, n), part(b, n), 1)
				Interleave(part(dst, 2*n), part(a, n), part(b, n))
				Interleave(part(dst, 3*n), part(a, n), part(b, n), part(a, n))
				Interleave(part(dst, 4*n), part(a, n), part(b, n), part(a, n), part(b, n))
			}
		})
	}
}

// TestEdgeOfMemoryOfSums is the same of sums of rows, those ahead included.
func TestEdgeOfMemoryOfSums(t *testing.T) {
	const widest, height = 9 * RowUnit, 3
	for _, atEnd := range []bool{false, true} {
		sums, table := fenced[float64](t, widest, atEnd), fenced[float32](t, widest*height, atEnd)
		rows := fenced[uint32](t, 80, atEnd)
		eachImplementation(t, func(*testing.T) {
			for width := RowUnit; width <= widest; width += RowUnit {
				for n := range len(rows) + 1 {
					s, numbers, ids := sums[:width], table[:width*height], rows[:n]
					if atEnd {
						s, numbers, ids = sums[widest-width:], table[(widest-width)*height:], rows[len(rows)-n:]
					}
					for i := range ids {
						ids[i] = uint32((i + n) % height)
					}
					for _, first := range []int{0, 1, n / 2, n} {
						AddRows(s, numbers, width, ids, min(first, n))
					}
				}
			}
		})
	}
}
