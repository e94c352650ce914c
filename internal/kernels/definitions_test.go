package kernels

import (
	"math/rand/v2"
	"testing"
)

// definition says of a kernel what it does with an entry of the table and a value of the row: with u and s of a slot,
// or with the number w. It is written from the package comment, and the same for one class and for those of a group.
type definition struct {
	term   func(u, s, v float32) float32    // of a sum
	step   func(u, s, v, d float32) float32 // the new u
	term64 func(w, v float64) float64
	step64 func(w, v, d float64) float64
}

var definitions = map[string]definition{
	"SumSlots":     {term: func(u, _, _ float32) float32 { return u }},
	"SumScales":    {term: func(_, s, _ float32) float32 { return s }},
	"DotSlots":     {term: func(u, _, v float32) float32 { return v * u }},
	"AddSlots":     {step: func(u, s, _, d float32) float32 { return u + float32(d*s) }},
	"AxpySlots":    {step: func(u, s, v, d float32) float32 { return u + float32(float32(d*v)*s) }},
	"Sum64":        {term64: func(w, _ float64) float64 { return w }},
	"Dot64":        {term64: func(w, v float64) float64 { return v * w }},
	"SumSquares64": {term64: func(w, v float64) float64 { return float64(v*v) * w }},
	"Add64":        {step64: func(w, _, d float64) float64 { return w + d }},
	"Axpy64":       {step64: func(w, v, d float64) float64 { return w + float64(d*v) }},
}

// ofGroups names the definition of kernels of groups, whose classes have four parts of a sum each in place of eight
// lanes.
var ofGroups = map[string]string{
	"SumGroups": "SumSlots", "DotGroups": "DotSlots", "AddGroups": "AddSlots", "AxpyGroups": "AxpySlots",
	"SumGroups64": "Sum64", "DotGroups64": "Dot64",
}

// inLanes adds terms as the package says: term k in lane k%8.
func inLanes[F number](terms []F) F {
	var lane [8]F
	for k, x := range terms {
		lane[k%8] += x
	}
	even := (lane[0] + lane[4]) + (lane[2] + lane[6])
	odd := (lane[1] + lane[5]) + (lane[3] + lane[7])
	return even + odd
}

// inParts adds terms of a class of a group: term k in part k%4.
func inParts[F number](terms []F) F {
	var parts [4]F
	for k, x := range terms {
		parts[k%4] += x
	}
	return (parts[0] + parts[2]) + (parts[1] + parts[3])
}

// TestDefinitions holds every kernel, of every implementation and with rows of every length, against its definition:
// sums in the documented order, which are near the exact ones, and tables after steps.
func TestDefinitions(t *testing.T) {
	for _, distinct := range []bool{false, true} {
		eachLength(t, distinct, func(t *testing.T, r *rand.Rand, o *operands) {
			d := r.NormFloat64()
			for _, k := range kernels {
				if k.writes && !distinct {
					continue
				}
				def, classes := definitions[k.name], 1
				if name, grouped := ofGroups[k.name]; grouped {
					def, classes = definitions[name], GroupSize
				}
				before := o.clone()
				got := k.call(o, d)
				for l := range classes {
					if k.writes {
						def.checkSteps(t, k.name, o, before, l, classes > 1, d*float64(l+1))
					} else {
						def.checkSum(t, k.name, before, l, classes > 1, got[l])
					}
				}
			}
		})
	}
}

// at are the numbers of an entry, of a class.
func (o *operands) at(j uint32, l int, grouped bool) (u, s float32, w float64) {
	if grouped {
		return o.groups[j][l], o.scales[j], o.groups64[j][l]
	}
	return o.slots[j].U, o.slots[j].S, o.table[j]
}

func (d *definition) checkSum(t *testing.T, name string, o *operands, l int, grouped bool, got float64) {
	t.Helper()
	var terms []float32
	var wide []float64
	for k, j := range o.idx {
		u, s, w := o.at(j, l, grouped)
		if d.term64 != nil {
			wide = append(wide, d.term64(w, float64(o.val[k])))
		} else {
			terms = append(terms, d.term(u, s, o.val[k]))
			wide = append(wide, float64(terms[k]))
		}
	}
	var want float64
	switch {
	case grouped && d.term64 != nil:
		want = inParts(wide)
	case grouped:
		want = float64(inParts(terms))
	case d.term64 != nil:
		want = inLanes(wide)
	default:
		want = float64(inLanes(terms))
	}
	if !same(got, want) {
		t.Fatalf("%s of %d, class %d = %v, in the documented order %v", name, len(o.idx), l, got, want)
	}
	eps := eps32
	if d.term64 != nil {
		eps = eps64
	}
	near(t, name, got, wide, eps)
}

func (d *definition) checkSteps(t *testing.T, name string, got, before *operands, l int, grouped bool, by float64) {
	t.Helper()
	value := map[uint32]float32{}
	for k, j := range before.idx {
		value[j] = before.val[k]
	}
	for j := range uint32(len(before.slots)) {
		u, s, w := before.at(j, l, grouped)
		v, in := value[j]
		wantU, wantW := u, w
		switch {
		case in && d.step64 != nil:
			wantW = d.step64(w, float64(v), by)
		case in:
			wantU = d.step(u, s, v, float32(by))
		}
		if gotU, gotS, gotW := got.at(j, l, grouped); gotU != wantU || gotS != s || gotW != wantW {
			t.Fatalf("%s of %d ids: entry %d of class %d is %v, %v, %v; want %v, %v, %v", name, len(before.idx), j, l, gotU, gotS, gotW, wantU, s, wantW)
		}
	}
}

// TestDefined: every kernel of the table has a definition.
func TestDefined(t *testing.T) {
	for _, k := range kernels {
		name := k.name
		if of, grouped := ofGroups[name]; grouped {
			name = of
		}
		if d := definitions[name]; d.term == nil && d.term64 == nil && d.step == nil && d.step64 == nil {
			t.Errorf("%s has none", k.name)
		}
	}
}
