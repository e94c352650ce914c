package par

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Processors returns how many threads can run at the same time.
func Processors() int {
	return runtime.GOMAXPROCS(0)
}

// Do calls work from so many threads, numbered from 0, of which the caller is one. A panic
// of a thread, or a fault in mapped memory, becomes a panic of the caller, once all
// threads have ended.
func Do(threads int, work func(thread int)) {
	var others sync.WaitGroup
	var panicked atomic.Pointer[any]
	for thread := 1; thread < threads; thread++ {
		others.Go(func() {
			debug.SetPanicOnFault(true)
			defer func() {
				if r := recover(); r != nil {
					panicked.CompareAndSwap(nil, &r)
				}
			}()
			work(thread)
		})
	}
	func() {
		defer others.Wait()
		work(0)
	}()
	if r := panicked.Load(); r != nil {
		panic(*r)
	}
}

// EachItem calls work for 0 to n-1, on all processors.
func EachItem(n int, work func(i int)) {
	Chunks(Processors(), n, 1, func(i, _, _ int) { work(i) })
}

// Count returns how many chunks of a size n items make.
func Count(n, size int) int { return (n + size - 1) / size }

// Chunks calls work for every chunk of n items, from whichever thread is free. A single
// chunk, as a short problem has it, costs no thread.
func Chunks(threads, n, size int, work func(chunk, lo, hi int)) {
	count := Count(n, size)
	one := func(c int) { work(c, c*size, min((c+1)*size, n)) }
	var next atomic.Int64
	Do(min(threads, count), func(int) {
		for c := int(next.Add(1)) - 1; c < count; c = int(next.Add(1)) - 1 {
			one(c)
		}
	})
}
