//go:build !purego

package kernels

// plainPrefixAsm is that of strings_amd64.go.
//
//go:noescape
func plainPrefixAsm(text []uint8) (n int)
