//go:build !amd64 || purego

package kernels

// plainPrefixAVX2 is not called here.
func plainPrefixAVX2([]uint8) int { return 0 }
