//go:build !purego

package kernels

// haveLines says that there is assembly that looks up lines and finds spans.
const haveLines = true
