package bench

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// entry is the width in bytes of what kernels read and modify.
const entry = 8

// newTable returns so many bytes of memory, all of it touched, in huge pages where
// the system gives them, until the end of the job. Every entry is an ordinary number
// in each of its forms: an integer, a float64, a slot of two float32.
func (j *job) newTable(bytes int) []uint64 {
	table, free := mem.MakeHuge[uint64](bytes / entry)
	j.ends = append(j.ends, func() error { free(); return nil })
	for k := range table {
		table[k] = 0x3f800000_3f800000 // 1 and 1 as float32, 2^-7 and a little as float64
	}
	return table
}

// as returns the table's memory as entries of another type of their width.
func as[T kernels.Slot | float64](table []uint64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(table))), len(table))
}

// accesses returns how many random accesses a pass over a table makes: enough that no
// predictor learns them, and that a table larger than the caches is touched all
// over; few enough that the ids, which are read in order, take little of the caches.
func accesses(tableBytes int) int {
	const line = 64
	return min(max(tableBytes/line, 1<<16), 1<<22)
}

// fastest repeats pass for so long, at least twice, and returns the time of the
// fastest: what else the machine does makes one slower, never faster. One more
// before them fills the caches.
func fastest(sampleTime time.Duration, pass func()) time.Duration {
	pass()
	best := time.Duration(0)
	for began, n := time.Now(), 0; n < 2 || time.Since(began) < sampleTime; n++ {
		start := time.Now()
		pass()
		if took := time.Since(start); n == 0 || took < best {
			best = took
		}
	}
	return max(best, 1) // where the clock is coarse
}

// kept is where results go that nobody needs.
var kept atomic.Uint64

func keep(result uint64) { kept.Store(result) }
