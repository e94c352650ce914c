package solver

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/seed-167f963f/nbsvm/internal/file/checksum"
)

// appendState writes the state that walk goes through.
func appendState(dst []byte, walk func(*codec)) []byte {
	start := len(dst)
	c := codec{bytes: append(dst, stateMagic...)}
	walk(&c)
	return binary.LittleEndian.AppendUint32(c.bytes, crc32.Checksum(c.bytes[start:], checksum.Castagnoli))
}

// readState reads a state, which walk goes through. What it has read is in place only if
// it returns no error.
func readState(data []byte, walk func(*codec)) error {
	n := len(data) - 4
	if n < len(stateMagic) || crc32.Checksum(data[:n], checksum.Castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return errDamaged
	}
	if magic := string(data[:len(stateMagic)]); magic != stateMagic {
		return fmt.Errorf("%w must begin with %q, got %q: another version has written it", ErrState, stateMagic, magic)
	}
	c := codec{reading: true, bytes: data[len(stateMagic):n]}
	walk(&c)
	if len(c.bytes) > 0 {
		c.fail(errDamaged)
	}
	return c.err
}

// codec writes the numbers of a state or reads them: what walks over a state serves for
// both, so that they can't differ. What it reads it checks, as it may have been damaged
// before its checksum was taken; the first failure stays.
type codec struct {
	reading bool
	bytes   []byte // written so far, or left to read
	err     error
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err, c.bytes = err, nil
	}
}

// next is where the next bytes are to be written, or read; nil where there are too few.
func (c *codec) next(size int) []byte {
	if c.reading {
		if len(c.bytes) < size {
			c.fail(errDamaged)
			return nil
		}
		b := c.bytes[:size]
		c.bytes = c.bytes[size:]
		return b
	}
	n := len(c.bytes)
	c.bytes = slices.Grow(c.bytes, size)[:n+size]
	return c.bytes[n:]
}

// word writes the low bytes of x, or reads so many.
func (c *codec) word(x uint64, size int) uint64 {
	var word [8]byte
	b := c.next(size)
	if c.reading {
		copy(word[:], b)
		return binary.LittleEndian.Uint64(word[:])
	}
	binary.LittleEndian.PutUint64(word[:], x)
	copy(b, word[:])
	return x
}

// same is the checksum of the problems.
func (c *codec) same(sum uint32) {
	if c.word(uint64(sum), 4) != uint64(sum) {
		c.fail(fmt.Errorf("%w belongs to another problem: the matrix, its labels, the costs or the options differ", ErrState))
	}
}

// whole is a number from low to high.
func whole[T ~int | ~int8 | ~int32 | ~int64 | ~uint8](c *codec, x *T, size int, low, high T) {
	got := T(c.word(uint64(*x), size))
	if c.check(got >= low && got <= high); c.err == nil {
		*x = got
	}
}

func (c *codec) flag(x *bool) {
	var bit uint8
	if *x {
		bit = 1
	}
	whole(c, &bit, 1, 0, 1)
	*x = bit != 0
}

// between are numbers from low to high; NaN is none.
func (c *codec) between(low, high float64, numbers ...*float64) {
	for _, x := range numbers {
		got := math.Float64frombits(c.word(math.Float64bits(*x), 8))
		if c.check(got >= low && got <= high); c.err == nil {
			*x = got
		}
	}
}

// floats are any numbers.
func (c *codec) floats(numbers ...*float64) { c.between(math.Inf(-1), math.Inf(1), numbers...) }

// mostWeight bounds weights. Costs are bounded by as much, and what a ratio makes of a weight is finite still.
const mostWeight = 1e30

// single is a number of 32 bits of at most so much.
func (c *codec) single(x *float32, most float32) {
	got := math.Float32frombits(uint32(c.word(uint64(math.Float32bits(*x)), 4)))
	if c.check(got >= -most && got <= most); c.err == nil {
		*x = got
	}
}

// check fails where something does not hold of what was read.
func (c *codec) check(holds bool) {
	if c.reading && !holds {
		c.fail(errDamaged)
	}
}

// rows are numbers of rows, as many as there are places for. Of the rows that take part,
// below all, each may come a number of times.
func (c *codec) rows(order []int32, all int, times uint8, takesPart func(i int32) bool) {
	var seen []uint8
	if c.reading {
		seen = make([]uint8, all)
	}
	for k := range order {
		whole(c, &order[k], 4, 0, int32(all-1))
		if !c.reading || c.err != nil {
			continue
		}
		i := order[k]
		seen[i]++
		c.check(seen[i] <= times && takesPart(i))
	}
}
