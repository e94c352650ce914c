//go:build !amd64 || purego

package snappy

import "github.com/klauspost/compress/snappy"

// exact says whether only what the format has is accepted: here an offset of 0 is the one before, as S2 has it.
const exact = false

// decode decompresses a block, whose elements begin behind its header, and are to fill dst.
func decode(dst, block []byte, _ int) error {
	if _, err := snappy.Decode(dst, block); err != nil {
		return errCorrupt
	}
	return nil
}
