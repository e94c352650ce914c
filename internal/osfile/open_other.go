//go:build !unix

package osfile

const dontWait = 0
