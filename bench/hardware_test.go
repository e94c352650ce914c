package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/kernels"
)

func tinyCPU() CPUConfig {
	return CPUConfig{StreamBytes: 4000, TableBytes: []int{8, 4096}, Threads: 3, Runs: 2}
}

func tinyKernels() KernelsConfig {
	return KernelsConfig{TableBytes: []int{256, 4096}, RowLengths: []int{3, 100}, Runs: 2}
}

func TestCPU(t *testing.T) {
	config, calls := tinyCPU(), 0
	report, err := config.Run(t.Context(), func(done, total int) {
		if calls++; done != calls || done > total {
			t.Errorf("call %d says %d samples of %d", calls, done, total)
		}
	})
	var want []string
	for _, threads := range []string{"1", "3"} {
		want = append(want, "access=stream table=4000 B threads="+threads)
	}
	for _, table := range []string{"8 B", "4 KiB"} {
		for _, p := range accessWays() {
			want = append(want, "access="+accessName(p.modifies)+" table="+table+" threads=1 way="+p.way)
		}
	}
	wantReport(t, report, err, config.Runs, len(want))
	var got []string
	for i := range report.Results {
		got = append(got, report.Results[i].key())
	}
	if !slices.Equal(got, want) || calls != len(want)*config.Runs {
		t.Errorf("%d samples of cases\n%q\nwant\n%q", calls, got, want)
	}
}

func TestAccessWaysAreDistinct(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, p := range accessWays() {
		table, free := newTable(1 << 10)
		defer free()
		before := slices.Clone(table)
		p.run(table, []uint32{3, 5, 9, 9, 1, 2, 0, 4, 7})
		if modified := !slices.Equal(table, before); modified != p.modifies {
			t.Errorf("%s %s modified the table: %v", accessName(p.modifies), p.way, modified)
		}
		seen[[2]string{accessName(p.modifies), p.way}] = true
	}
	if len(seen) != len(accessWays()) || !seen[[2]string{"read", "plain"}] || !seen[[2]string{"modify", "plain"}] {
		t.Errorf("ways %v", seen)
	}
}

func TestKernels(t *testing.T) {
	config, before := tinyKernels(), kernels.Active()
	report, err := config.Run(t.Context(), nil)
	// Rows of 100 don't fit the smaller table.
	perSet := 2 + len(kernelNames())*len(kernels.RowImplementations())
	wantReport(t, report, err, config.Runs, 3*perSet)
	if kernels.Active() != before {
		t.Errorf("left with implementation %s, before %s", kernels.Active(), before)
	}
	for i := range report.Results {
		set := report.Results[i/perSet*perSet:]
		limit := set[0].metric("ns/nnz")
		r := &report.Results[i]
		if name := r.Label("kernel"); strings.HasPrefix(name, "A") {
			limit = set[1].metric("ns/nnz")
		}
		share := r.metric("% of limit")
		if share == nil {
			continue
		}
		for k, ns := range r.metric("ns/nnz").Samples {
			if want := 100 * limit.Samples[k] / ns; math.Abs(share.Samples[k]-want) > 1e-9 {
				t.Errorf("%s: %v %% of the limit, want %v", r.key(), share.Samples[k], want)
			}
		}
	}
}

func TestKernelsFilter(t *testing.T) {
	config := tinyKernels()
	config.Kernels, config.Implementations, config.RowLengths = []string{"Sum64", "DotSlots"}, []string{"generic"}, []int{3}
	report, err := config.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range report.Results {
		got = append(got, report.Results[i].Label("kernel"))
	}
	if want := []string{"read limit", "DotSlots", "Sum64", "read limit", "DotSlots", "Sum64"}; !slices.Equal(got, want) {
		t.Errorf("cases %q, want %q", got, want)
	}
}

// TestPasses runs each kernel over whole rows, after which the table, which all
// share, is as it was.
func TestPasses(t *testing.T) {
	config := tinyKernels()
	table, free := newTable(slices.Max(config.TableBytes))
	defer free()
	sets, err := config.rowSets(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
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
	for _, c := range []CPUConfig{DefaultCPUConfig(), DefaultCPUConfig().Quick()} {
		if err := c.validate(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []KernelsConfig{DefaultKernelsConfig(), DefaultKernelsConfig().Quick()} {
		if err := c.validate(); err != nil {
			t.Error(err)
		}
		if n := len(c.TableBytes); n < 3 || c.TableBytes[n-1] < 64<<20 || !slices.IsSorted(c.TableBytes) {
			t.Errorf("tables of %v bytes", c.TableBytes)
		}
	}
}

func TestHardwareRefusals(t *testing.T) {
	for _, change := range []func(*CPUConfig){
		func(c *CPUConfig) { c.StreamBytes = 7 },
		func(c *CPUConfig) { c.TableBytes = []int{0} },
		func(c *CPUConfig) { c.Threads = -1 },
		func(c *CPUConfig) { c.Runs = 0 },
		func(c *CPUConfig) { c.SampleTime = -1 },
	} {
		c := tinyCPU()
		change(&c)
		if _, err := c.Run(t.Context(), nil); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	for _, change := range []func(*KernelsConfig){
		func(c *KernelsConfig) { c.Kernels = []string{"Sum65"} },
		func(c *KernelsConfig) { c.Implementations = []string{"abacus"} },
		func(c *KernelsConfig) { c.RowLengths = []int{0} },
		func(c *KernelsConfig) { c.TableBytes = []int{1 << 33} },
		func(c *KernelsConfig) { c.Runs = 0 },
	} {
		c := tinyKernels()
		change(&c)
		if _, err := c.Run(t.Context(), nil); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tinyCPU().Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cpu, cancelled: %v", err)
	}
	if _, err := tinyKernels().Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("kernels, cancelled: %v", err)
	}
}
