package kernels

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzKernels holds every implementation of every kernel against its plain loop, over
// tables, rows and values of any bits. An id may be outside the table, in which case
// both must panic.
func FuzzKernels(f *testing.F) {
	f.Add([]byte{}, uint8(0), 0.0)
	f.Add([]byte{0, 0, 0, 0, 1, 2, 3, 4}, uint8(1), 1.0)
	f.Add([]byte("an id and a value are five bytes: a row of nine of them is past a turn"), uint8(200), -0.5)
	f.Fuzz(func(t *testing.T, row []byte, entries uint8, d float64) {
		before := Active()
		defer mustUse(t, before)
		for _, name := range Implementations() {
			mustUse(t, name)
			for _, k := range kernels {
				fast, plain := fuzzedOperands(row, int(entries), k.writes), fuzzedOperands(row, int(entries), k.writes)
				var got, want float64
				panicked := panics(func() { got = k.call(fast, d) })
				if wanted := panics(func() { want = k.plain(plain, d) }); panicked != wanted {
					t.Fatalf("%s: panic %q, and by its plain loop %q", k.name, panicked, wanted)
				}
				if panicked == "" && !same(got, want) {
					t.Errorf("%s = %v, by its plain loop %v", k.name, got, want)
				}
				for j := range fast.table {
					if panicked == "" && !(same(fast.table[j], plain.table[j]) && same(float64(fast.slots[j].U), float64(plain.slots[j].U))) {
						t.Errorf("%s: entry %d is %v, %v, by its plain loop %v, %v",
							k.name, j, fast.slots[j], fast.table[j], plain.slots[j], plain.table[j])
					}
				}
				if !fast.intact() {
					t.Errorf("%s: an element outside the slices was written", k.name)
				}
			}
		}
	})
}

// fuzzedOperands takes five bytes of row for each of its ids: one for the id, four for
// the value, of which the table is made, too.
func fuzzedOperands(row []byte, entries int, distinct bool) *operands {
	var ids []uint32
	var val []float32
	var seen [256]bool
	for ; len(row) >= 5; row = row[5:] {
		id := row[0]
		if distinct && seen[id] {
			continue
		}
		seen[id] = true
		ids, val = append(ids, uint32(id)), append(val, math.Float32frombits(binary.LittleEndian.Uint32(row[1:])))
	}
	o := guardedOperands(len(ids), entries)
	copy(o.idx, ids)
	copy(o.val, val)
	for j := range o.slots {
		o.slots[j], o.table[j] = Slot{1, 1}, 1
		if n := len(val); n > 0 {
			u, s := val[j%n], val[(j+1)%n]
			o.slots[j] = Slot{u, s}
			o.table[j] = math.Float64frombits(uint64(math.Float32bits(u))<<32 | uint64(math.Float32bits(s)))
		}
	}
	return o
}
