package bench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func tinyCPU() Config {
	c := Defaults("cpu", true)
	c.StreamBytes, c.TableBytes, c.Threads, c.Runs, c.SampleTime = 4000, []int{8, 4096}, []int{1, 3}, 2, 0
	return c
}

func tinyKernels() Config {
	c := Defaults("kernels", true)
	c.TableBytes, c.RowLengths, c.Runs, c.SampleTime = []int{256, 4096}, []int{3, 100}, 2, 0
	return c
}

func TestCPU(t *testing.T) {
	config, calls := tinyCPU(), 0
	report, err := Run(t.Context(), "cpu", config, func(done, total int) {
		if calls++; done != calls || done > total {
			t.Errorf("call %d says %d samples of %d", calls, done, total)
		}
	})
	var want []string
	for _, threads := range []string{"1", "3"} {
		want = append(want, "access=stream table=4000 B threads="+threads)
	}
	for _, table := range []string{"8 B", "4 KiB"} {
		for _, access := range []string{"read", "modify"} {
			want = append(want, "access="+access+" table="+table+" threads=1")
		}
	}
	wantReport(t, report, err, config.Runs, len(want))
	var got []string
	for i := range report.Results {
		got = append(got, key(&report.Results[i]))
	}
	if !slices.Equal(got, want) || calls != len(want)*config.Runs {
		t.Errorf("%d samples of cases\n%q\nwant\n%q", calls, got, want)
	}
}

// newTable is a table until the end of the test.
func newTable(t *testing.T, bytes int) []uint64 {
	var j job
	table := j.newTable(bytes)
	t.Cleanup(func() { j.ends[0]() })
	return table
}

// TestAccesses compares loops over memory with plain ones, for lengths around that of a turn.
func TestAccesses(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for n := range 35 {
		table := make([]uint64, 1+r.IntN(300))
		for k := range table {
			table[k] = r.Uint64()
		}
		idx, want := make([]uint32, n), slices.Clone(table)
		var sum, all uint64
		for k := range idx {
			idx[k] = r.Uint32N(uint32(len(table))) // not distinct
			sum += table[idx[k]]
			want[idx[k]]++
		}
		if got := readRandom(table, idx); got != sum {
			t.Errorf("sum of %d entries is %d, want %d", n, got, sum)
		}
		if modifyRandom(table, idx); !slices.Equal(table, want) {
			t.Errorf("modifying %d entries differs from the plain loop", n)
		}
		for _, e := range table[:min(n, len(table))] {
			all += e
		}
		if got := readStream(table[:min(n, len(table))]); got != all {
			t.Errorf("sum of the first %d entries is %d, want %d", n, got, all)
		}
	}
}

func TestKernels(t *testing.T) {
	config, before := tinyKernels(), kernels.Active()
	report, err := Run(t.Context(), "kernels", config, nil)
	// Rows of 100 don't fit the smaller table.
	perSet := 2 + len(allKernels)*len(kernels.Implementations())
	wantReport(t, report, err, config.Runs, 3*perSet)
	if kernels.Active() != before {
		t.Errorf("left with implementation %s, before %s", kernels.Active(), before)
	}
	for i := range report.Results {
		set := report.Results[i/perSet*perSet:]
		limit := set[0].Samples("ns/nnz")
		r := &report.Results[i]
		if name := r.Label("kernel"); strings.HasPrefix(name, "A") {
			limit = set[1].Samples("ns/nnz")
		}
		share := r.Samples("% of limit")
		if share == nil {
			continue
		}
		for k, ns := range r.Samples("ns/nnz") {
			if want := 100 * limit[k] / ns; math.Abs(share[k]-want) > 1e-9 {
				t.Errorf("%s: %v %% of the limit, want %v", key(r), share[k], want)
			}
		}
	}
}

// TestPasses runs each kernel over whole rows, after which the table, which all
// share, is as it was.
func TestPasses(t *testing.T) {
	config := tinyKernels()
	j := &job{Config: config}
	sets, err := j.rowSets(t.Context(), newTable(t, slices.Max(config.TableBytes)))
	must.OK(t, err)
	for _, set := range sets {
		before := slices.Clone(set.table)
		for _, k := range allKernels {
			keep(0)
			k.run(set)
			if !slices.Equal(set.table, before) {
				t.Fatalf("%s changed the table", k.name)
			}
			// U is 1, and so is every value.
			if n := uint64(len(set.ids)); strings.HasSuffix(k.name, "Slots") && !k.modifies && kept.Load() != n {
				t.Errorf("%s over %d ids gives %d", k.name, n, kept.Load())
			}
			if valued := k.bytes == entry+8; valued != slices.Contains([]string{"DotSlots", "AxpySlots", "Dot64", "SumSquares64", "Axpy64"}, k.name) {
				t.Errorf("%s: %d bytes a non-zero", k.name, k.bytes)
			}
		}
	}
}

func TestFastest(t *testing.T) {
	n := 0
	if took := fastest(0, func() {
		if n++; n != 2 {
			time.Sleep(3 * time.Millisecond)
		}
	}); took <= 0 || took >= 3*time.Millisecond {
		t.Errorf("the fastest pass took %v", took)
	}
	if n != 3 {
		t.Errorf("%d passes, want one to warm up and two", n)
	}
}

func TestDefaults(t *testing.T) {
	for name := range workloads {
		for _, quick := range []bool{false, true} {
			c := Defaults(name, quick)
			if err := c.validate(); err != nil {
				t.Error(err)
			}
			if n := len(c.TableBytes); name == "kernels" && (n < 3 || c.TableBytes[n-1] < 64<<20 || !slices.IsSorted(c.TableBytes)) {
				t.Errorf("tables of %v bytes", c.TableBytes)
			}
		}
	}
}

func TestHardwareRefusals(t *testing.T) {
	cpu, kernel := tinyCPU(), tinyKernels()
	cpu.Threads[0] = -1
	if _, err := Run(t.Context(), "cpu", cpu, nil); err == nil {
		t.Errorf("%+v was accepted", cpu)
	}
	kernel.Runs = 0
	if _, err := Run(t.Context(), "kernels", kernel, nil); err == nil {
		t.Errorf("%+v was accepted", kernel)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, "cpu", tinyCPU(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cpu, cancelled: %v", err)
	}
	if _, err := Run(ctx, "kernels", tinyKernels(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("kernels, cancelled: %v", err)
	}
}

func TestRandomRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{1, 1, 3}, {5, 5, 4}, {100, 7, 50}, {100, 7, 0}, {3, 0, 2}} {
		entries, length, count := shape[0], shape[1], shape[2]
		ids := randomRows(r, entries, length, count)
		if len(ids) != length*count {
			t.Fatalf("%v: %d ids", shape, len(ids))
		}
		for k, id := range ids {
			if int(id) >= entries || k%length > 0 && id <= ids[k-1] {
				t.Errorf("%v: id %d at position %d of its row", shape, id, k%length)
			}
		}
	}
}
