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
		distinct, repeated := fuzzedOperands(row, int(entries), true), fuzzedOperands(row, int(entries), false)
		for _, name := range Implementations() {
			mustUse(t, name)
			for _, k := range kernels {
				fast, plain := repeated.clone(), repeated.clone()
				if k.writes {
					fast, plain = distinct.clone(), distinct.clone()
				}
				var got, want result
				panicked := panics(func() { got = k.call(fast, d) })
				if wanted := panics(func() { want = k.plain(plain, d) }); panicked != wanted {
					t.Fatalf("%s: panic %q, and by its plain loop %q", k.name, panicked, wanted)
				}
				if panicked == "" && !got.same(want) {
					t.Errorf("%s = %v, by its plain loop %v", k.name, got, want)
				}
				if panicked == "" && !fast.sameEntries(plain, 0, len(fast.slots)) {
					t.Errorf("%s: the tables are\n%v\n%v\n%v\n%v\nby its plain loop\n%v\n%v\n%v\n%v", k.name,
						fast.slots, fast.table, fast.groups, fast.groups64, plain.slots, plain.table, plain.groups, plain.groups64)
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
		at := func(l int) (u, s float32, double float64) {
			n := len(val)
			if n == 0 {
				return 1, 1, 1
			}
			u, s = val[(j+l)%n], val[(j+l+1)%n]
			return u, s, math.Float64frombits(uint64(math.Float32bits(u))<<32 | uint64(math.Float32bits(s)))
		}
		o.slots[j].U, o.slots[j].S, o.table[j] = at(0)
		for l := range GroupSize {
			o.groups[j][0][l], o.groups[j][1][l], o.groups64[j][l] = at(l)
		}
	}
	return o
}
