//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// What the CPU has, and the system saves the registers of.
var (
	hasAVX2   = cpuid.CPU.Supports(cpuid.AVX2)
	hasAVX512 = cpuid.CPU.Supports(cpuid.AVX512F)
)

// useAVX2 says that the kernels' assembly runs.
var useAVX2 bool

// useNEON is another CPU's.
const useNEON = false

// assembly are the implementations beyond the Go loops, slowest first.
var assembly = []implementation{{name: "avx2", runs: hasAVX2, use: &useAVX2}}
