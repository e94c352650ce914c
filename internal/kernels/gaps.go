package kernels

import (
	"encoding/binary"
	"math"
)

// gapShapes tells, by a control byte, which bytes four gaps are made of: where each of their 16 bytes is among those to
// read, or 0x80 for 0. Behind that are how many bytes the four take together.
type gapShapes = [shapeBytes + 256]uint8

const shapeBytes = 256 * 16

// gaps are the shapes by the least length of a gap.
var gaps = func() (shapes [2]gapShapes) {
	for least := range shapes {
		for control := range 256 {
			at := 0
			for k := range 4 {
				length := least + control>>(2*k)&3
				for b := range 4 {
					place := 0x80
					if b < length {
						place = at + b
					}
					shapes[least][16*control+4*k+b] = uint8(place)
				}
				at += length
			}
			shapes[least][shapeBytes+control] = uint8(at)
		}
	}
	return shapes
}()

// ColumnsOfGaps reads the ascending columns of a row, of which each but the first follows the one before, and the
// first a column -1, after a gap: so many columns that are not in the row. Gaps lie one after the other at the
// beginning of data, as little-endian numbers. Their lengths in bytes are in control, two bits each, the first
// lowest, to which least, 0 or 1, is added. It returns how many bytes they take, and no if they are not all there or
// a column is not below 2^31. There must be a byte of control for every four columns.
func ColumnsOfGaps(dst []uint32, data, control []byte, least int) (used int, ok bool) {
	k, next := 0, uint64(0)
	if onAMD64 && useVectors && len(data) >= 16 {
		var outside bool
		if k, used, outside = columnsOfGapsVector(dst, data, control[:(len(dst)+3)/4], &gaps[least]); outside {
			return 0, false
		}
		if k > 0 {
			next = uint64(dst[k-1]) + 1
		}
	}
	for ; k < len(dst); k++ {
		length := least + int(control[k/4]>>(2*(k%4))&3)
		if used+length > len(data) {
			return 0, false
		}
		var gap [4]byte
		copy(gap[:], data[used:used+length])
		used += length
		if next += uint64(binary.LittleEndian.Uint32(gap[:])); next > math.MaxInt32 {
			return 0, false
		}
		dst[k] = uint32(next)
		next++
	}
	return used, true
}
