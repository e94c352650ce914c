//go:build (!amd64 && !arm64) || purego

package kernels

// What there is no assembly for, the CPU might as well not have.
const useAVX2, useAVX512, useNEON = false, false, false

// assembly are the implementations beyond the Go loops.
var assembly []implementation
