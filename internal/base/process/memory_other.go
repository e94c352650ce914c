//go:build !linux

package process

// Memory is how many bytes of memory the process may have. Only Linux tells it.
func Memory() (bytes int64, ok bool) { return 0, false }
