//go:build (!amd64 && !arm64) || purego

package kernels

// There is no assembly here. vectors_none.s, which is empty, lets the compiler accept its declarations.
const useVectors, onAMD64 = false, false

// assembly are the implementations beyond the Go loops.
var assembly []implementation
