//go:build !unix

package regular

const dontWait = 0
