//go:build !linux

package bench

// allowHugePages does nothing: this system decides by itself.
func allowHugePages([]uint64) {}
