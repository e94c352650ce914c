package kernels

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
)

var cases = flag.Int("cases", 100_000, "random rows in TestRandomRows; a tenth with -short")

// TestRandomRows holds assembly against the plain loops: rows of every length, at any place relative to lines of the
// cache, ids that repeat where a kernel may have them, and numbers of all kinds. More by hand:
//
//	go test ./internal/kernels -run TestRandomRows -cases 100000000
func TestRandomRows(t *testing.T) { eachAssembly(t, randomRows) }

func randomRows(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	const rowsPerFill, longest = 200, maxLength + 20 // few enough rows for sums that grow to remain numbers
	left := *cases
	if testing.Short() {
		left /= 10
	}
	for ; left > 0; left -= rowsPerFill {
		distinct := r.UintN(2) == 0
		o := newOperands(r, longest, longest, distinct)
		if r.UintN(3) == 0 {
			o.fill(func() float64 { return special(r) })
		}
		other := o.clone()
		for range min(left, rowsPerFill) {
			k := &kernels[r.IntN(len(kernels))]
			if k.writes && !distinct {
				continue
			}
			n := r.IntN(1 + r.IntN(maxLength+1))
			id, value, d := r.IntN(longest-n+1), r.IntN(longest-n+1), r.Float64()-0.5
			row := func(o *operands) *operands {
				part := *o
				part.idx, part.val = o.idx[id:][:n], o.val[value:][:n]
				return &part
			}
			got, want := k.call(row(o), d), k.plain(row(other), d)
			if !got.same(want) || !o.sameEntries(other, 0, longest) || !o.intact() {
				t.Fatalf("%s of %d ids, d %g: %v, and by its plain loop %v, or another table\nids %d", k.name, n, d, got, want, row(o).idx)
			}
		}
	}
}

// fill gives all tables and values other numbers.
func (o *operands) fill(number func() float64) {
	for k := range o.val {
		o.val[k] = float32(number())
	}
	for j := range o.slots {
		o.slots[j], o.scales[j], o.table[j] = Slot{U: float32(number()), S: float32(number())}, float32(number()), number()
		for l := range GroupSize {
			o.groups[j][l], o.groups64[j][l] = float32(number()), number()
		}
	}
}

// special numbers are any bits, and those that are rare among them.
func special(r *rand.Rand) float64 {
	switch r.UintN(4) {
	case 0:
		return specials[r.IntN(len(specials))]
	case 1:
		return float64(math.Float32frombits(r.Uint32()))
	case 2:
		return math.Float64frombits(r.Uint64())
	}
	return (r.Float64() - 0.5) * float64(uint64(1)<<r.UintN(20))
}

var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(),
	math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 1e-39, -1e-41,
	math.MaxFloat64, math.SmallestNonzeroFloat64, -1e-310,
}

// eachAssembly runs a test with every implementation but the plain loops.
func eachAssembly(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if len(Implementations()) == 1 {
		t.Skip("there is no assembly here")
	}
	eachImplementation(t, func(t *testing.T) {
		if Active() != Implementations()[0] {
			test(t)
		}
	})
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
