package process

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Memory is how many bytes of memory the process may have: those of the machine or, where that is fewer, of its control
// group. Only Linux tells it.
func Memory() (bytes int64, ok bool) {
	bytes, ok = kibibytes("/proc/meminfo", "MemTotal:")
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // else it is "max"
			bytes = min(bytes, most)
		}
	}
	return bytes, ok
}

// ResetPeakMemory gives back what the run before left behind, and makes PeakMemory start
// anew, as far as the system allows it.
func ResetPeakMemory() {
	debug.FreeOSMemory()
	// 5: set the peak resident set size to the current one.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// PeakMemory is the largest resident set size since ResetPeakMemory, in bytes; only Linux
// tells it.
func PeakMemory() (int64, bool) { return kibibytes("/proc/self/status", "VmHWM:") }

// kibibytes is what a file of the system says after a name, in bytes.
func kibibytes(path, name string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

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
