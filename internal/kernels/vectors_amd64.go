//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// runsAVX2 says that the CPU has what the kernels need of AVX2, and the system saves the
// registers.
var runsAVX2 = cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT)

// runsAVX512 says that the CPU has AVX-512 and, like Ice Lake and Zen 4, keeps its clock when it runs. Older ones,
// without VBMI2, slow down.
var runsAVX512 = runsAVX2 && cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512VBMI2)

// useVectors says that the assembly of AVX2 runs; useAVX512 that of AVX-512 where there is
// some.
var useVectors, useAVX512 bool

// onAMD64 says that there is the assembly that only amd64 has.
const onAMD64 = true

// assembly are the implementations beyond the Go loops, slowest first.
var assembly = []implementation{
	{name: "avx2", runs: runsAVX2, use: &useVectors},
	{name: "avx512", runs: runsAVX512, use: &useAVX512, text: true},
}
