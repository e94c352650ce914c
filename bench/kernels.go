package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/rows"
	"github.com/seed-167f963f/nbsvm/kernels"
)

// KernelsConfig measures kernels over random rows, and compares each with the time
// that probes of the hardware need for the same accesses.
type KernelsConfig struct {
	Kernels         []string // by name; none means all
	Implementations []string // by name; none means all that this CPU runs
	TableBytes      []int
	RowLengths      []int // those longer than half a table are left out there
	Runs            int
	SampleTime      time.Duration // for which a pass is repeated; the fastest is the sample
}

// DefaultKernelsConfig has tables for each level of this CPU's caches and one for
// beyond them.
func DefaultKernelsConfig() KernelsConfig {
	m := ThisMachine()
	l2 := m.L2
	if l2 == 0 {
		l2 = 1 << 20
	}
	sizes := []int{32 << 10, l2 / 2, 4 << 20, 16 << 20, min(max(64<<20, 2*m.L3), 1<<30)}
	slices.Sort(sizes)
	return KernelsConfig{
		TableBytes: slices.Compact(sizes), RowLengths: []int{4, 16, 64, 256, 1024, 4096},
		Runs: 5, SampleTime: 10 * time.Millisecond,
	}
}

// Quick is the same measurement with three tables and two lengths of row.
func (c KernelsConfig) Quick() KernelsConfig {
	if n := len(c.TableBytes); n > 3 {
		c.TableBytes = []int{c.TableBytes[0], c.TableBytes[1], c.TableBytes[n-1]}
	}
	c.RowLengths, c.SampleTime = []int{16, 256}, c.SampleTime/2
	return c
}

// kernelNames lists the kernels.
func kernelNames() []string {
	var names []string
	for _, k := range allKernels {
		names = append(names, k.name)
	}
	return names
}

// validate reports the first setting out of its range.
func (c KernelsConfig) validate() error {
	for _, list := range []struct {
		what        string
		asked, have []string
	}{{"kernel", c.Kernels, kernelNames()}, {"implementation", c.Implementations, kernels.Implementations()}} {
		for _, name := range list.asked {
			if !slices.Contains(list.have, name) {
				return fmt.Errorf("bench: unknown %s %q: use %s", list.what, name, strings.Join(list.have, ", "))
			}
		}
	}
	for _, length := range c.RowLengths {
		if length < 1 {
			return fmt.Errorf("bench: rows of %d, want at least 1", length)
		}
	}
	return validateTables(c.TableBytes, c.Runs, c.SampleTime)
}

// Run measures. It makes kernels.Use choose each implementation in turn: no other
// work with kernels may go on.
func (c KernelsConfig) Run(ctx context.Context, progress func(done, total int)) (*Report, error) {
	if err := c.validate(); err != nil {
		return nil, ConfigError{err}
	}
	if len(c.Kernels) == 0 {
		c.Kernels = kernelNames()
	}
	if len(c.Implementations) == 0 {
		c.Implementations = kernels.RowImplementations()
	}
	report, err := newReport("kernels", c)
	if err != nil {
		return nil, err
	}
	table, free := newTable(slices.Max(append(c.TableBytes, 0)))
	defer free()
	sets, err := c.rowSets(ctx, table)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, set := range sets {
		cases = append(cases, c.cases(set)...)
	}
	before := kernels.Active()
	report.Results, err = Measure(ctx, c.Runs, cases, progress)
	if err := kernels.Use(before); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	report.Notes = []string{
		"A limit is the time that the best probe of nbsvm bench cpu takes to access the same entries in the same order.\nGB/s counts entries, ids and values.",
		samplesNote(c.SampleTime),
	}
	return report, nil
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
func (c KernelsConfig) rowSets(ctx context.Context, table []uint64) ([]*rowSet, error) {
	values := make([]float32, accesses(len(table)*entry)+slices.Max(append(c.RowLengths, 0)))
	for k := range values {
		values[k] = 1
	}
	var sets []*rowSet
	for _, bytes := range c.TableBytes {
		for _, length := range c.RowLengths {
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
				ids: rows.Random(r, entries, length, (accesses(bytes)+length-1)/length),
			})
		}
	}
	return sets, nil
}

