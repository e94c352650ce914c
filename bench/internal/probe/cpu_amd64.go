//go:build !purego

package probe

import "github.com/klauspost/cpuid/v2"

// hasAVX2 and hasAVX512 say what the CPU has, and the system saves the registers of.
var (
	hasAVX2   = cpuid.CPU.Supports(cpuid.AVX2)
	hasAVX512 = cpuid.CPU.Supports(cpuid.AVX512F)
)
