//go:build !amd64 || purego

package kernels

// What there is no assembly for, the CPU might as well not have.
const hasAVX2, hasAVX512, useAVX2 = false, false, false

// assembly are the implementations beyond the Go loops.
var assembly []implementation
