package mem

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestArena takes and gives memory at random, and checks that none is handed out twice.
func TestArena(t *testing.T) {
	var a Arena
	defer a.Close()
	random := rand.New(rand.NewPCG(1, 1))
	type part struct {
		Memory
		mark uint64
	}
	var taken []part
	for i := range 3000 {
		if len(taken) > 0 && random.IntN(5) < 2 {
			k := random.IntN(len(taken))
			for _, w := range taken[k].Words {
				if w != taken[k].mark {
					t.Fatalf("a word is %d, want %d", w, taken[k].mark)
				}
			}
			a.Give(taken[k].Memory)
			taken[k] = taken[len(taken)-1]
			taken = taken[:len(taken)-1]
			continue
		}
		if random.IntN(50) == 0 {
			a.Trim()
		}
		n := random.IntN(20_000)
		if random.IntN(100) == 0 {
			n = slabWords + random.IntN(slabWords)
		}
		p := part{a.Take(n), uint64(i)}
		if i%2 == 0 {
			a.Give(p.Memory)
			p.Memory = a.TakeZeros(n)
			for _, w := range p.Words {
				if w != 0 {
					t.Fatalf("a word is %d, want 0", w)
				}
			}
		}
		for j := range p.Words {
			p.Words[j] = p.mark
		}
		taken = append(taken, p)
	}
	for _, p := range taken {
		a.Give(p.Memory)
	}
	if most := int64(8 * slabWords); a.Bytes() > most {
		t.Errorf("%d bytes are held of nothing, want %d at most", a.Bytes(), most)
	}
}

// TestMakeInFile has a table whose file has no name any more.
func TestMakeInFile(t *testing.T) {
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "table"))
	must.OK(t, err)
	table, free, err := MakeInFile[uint64](100_000, f)
	must.OK(t, errors.Join(err, f.Close(), os.Remove(f.Name())))
	for i := range table {
		if table[i] != 0 {
			t.Fatalf("entry %d is %d, want 0", i, table[i])
		}
		table[i] = uint64(i)
	}
	for i := range table {
		if table[i] != uint64(i) {
			t.Fatalf("entry %d is %d", i, table[i])
		}
	}
	free()
}
