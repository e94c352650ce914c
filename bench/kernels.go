package bench

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// kernelDefaults have tables for each level of this CPU's caches and one for beyond them.
func kernelDefaults(c *Config, quick bool) {
	m := ThisMachine()
	if m.L2 == 0 {
		m.L2 = 1 << 20
	}
	sizes := []int{32 << 10, m.L2 / 2, 4 << 20, 16 << 20, min(max(64<<20, 2*m.L3), 1<<30)}
	slices.Sort(sizes)
	c.TableBytes, c.SampleTime = slices.Compact(sizes), 10*time.Millisecond
	c.RowLengths = []int{4, 16, 64, 256, 1024, 4096}
	if quick {
		c.RowLengths, c.SampleTime = []int{16, 256}, c.SampleTime/2
		if n := len(c.TableBytes); n > 3 {
			c.TableBytes = []int{c.TableBytes[0], c.TableBytes[1], c.TableBytes[n-1]}
		}
	}
}

// kernelCases measure kernels over random rows, and compare each with the time that
// a plain loop needs for the same accesses.
func kernelCases(ctx context.Context, j *job) (cases []Case, err error) {
	sets, err := j.rowSets(ctx, j.newTable(slices.Max(j.TableBytes)))
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		cases = append(cases, j.kernelCases(set)...)
	}
	before := kernels.Active()
	j.ends = append(j.ends, func() error { return kernels.Use(before) })
	j.notes = []string{
		"A limit is the time that nbsvm bench cpu takes to access the same entries in the same order.\nGB/s counts entries, ids and values.",
		j.samplesNote(),
	}
	return cases, nil
}

// rowSet is rows of one length in a table of one size.
type rowSet struct {
	table  []uint64
	ids    []uint32 // row after row
	values []float32
	length int
	limit  map[bool]float64 // ns a non-zero, as measured last; by whether entries are modified
}

// rowSets makes the rows; the sets share table and values.
func (j *job) rowSets(ctx context.Context, table []uint64) ([]*rowSet, error) {
	values := make([]float32, accesses(len(table)*entry)+slices.Max(j.RowLengths))
	for k := range values {
		values[k] = 1
	}
	var sets []*rowSet
	for _, bytes := range j.TableBytes {
		for _, length := range j.RowLengths {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			entries := bytes / entry
			if length > entries/2 {
				continue
			}
			r := rand.New(rand.NewPCG(uint64(entries), uint64(length)))
			sets = append(sets, &rowSet{
				table: table[:entries], length: length, limit: map[bool]float64{}, values: values,
				ids: randomRows(r, entries, length, (accesses(bytes)+length-1)/length),
			})
		}
	}
	return sets, nil
}

// randomRows returns count rows of length ids, one after the other. The ids of a row are below entries, distinct and
// ascending. length is at most entries.
func randomRows(r *rand.Rand, entries, length, count int) []uint32 {
	ids := make([]uint32, 0, count*length)
	for range count {
		row := ids[len(ids):len(ids):cap(ids)]
		for len(row) < length {
			for len(row) < length {
				row = append(row, r.Uint32N(uint32(entries)))
			}
			slices.Sort(row)
			row = slices.Compact(row)
		}
		ids = ids[:len(ids)+length]
	}
	return ids
}

// kernelCases returns the limits of a set and then every kernel in every implementation.
func (j *job) kernelCases(set *rowSet) []Case {
	labels := func(kernel, implementation string) []label {
		return Labels("table",
			binarySize(len(set.table)*entry), "row", set.length, "kernel", kernel, "impl", implementation)
	}
	var cases []Case
	for _, modifies := range []bool{false, true} {
		cases = append(cases, Case{labels(accessName(modifies)+" limit", ""), func(context.Context) ([]Value, error) {
			set.limit[modifies] = set.perNonZero(fastest(j.SampleTime,
				func() { accessRandom(set.table, set.ids, modifies) }))
			return set.rates(set.limit[modifies], entry+4), nil
		}})
	}
	for _, k := range allKernels {
		for _, implementation := range kernels.Implementations() {
			cases = append(cases, Case{labels(k.name, implementation), func(context.Context) ([]Value, error) {
				if err := kernels.Use(implementation); err != nil {
					return nil, err
				}
				ns := set.perNonZero(fastest(j.SampleTime, func() { k.run(set) }))
				return append(set.rates(ns, k.bytes), Value{"% of limit", 100 * set.limit[k.modifies] / ns}),
					nil
			}})
		}
	}
	return cases
}

func (s *rowSet) perNonZero(took time.Duration) float64 { return float64(took) / float64(len(s.ids)) }

func (s *rowSet) rates(ns float64, bytes int) []Value {
	return []Value{{"ns/nnz", ns}, {"GB/s", float64(bytes) / ns}}
}

// kernel is a pass of one of package kernels over a set of rows.
type kernel struct {
	name string
	pass
}

var allKernels = []kernel{
	{"SumSlots", reads(kernels.DotSlots, false)},
	{"SumScales", reads(func(table []kernels.Slot, idx []uint32, _ []float32) float32 { return kernels.SumScales(table, idx) }, false)},
	{"DotSlots", reads(kernels.DotSlots, true)},
	{"AddSlots", modifies(kernels.AxpySlots, false)},
	{"AxpySlots", modifies(kernels.AxpySlots, true)},
	{"Sum64", reads(kernels.Dot64, false)},
	{"Dot64", reads(kernels.Dot64, true)},
	{"SumSquares64", reads(kernels.SumSquares64, true)},
	{"Add64", modifies(kernels.Axpy64, false)},
	{"Axpy64", modifies(kernels.Axpy64, true)},
}

// pass is what to do, whether it modifies entries, and the bytes that a non-zero
// takes: the entry, the id, the value if there is one.
type pass struct {
	run      func(*rowSet)
	modifies bool
	bytes    int
}

// step is what modifying kernels add: not nothing, and too little to change any
// entry, whose bits are those of other numbers to other kernels.
const step = 1e-30

// row returns the ids and, if a kernel takes them, the values of the row that begins at i.
func (s *rowSet) row(i int, valued bool) (ids []uint32, values []float32) {
	if valued {
		values = s.values[i : i+s.length]
	}
	return s.ids[i : i+s.length], values
}

// bytesOf are those that a non-zero takes.
func bytesOf(valued bool) int {
	if valued {
		return entry + 4 + 4
	}
	return entry + 4
}

func reads[T kernels.Slot | float64, F float32 | float64](f func([]T, []uint32, []float32) F, valued bool) pass {
	return pass{func(s *rowSet) {
		table, total := as[T](s.table), F(0)
		for i := 0; i < len(s.ids); i += s.length {
			ids, values := s.row(i, valued)
			total += f(table, ids, values)
		}
		keep(uint64(total))
	}, false, bytesOf(valued)}
}

func modifies[T kernels.Slot | float64, F float32 | float64](f func([]T, []uint32, []float32, F), valued bool) pass {
	return pass{func(s *rowSet) {
		table := as[T](s.table)
		for i := 0; i < len(s.ids); i += s.length {
			ids, values := s.row(i, valued)
			f(table, ids, values, step)
		}
	}, true, bytesOf(valued)}
}
