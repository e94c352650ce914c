package vocab

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRowBuilder deals rows of every width of columns, with and without values, and compares
// them with rows sorted one by one.
func TestRowBuilder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var d RowBuilder
	for _, bits := range []int{0, 1, 11, 12, 13, 24, 25, 31} {
		for _, rows := range []int{0, 1, 2, 700} {
			for _, valued := range []bool{false, true} {
				type entry struct {
					column uint32
					value  float32
				}
				want := make([][]entry, rows)
				type dealt struct {
					row int
					entry
				}
				var all []dealt
				for row := range rows {
					for column := range map[uint32]bool{rng.Uint32() >> (32 - bits): true, 0: true} {
						e := entry{column: column}
						if valued {
							e.value = rng.Float32()
						}
						want[row] = append(want[row], e)
						all = append(all, dealt{row, e})
					}
					slices.SortFunc(want[row], func(a, b entry) int { return int(a.column) - int(b.column) })
				}
				rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				entries, values := d.Reserve(len(all)+3, valued)
				for k, e := range all {
					entries[k] = RowEntry(e.column, uint32(e.row))
					if valued {
						values[k] = e.value
					}
				}
				d.Build(len(all), rows)
				for row := range rows {
					columns, values := d.Row(row)
					var got []entry
					for k, column := range columns {
						e := entry{column: column}
						if valued {
							e.value = values[k]
						}
						got = append(got, e)
					}
					if !slices.Equal(got, want[row]) || (values != nil) != valued {
						t.Fatalf("%d bits, values %t, row %d of %d: %v, want %v", bits, valued, row, rows, got, want[row])
					}
				}
			}
		}
	}
}
