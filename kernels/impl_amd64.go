//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// What the CPU has, and the system saves the registers of.
var (
	hasAVX2   = cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT)
	hasAVX512 = cpuid.CPU.Supports(cpuid.AVX512F)
)

// runsAVX512 says that the CPU has what the text kernels need of AVX-512, which is
// Ice Lake's and Zen 4's.
var runsAVX512 = hasAVX2 && cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL,
	cpuid.AVX512VBMI, cpuid.AVX512VBMI2, cpuid.AVX512VPOPCNTDQ, cpuid.BMI1, cpuid.BMI2, cpuid.POPCNT)

// useAVX2 says that the kernels' assembly runs; of the text kernels where useAVX512 does not
// say that theirs for AVX-512 does.
var useAVX2, useAVX512 bool

// What is NEON is another CPU's.
const useNEON = false

func interleave3Asm(_, _, _, _ []uint64) (done int) { return 0 }

// assembly are the implementations beyond the Go loops, slowest first.
var assembly = []implementation{
	{name: "avx2", runs: hasAVX2, use: &useAVX2},
	{name: "avx512", runs: runsAVX512, use: &useAVX512, text: true},
}
