package vocab

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// keyGroup is how many keys have gaps of one length.
const keyGroup = 64

// checkKeys refuses keys that do not ascend within the runs, which are of all columns.
func checkKeys(runs []Run, keys []uint64) error {
	from := uint64(0)
	for _, run := range runs {
		for k := from + 1; k < from+run.Columns; k++ {
			if keys[k-1] >= keys[k] {
				return fmt.Errorf("packed: the keys of columns %d and %d, of as many documents, are not ascending",
					k-1, k)
			}
		}
		from += run.Columns
	}
	return nil
}

// writeKeys writes KEYS.
func writeKeys(b *bufio.Writer, runs []Run, keys []uint64) (err error) {
	for _, run := range runs {
		next := uint64(0)
		for group := range slices.Chunk(keys[:run.Columns], keyGroup) {
			var encoded []byte
			encoded, next = appendKeys(b.AvailableBuffer(), group, next)
			_, err = b.Write(encoded)
		}
		keys = keys[run.Columns:]
	}
	return err
}

// appendKeys appends a group, none of which is below next, and returns what none of the
// following group is below.
func appendKeys(b []byte, group []uint64, next uint64) ([]byte, uint64) {
	all, from := uint64(0), next
	for _, key := range group {
		all |= key - next
		next = key + 1
	}
	width := max(1, (bits.Len64(all)+7)/8)
	b = append(b, byte(width))
	for _, key := range group {
		b = binary.LittleEndian.AppendUint64(b, key-from)
		b = b[:len(b)-8+width]
		from = key + 1
	}
	return b, next
}

// eachColumn visits the columns of runs, all of whose keys b holds. It returns what
// is wrong with b, and about where.
func eachColumn(b []byte, runs []Run, visit func(column uint32, key, frequency uint64)) (at int, detail string) {
	column := uint32(0)
	for _, run := range runs {
		next, over := uint64(0), false // all keys are taken
		for left := int(run.Columns); left > 0; left -= keyGroup {
			n := min(keyGroup, left)
			if at == len(b) || b[at] < 1 || b[at] > 8 || len(b)-at-1 < n*int(b[at]) {
				return at, fmt.Sprintf("there are no keys of columns %d to %d", column, int(column)+n-1)
			}
			width := int(b[at])
			group := b[at+1:][:n*width]
			at += 1 + len(group)
			for len(group) > 0 {
				key, carry := bits.Add64(next, gap(group, width), 0)
				if over || carry > 0 {
					return at, fmt.Sprintf("the keys of columns %d and %d are not ascending", column-1, column)
				}
				visit(column, key, run.Frequency)
				next, over = key+1, key+1 == 0
				column++
				group = group[width:]
			}
		}
	}
	if at != len(b) {
		return at, "bytes follow the last key"
	}
	return at, ""
}

// CheckKeys finds columns of one key. To open a corpus takes no such look: keys ascend within every run, and that one
// stands in two runs does no harm but where columns are matched by their keys.
func (c *Corpus) CheckKeys() error {
	keys, err := c.decodeKeys()
	if err != nil {
		return err
	}
	slices.Sort(keys)
	for k := 1; k < len(keys); k++ {
		if keys[k] == keys[k-1] {
			return c.sameKey(keys[k])
		}
	}
	return nil
}

// sameKey returns the error that two columns have a key.
func (c *Corpus) sameKey(key uint64) error {
	var columns []uint32
	err := c.EachColumn(func(column uint32, k, _ uint64) {
		if k == key {
			columns = append(columns, column)
		}
	})
	if err != nil {
		return err
	}
	bad := fault(keysName, c.keys.Offset, corrupt, "columns %d and %d have the same key", columns[0], columns[1])
	bad.Path = c.Path
	return bad
}

// gap returns the number in the first width bytes.
func gap(b []byte, width int) uint64 {
	if len(b) >= 8 {
		rest := (64 - 8*width) & 63
		return binary.LittleEndian.Uint64(b) << rest >> rest
	}
	v := uint64(0)
	for i := width - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}
