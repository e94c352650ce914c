package vocab

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestNames: names come out by column, however they came in, and whether or not they had
// to wait in a file, of which nothing is left.
func TestNames(t *testing.T) {
	for _, columns := range []int{0, 1, 100, shareColumns, shareColumns + 1, 2*shareColumns + 17} {
		for _, room := range []int{1000, 1 << 20, namesRoom} {
			if room == 1000 && columns > 100 {
				continue
			}
			folder := t.TempDir()
			names := NewNames(columns, folder)
			names.room = room
			for _, j := range rand.New(rand.NewPCG(1, 2)).Perm(columns) {
				name := keyName(uint64(j))
				for _, add := range []string{name, "another"} { // the first stays
					if name == "" {
						continue
					}
					must.OK(t, names.Add(uint32(j), []byte(add)))
				}
				if names.Has(uint32(j)) != (name != "") {
					t.Fatalf("column %d has a name: %t", j, names.Has(uint32(j)))
				}
			}
			var written bytes.Buffer
			out := bufio.NewWriter(&written)
			must.OK(t, errors.Join(names.write(out), out.Flush()))
			got, want := written.Bytes(), []byte(nil)
			for j := range columns {
				name := keyName(uint64(j))
				want = append(binary.AppendUvarint(want, uint64(len(name))), name...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d columns, room for %d bytes: %d bytes of names, want %d", columns, room, len(got), len(want))
			}
			if waited := slices.ContainsFunc(names.spilled, func(s []span) bool { return len(s) > 0 }); waited != (len(want) > room) {
				t.Errorf("%d bytes of names, room for %d: waited in a file: %t", len(want), room, waited)
			}
			names.Close()
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("files left: %v, %v", left, err)
			}
		}
	}
}