// cases are the limits of a set and then every kernel in every implementation.
func (c KernelsConfig) cases(set *rowSet) []Case {
	labels := func(kernel, implementation string) []Label {
		return Labels("table", binarySize(len(set.table)*entry), "row", set.length, "kernel", kernel, "impl", implementation)
	}
	var chosen []kernel
	for _, k := range allKernels {
		if slices.Contains(c.Kernels, k.name) {
			chosen = append(chosen, k)
		}
	}
	var cases []Case
	for _, modifies := range []bool{false, true} {
		if slices.ContainsFunc(chosen, func(k kernel) bool { return k.modifies == modifies }) {
			cases = append(cases, Case{labels(accessName(modifies)+" limit", ""), func(context.Context) ([]Value, error) {
				set.limit[modifies] = set.measureLimit(c.SampleTime, modifies)
				return set.rates(set.limit[modifies], entry+4), nil
			}})
		}
	}
	for _, k := range chosen {
		for _, implementation := range c.Implementations {
			cases = append(cases, Case{labels(k.name, implementation), func(context.Context) ([]Value, error) {
				if err := kernels.Use(implementation); err != nil {
					return nil, err
				}
				ns := set.perNonZero(fastest(c.SampleTime, func() { k.run(set) }))
				return append(set.rates(ns, k.bytes), Value{"% of limit", Higher, 100 * set.limit[k.modifies] / ns}), nil
			}})
		}
	}
	return cases
}

// measureLimit is the time of the fastest probe, in ns a non-zero.
func (s *rowSet) measureLimit(sampleTime time.Duration, modifies bool) float64 {
	var times []float64
	for _, p := range accessWays() {
		if p.modifies == modifies {
			times = append(times, s.perNonZero(fastest(sampleTime, func() { p.run(s.table, s.ids) })))
		}
	}
	return slices.Min(times)
}

func (s *rowSet) perNonZero(took time.Duration) float64 { return float64(took) / float64(len(s.ids)) }

func (s *rowSet) rates(ns float64, bytes int) []Value {
	return []Value{{"ns/nnz", Lower, ns}, {"GB/s", Higher, float64(bytes) / ns}}
}

// kernel is a pass of one of package kernels over a set of rows.
type kernel struct {
	name string
	pass
}

var allKernels = []kernel{
	{"SumSlots", sum(asSlots, kernels.SumSlots)},
	{"SumScales", sum(asSlots, kernels.SumScales)},
	{"DotSlots", dot(asSlots, kernels.DotSlots)},
	{"AddSlots", add(asSlots, kernels.AddSlots)},
	{"AxpySlots", axpy(asSlots, kernels.AxpySlots)},
	{"Sum64", sum(asFloats, kernels.Sum64)},
	{"Dot64", dot(asFloats, kernels.Dot64)},
	{"SumSquares64", dot(asFloats, kernels.SumSquares64)},
	{"Add64", add(asFloats, kernels.Add64)},
	{"Axpy64", axpy(asFloats, kernels.Axpy64)},
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

type float interface{ float32 | float64 }

func sum[T any, F float](view func([]uint64) []T, f func([]T, []uint32) F) pass {
	return pass{func(s *rowSet) {
		table, total := view(s.table), F(0)
		for i := 0; i < len(s.ids); i += s.length {
			total += f(table, s.ids[i:i+s.length])
		}
		keep(uint64(total))
	}, false, entry + 4}
}

func dot[T any, F float](view func([]uint64) []T, f func([]T, []uint32, []float32) F) pass {
	return pass{func(s *rowSet) {
		table, total := view(s.table), F(0)
		for i := 0; i < len(s.ids); i += s.length {
			total += f(table, s.ids[i:i+s.length], s.values[i:i+s.length])
		}
		keep(uint64(total))
	}, false, entry + 4 + 4}
}

func add[T any, F float](view func([]uint64) []T, f func([]T, []uint32, F)) pass {
	return pass{func(s *rowSet) {
		table := view(s.table)
		for i := 0; i < len(s.ids); i += s.length {
			f(table, s.ids[i:i+s.length], step)
		}
	}, true, entry + 4}
}

func axpy[T any, F float](view func([]uint64) []T, f func([]T, []uint32, []float32, F)) pass {
	return pass{func(s *rowSet) {
		table := view(s.table)
		for i := 0; i < len(s.ids); i += s.length {
			f(table, s.ids[i:i+s.length], s.values[i:i+s.length], step)
		}
	}, true, entry + 4 + 4}
}
