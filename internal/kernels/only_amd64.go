//go:build !purego

package kernels

// onAMD64 says that there is the assembly that only amd64 has.
const onAMD64 = true
