//go:build !purego

package kernels

import "github.com/klauspost/cpuid/v2"

// runsAVX2 says that the CPU has what the kernels need of AVX2, and the system saves the
// registers.
var runsAVX2 = cpuid.CPU.Supports(cpuid.AVX2, cpuid.BMI1, cpuid.BMI2, cpuid.LZCNT, cpuid.POPCNT)

// useVectors says that the assembly of AVX2 runs.
var useVectors bool

// onAMD64 says that there is the assembly that only amd64 has.
const onAMD64 = true

// assembly are the implementations beyond the Go loops. AVX-512 would speed up no command by a tenth: see
// docs/explanation/lab-notes.md.
var assembly = []implementation{{name: "avx2", runs: runsAVX2, use: &useVectors}}
