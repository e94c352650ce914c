//go:build !linux

package bench

func resetPeakMemory() {}

// peakMemory is not known here.
func peakMemory() (int64, bool) { return 0, false }
