//go:build !amd64 || purego

package kernels

// plainPrefixAsm is not called here.
func plainPrefixAsm([]uint8) int { return 0 }
