package mem

import "testing"

// TestMake has tables of every kind of size hold zeros and then what they are given.
func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, smallest/8 - 1, smallest / 8, smallest/8 + 1, 1 << 20} {
		table, free := MakeHuge[uint64](n)
		if len(table) != n {
			t.Fatalf("%d entries, want %d", len(table), n)
		}
		for i, v := range table {
			if v != 0 {
				t.Fatalf("entry %d of %d is %d, want 0", i, n, v)
			}
			table[i] = uint64(i)
		}
		for i, v := range table {
			if v != uint64(i) {
				t.Fatalf("entry %d of %d is %d", i, n, v)
			}
		}
		free()
	}
}
