package process

import "runtime/debug"

// leastHeap is what the collector is not asked to keep below: it would do nothing else.
const leastHeap = 128 << 20

// KeepHeap lets the collector work harder rather than the heap grow beyond so many bytes, if
// that is not 0, until what it returns is called.
func KeepHeap(memory int64) (restore func()) {
	if memory == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(max(memory, leastHeap))
	return func() { debug.SetMemoryLimit(before) }
}
