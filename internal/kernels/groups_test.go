package kernels

import (
	"math/rand/v2"
	"testing"
)

// groupRow is a random row against tables of groups.
type groupRow struct {
	slots  []GroupSlot
	double []Group64
	idx    []uint32
	val    []float32
	d      Group
	d64    Group64
}

func newGroupRow(rng *rand.Rand, n int) *groupRow {
	const size = 200
	r := &groupRow{slots: make([]GroupSlot, size), double: make([]Group64, size)}
	for j := range r.slots {
		for l := range GroupSize {
			r.slots[j][0][l], r.slots[j][1][l] = float32(rng.NormFloat64()), rng.Float32()
			r.double[j][l] = rng.NormFloat64()
		}
	}
	for _, j := range rng.Perm(size)[:n] {
		r.idx, r.val = append(r.idx, uint32(j)), append(r.val, float32(rng.NormFloat64()))
	}
	for l := range GroupSize {
		r.d[l], r.d64[l] = float32(rng.NormFloat64()), rng.NormFloat64()
	}
	return r
}

// inParts adds terms as the package says: term k in part k%4.
func inParts[T float32 | float64](n int, term func(k int) T) T {
	var parts [4]T
	for k := range n {
		parts[k%4] += term(k)
	}
	return (parts[0] + parts[2]) + (parts[1] + parts[3])
}

func TestGroupSums(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for n := range maxLength + 1 {
			r := newGroupRow(rng, n)
			var sum, scales, dot Group
			var sum64, dot64 Group64
			SumGroups(&sum, r.slots, r.idx)
			SumGroupScales(&scales, r.slots, r.idx)
			DotGroups(&dot, r.slots, r.idx, r.val)
			SumGroups64(&sum64, r.double, r.idx)
			DotGroups64(&dot64, r.double, r.idx, r.val)
			for l := range GroupSize {
				if want := inParts(n, func(k int) float32 { return r.slots[r.idx[k]][0][l] }); sum[l] != want {
					t.Fatalf("SumGroups of %d ids: class %d has %v, want %v", n, l, sum[l], want)
				}
				if want := inParts(n, func(k int) float32 { return r.slots[r.idx[k]][1][l] }); scales[l] != want {
					t.Fatalf("SumGroupScales of %d ids: class %d has %v, want %v", n, l, scales[l], want)
				}
				if want := inParts(n, func(k int) float32 { return float32(r.val[k] * r.slots[r.idx[k]][0][l]) }); dot[l] != want {
					t.Fatalf("DotGroups of %d ids: class %d has %v, want %v", n, l, dot[l], want)
				}
				if want := inParts(n, func(k int) float64 { return r.double[r.idx[k]][l] }); sum64[l] != want {
					t.Fatalf("SumGroups64 of %d ids: class %d has %v, want %v", n, l, sum64[l], want)
				}
				if want := inParts(n, func(k int) float64 { return float64(float64(r.val[k]) * r.double[r.idx[k]][l]) }); dot64[l] != want {
					t.Fatalf("DotGroups64 of %d ids: class %d has %v, want %v", n, l, dot64[l], want)
				}
			}
		}
	})
}

func TestGroupSteps(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for n := range maxLength + 1 {
			r := newGroupRow(rng, n)
			value := map[uint32]float32{}
			for k, j := range r.idx {
				value[j] = r.val[k]
			}
			added, valued := append([]GroupSlot(nil), r.slots...), append([]GroupSlot(nil), r.slots...)
			added64, valued64 := append([]Group64(nil), r.double...), append([]Group64(nil), r.double...)
			AddGroups(added, r.idx, &r.d)
			AxpyGroups(valued, r.idx, r.val, &r.d)
			AxpyGroups64(added64, r.idx, nil, &r.d64)
			AxpyGroups64(valued64, r.idx, r.val, &r.d64)
			for j := range r.slots {
				v, in := value[uint32(j)]
				for l := range GroupSize {
					add, axpy, add64, axpy64 := r.slots[j][0][l], r.slots[j][0][l], r.double[j][l], r.double[j][l]
					if in {
						add += float32(r.d[l] * r.slots[j][1][l])
						axpy += float32(float32(r.d[l]*v) * r.slots[j][1][l])
						add64 += r.d64[l]
						axpy64 += float64(r.d64[l] * float64(v))
					}
					if added[j] != [2]Group{added[j][0], r.slots[j][1]} || added[j][0][l] != add || valued[j][0][l] != axpy || added64[j][l] != add64 || valued64[j][l] != axpy64 {
						t.Fatalf("%d ids: entry %d of class %d is %v, %v, %v, %v; want %v, %v, %v, %v", n, j, l,
							added[j][0][l], valued[j][0][l], added64[j][l], valued64[j][l], add, axpy, add64, axpy64)
					}
				}
			}
		}
	})
}

// TestGroupsOutside has ids that no table has, at every place of a row.
func TestGroupsOutside(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := newGroupRow(rand.New(rand.NewPCG(1, 3)), 11)
		for place := range r.idx {
			for _, outside := range []uint32{uint32(len(r.slots)), 1 << 31, 1<<32 - 1} {
				idx := append([]uint32(nil), r.idx...)
				idx[place] = outside
				PrefetchEntries(r.slots, idx, 0)
				PrefetchEntries(r.double, idx, 0)
				var sum Group
				var sum64 Group64
				for name, kernel := range map[string]func(){
					"SumGroups":      func() { SumGroups(&sum, r.slots, idx) },
					"SumGroupScales": func() { SumGroupScales(&sum, r.slots, idx) },
					"DotGroups":      func() { DotGroups(&sum, r.slots, idx, r.val) },
					"AddGroups":      func() { AddGroups(r.slots, idx, &r.d) },
					"AxpyGroups":     func() { AxpyGroups(r.slots, idx, r.val, &r.d) },
					"SumGroups64":    func() { SumGroups64(&sum64, r.double, idx) },
					"AddGroups64":    func() { AxpyGroups64(r.double, idx, nil, &r.d64) },
					"DotGroups64":    func() { DotGroups64(&sum64, r.double, idx, r.val) },
					"AxpyGroups64":   func() { AxpyGroups64(r.double, idx, r.val, &r.d64) },
				} {
					func() {
						defer func() {
							if recover() == nil {
								t.Errorf("%s takes id %d at place %d of a table of %d", name, outside, place, len(r.slots))
							}
						}()
						kernel()
					}()
				}
			}
		}
	})
}
