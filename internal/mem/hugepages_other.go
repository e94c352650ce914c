//go:build !linux

package mem

// fresh has nothing to offer: this system decides about its pages by itself.
func fresh(int) (memory []byte, free func()) { return nil, nil }

func advise([]byte) {}
