package kernels

// kernel is one of the package's functions over operands, and the plain loop that
// says what it means; d is used by those that write.
type kernel struct {
	name           string
	valued, writes bool
	call, plain    func(o *operands, d float64) float64
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
}

func slotsOf(o *operands) []Slot    { return o.slots }
func tableOf(o *operands) []float64 { return o.table }

type number interface{ float32 | float64 }

func sums[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32) F) kernel {
	over := func(f func([]T, []uint32) F) func(*operands, float64) float64 {
		return func(o *operands, _ float64) float64 { return float64(f(table(o), o.idx)) }
	}
	return kernel{name, false, false, over(call), over(plain)}
}

func dots[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, []float32) F) kernel {
	over := func(f func([]T, []uint32, []float32) F) func(*operands, float64) float64 {
		return func(o *operands, _ float64) float64 { return float64(f(table(o), o.idx, o.val)) }
	}
	return kernel{name, true, false, over(call), over(plain)}
}

func adds[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, F)) kernel {
	over := func(f func([]T, []uint32, F)) func(*operands, float64) float64 {
		return func(o *operands, d float64) float64 { f(table(o), o.idx, F(d)); return 0 }
	}
	return kernel{name, false, true, over(call), over(plain)}
}

func axpys[T any, F number](name string, table func(*operands) []T, call, plain func([]T, []uint32, []float32, F)) kernel {
	over := func(f func([]T, []uint32, []float32, F)) func(*operands, float64) float64 {
		return func(o *operands, d float64) float64 { f(table(o), o.idx, o.val, F(d)); return 0 }
	}
	return kernel{name, true, true, over(call), over(plain)}
}
