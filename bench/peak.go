package bench

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// resetPeakMemory gives back what the run before left behind, and makes peakMemory start
// anew, as far as the system allows it.
func resetPeakMemory() {
	debug.FreeOSMemory()
	// 5: set the peak resident set size to the current one.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory is the largest resident set size since resetPeakMemory, in bytes; only Linux
// tells it.
func peakMemory() (int64, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
