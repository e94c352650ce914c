package tag

import "math/bits"

// table numbers the features of training by their keys: open addressing, at most half full.
type table struct {
	slots []entry
	shift uint
	n     int
}

// entry is a key and its row, counted from 1; 0 is none.
type entry struct {
	key uint64
	row uint32
}

// newTable returns a table with room for n keys.
func newTable(n int) *table {
	size := max(bits.Len(uint(2*n)), 4)
	return &table{slots: make([]entry, 1<<size), shift: uint(64 - size)}
}

// find returns the entry of a key, or the free entry where it belongs.
func (t *table) find(key uint64) *entry {
	mask := len(t.slots) - 1
	for i := int(key >> t.shift); ; i++ {
		if e := &t.slots[i&mask]; e.row == 0 || e.key == key {
			return e
		}
	}
}

// add returns the row of a key, and adds the key if it is new.
func (t *table) add(key uint64) (row uint32) {
	e := t.find(key)
	if e.row == 0 {
		if 2*(t.n+1) > len(t.slots) {
			t.grow()
			e = t.find(key)
		}
		t.n++
		*e = entry{key, uint32(t.n)}
	}
	return e.row - 1
}

func (t *table) grow() {
	old := t.slots
	*t = table{slots: make([]entry, 2*len(old)), shift: t.shift - 1, n: t.n}
	for _, e := range old {
		if e.row != 0 {
			*t.find(e.key) = e
		}
	}
}
