//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// What the CPU has, and the system saves the registers of.
var (
	hasAVX2   = cpuid.CPU.Supports(cpuid.AVX2)
	hasAVX512 = cpuid.CPU.Supports(cpuid.AVX512F)
)

// assembly are the implementations beyond the Go loops, slowest first: none yet,
// only the probes have assembly.
var assembly []implementation
