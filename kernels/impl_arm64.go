//go:build !purego

package kernels

// What is AVX is another CPU's.
const useAVX2, useAVX512 = false, false

// useNEON says that the kernels' assembly runs.
var useNEON bool

// assembly are the implementations beyond the Go loops. Every CPU that Go supports
// has NEON.
var assembly = []implementation{{name: "neon", runs: true, use: &useNEON}}
