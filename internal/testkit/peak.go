package testkit

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
)

// ResetPeakMemory gives back what the run before left behind, and makes PeakMemory start
// anew, as far as the system allows it.
func ResetPeakMemory() {
	debug.FreeOSMemory()
	ResetPeak()
}

// ResetPeak makes PeakMemory start anew from what the process has now, which it returns; ok is false where the system
// does not do that.
func ResetPeak() (now int64, ok bool) {
	// 5: set the peak resident set size to the current one.
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, false
	}
	return PeakMemory()
}

// PeakMemory returns the largest resident set size since ResetPeakMemory, in bytes; only Linux
// tells it.
func PeakMemory() (int64, bool) { return PeakOf("self") }

// PeakOf returns the largest resident set size of a process, in bytes.
func PeakOf(process string) (int64, bool) {
	text, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
