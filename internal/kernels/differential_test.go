package kernels

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// TestAlignments has every length of row at every place in a line of the cache, of ids
// and of values, and tables at several.
func TestAlignments(t *testing.T) { eachAssembly(t, alignments) }

func alignments(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	pair := newTwins()
	const line = 16
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := range maxLength + 1 {
		pair.fill(r, ordinary)
		for id := 0; id < line; id += step {
			for value := 0; value < line; value += step {
				for _, entry := range []int{0, 1, 3, 7} {
					pair.row(n, twinMargin+id, value, twinMargin+entry)
					for k := range kernels {
						pair.check(t, &kernels[k], r.Float64()-0.5)
					}
				}
			}
		}
	}
}

var cases = flag.Int("cases", 1_000_000, "random rows in TestRandomRows; a tenth with -short")

// TestRandomRows has short and long rows, ids that repeat where a kernel may have
// them, and numbers of all kinds. More by hand:
//
//	go test ./internal/kernels -run TestRandomRows -cases 100000000
func TestRandomRows(t *testing.T) { eachAssembly(t, randomRows) }

func randomRows(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	pair := newTwins()
	const rowsPerFill = 500 // few enough for sums that grow to remain numbers
	left := *cases
	if testing.Short() {
		left /= 10
	}
	for ; left > 0; left -= rowsPerFill {
		number := ordinary
		if r.UintN(4) == 0 {
			number = special
		}
		pair.fill(r, number)
		for range min(left, rowsPerFill) {
			k := &kernels[r.IntN(len(kernels))]
			n := r.IntN(1 + r.IntN(maxLength+1))
			id := twinMargin + r.IntN(twinEntries-n+1)
			if !k.writes && r.UintN(2) == 0 {
				id += twinEntries
			}
			pair.row(n, id, r.IntN(twinMargin), r.IntN(twinMargin))
			pair.check(t, k, number(r))
		}
	}
}

// TestRepeatedIDs gives ids that repeat to kernels that write. What becomes of the
// entries that they name is not promised; of all others it is.
func TestRepeatedIDs(t *testing.T) { eachImplementation(t, repeatedIDs) }

func repeatedIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for _, k := range kernels {
		if !k.writes {
			continue
		}
		for n := range maxLength + 1 {
			o := newOperands(r, n, maxLength, false)
			named := map[int]bool{}
			for _, j := range o.idx {
				named[int(j)] = true
			}
			before := o.clone()
			k.call(o, 0.5)
			for j := range o.slots {
				if !named[j] && !o.sameEntry(before, j) {
					t.Errorf("%s of %d ids changed entry %d, which is not of the row", k.name, n, j)
				}
			}
			if !o.intact() {
				t.Errorf("%s of %d ids wrote outside its table", k.name, n)
			}
		}
	}
}
