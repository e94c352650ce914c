package kernels

// The kernels of rows without values have code, and tests, of their own.
func SumSlots(slots []Slot, idx []uint32) float32             { return DotSlots(slots, idx, nil) }
func AddSlots(slots []Slot, idx []uint32, d float32)          { AxpySlots(slots, idx, nil, d) }
func Sum64(table []float64, idx []uint32) float64             { return Dot64(table, idx, nil) }
func Add64(table []float64, idx []uint32, d float64)          { Axpy64(table, idx, nil, d) }
func SumGroups(sum *Group, table []Group, idx []uint32)       { DotGroups(sum, table, idx, nil) }
func SumGroups64(sum *Group64, table []Group64, idx []uint32) { DotGroups64(sum, table, idx, nil) }

// kernel is one of the package's functions over operands, and the plain loop that
// says what it means; d is used by those that write.
type kernel struct {
	name           string
	valued, writes bool
	call, plain    func(o *operands, d float64) result
}

// result is a sum, of one class or of a group.
type result [GroupSize]float64

func (r result) same(other result) bool {
	for l := range r {
		if !same(r[l], other[l]) {
			return false
		}
	}
	return true
}

var kernels = []kernel{
	sums("SumSlots", slotsOf, SumSlots, sumSlots),
	sums("SumScales", slotsOf, SumScales, sumScales),
	dots("DotSlots", slotsOf, DotSlots, dotSlots),
	adds("AddSlots", slotsOf, AddSlots, addSlots),
	axpys("AxpySlots", slotsOf, AxpySlots, axpySlots),
	sums("Sum64", tableOf, Sum64, sum64),
	dots("Dot64", tableOf, Dot64, dot64),
	dots("SumSquares64", tableOf, SumSquares64, sumSquares64),
	adds("Add64", tableOf, Add64, add64),
	axpys("Axpy64", tableOf, Axpy64, axpy64),
	groupSums("SumGroups", groupsOf, SumGroups, sumGroups),
	groupDots("DotGroups", groupsOf, DotGroups, dotGroups),
	scaled("AddGroups", false, func(o *operands) { AxpyGroups(o.groups, o.scales, o.idx, nil, &o.group) },
		func(o *operands) { addGroups(o.groups, o.scales, o.idx, &o.group) }),
	scaled("AxpyGroups", true, func(o *operands) { AxpyGroups(o.groups, o.scales, o.idx, o.val, &o.group) },
		func(o *operands) { axpyGroups(o.groups, o.scales, o.idx, o.val, &o.group) }),
	groupSums("SumGroups64", groups64Of, SumGroups64, sumGroups),
	// These have no assembly.
	groupDots("DotGroups64", groups64Of, DotGroups64, DotGroups64),
}

func slotsOf(o *operands) []Slot                   { return o.slots }
func tableOf(o *operands) []float64                { return o.table }
func groupsOf(o *operands) ([]Group, *Group)       { return o.groups, &o.group }
func groups64Of(o *operands) ([]Group64, *Group64) { return o.groups64, &o.group64 }

type number interface{ float32 | float64 }

func sums[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32) F) kernel {
	over := func(f func([]T, []uint32) F) func(*operands, float64) result {
		return func(o *operands, _ float64) result { return result{float64(f(table(o), o.idx))} }
	}
	return kernel{name, false, false, over(call), over(plain)}
}

func dots[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, []float32) F) kernel {
	over := func(f func([]T, []uint32, []float32) F) func(*operands, float64) result {
		return func(o *operands, _ float64) result { return result{float64(f(table(o), o.idx, o.val))} }
	}
	return kernel{name, true, false, over(call), over(plain)}
}

func adds[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, F)) kernel {
	over := func(f func([]T, []uint32, F)) func(*operands, float64) result {
		return func(o *operands, d float64) result { f(table(o), o.idx, F(d)); return result{} }
	}
	return kernel{name, false, true, over(call), over(plain)}
}

func axpys[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, []float32, F)) kernel {
	over := func(f func([]T, []uint32, []float32, F)) func(*operands, float64) result {
		return func(o *operands, d float64) result { f(table(o), o.idx, o.val, F(d)); return result{} }
	}
	return kernel{name, true, true, over(call), over(plain)}
}

func groupSums[T any, F number](name string, of func(*operands) ([]T, *[GroupSize]F), call, plain func(*[GroupSize]F, []T, []uint32)) kernel {
	over := func(f func(*[GroupSize]F, []T, []uint32)) func(*operands, float64) result {
		return func(o *operands, _ float64) result {
			table, sum := of(o)
			f(sum, table, o.idx)
			return results(sum)
		}
	}
	return kernel{name, false, false, over(call), over(plain)}
}

func groupDots[T any, F number](name string, of func(*operands) ([]T, *[GroupSize]F), call, plain func(*[GroupSize]F, []T, []uint32, []float32)) kernel {
	over := func(f func(*[GroupSize]F, []T, []uint32, []float32)) func(*operands, float64) result {
		return func(o *operands, _ float64) result {
			table, sum := of(o)
			f(sum, table, o.idx, o.val)
			return results(sum)
		}
	}
	return kernel{name, true, false, over(call), over(plain)}
}

func scaled(name string, valued bool, call, plain func(o *operands)) kernel {
	over := func(f func(o *operands)) func(*operands, float64) result {
		return func(o *operands, d float64) result {
			eachClass(&o.group, d)
			f(o)
			return result{}
		}
	}
	return kernel{name, valued, true, over(call), over(plain)}
}

func results[F number](group *[GroupSize]F) (r result) {
	for l, x := range group {
		r[l] = float64(x)
	}
	return r
}

// eachClass gives each class a number of its own, x being that of the first.
func eachClass[F number](group *[GroupSize]F, x float64) {
	for l := range group {
		group[l] = F(x * float64(l+1))
	}
}
