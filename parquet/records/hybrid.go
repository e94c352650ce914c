package records

import (
	"encoding/binary"
	"errors"
)

var errHybrid = errors.New("its levels or indexes end too early, or are out of range")

// appendHybrid appends n numbers of so many bits, as Parquet's hybrid of run lengths and packed bits has them: levels,
// and indexes of a dictionary. A run that is said to be longer than that counts for no more.
func appendHybrid[T byte | int32](dst []T, n, width int, src []byte) ([]T, error) {
	const most = 32
	if width > most {
		return dst, errHybrid
	}
	for end := len(dst) + n; len(dst) < end; {
		if width == 0 {
			dst = append(dst, 0)
			continue
		}
		header, size := binary.Uvarint(src)
		if size <= 0 || header>>1 == 0 {
			return dst, errHybrid
		}
		src = src[size:]
		count := min(header>>1, uint64(n))
		if header&1 == 0 {
			bytes := (width + 7) / 8
			if len(src) < bytes {
				return dst, errHybrid
			}
			value := uint32(0)
			for i, b := range src[:bytes] {
				value |= uint32(b) << (8 * i)
			}
			src = src[bytes:]
			for range min(int(count), end-len(dst)) {
				dst = append(dst, T(value))
			}
			continue
		}
		// Groups of 8 numbers, the lowest bits first.
		packed := src[:min(int(count)*width, len(src))]
		bits, have := uint64(0), 0
		for i := 0; len(dst) < end; {
			for ; have < width && i < len(packed); i++ {
				bits |= uint64(packed[i]) << have
				have += 8
			}
			if have < width {
				break
			}
			dst = append(dst, T(bits&(1<<width-1)))
			bits >>= width
			have -= width
		}
		if src = src[len(packed):]; len(dst) < end && uint64(len(packed)) < count*uint64(width) {
			return dst, errHybrid
		}
	}
	return dst, nil
}
