//go:build (!amd64 && !arm64) || purego

package kernels

// plainPrefixAsm is not called here.
func plainPrefixAsm([]uint8) int { return 0 }
