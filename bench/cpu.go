package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/bench/internal/probe"
)

// CPUConfig measures what the machine allows at best: the rate of reading memory in
// order, and the time of 8-byte accesses at random in tables of several sizes.
type CPUConfig struct {
	StreamBytes int   // read in order
	TableBytes  []int // of the tables accessed at random
	Threads     int   // that read in order together, besides one alone; 0 for all processors
	Runs        int
	SampleTime  time.Duration // for which a pass is repeated; the fastest is the sample
}

// DefaultCPUConfig reaches from the first level of cache to well beyond the last.
func DefaultCPUConfig() CPUConfig {
	return CPUConfig{
		StreamBytes: 256 << 20,
		TableBytes:  []int{32 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20},
		Runs:        5, SampleTime: 20 * time.Millisecond,
	}
}

// Quick is the same measurement with half of the tables and shorter samples.
func (c CPUConfig) Quick() CPUConfig {
	var every []int
	for i := 0; i < len(c.TableBytes); i += 2 {
		every = append(every, c.TableBytes[i])
	}
	c.TableBytes, c.SampleTime = every, c.SampleTime/4
	return c
}

// validate reports the first setting out of its range.
func (c CPUConfig) validate() error {
	if c.StreamBytes < entry {
		return fmt.Errorf("bench: %d bytes to read in order, want at least %d", c.StreamBytes, entry)
	}
	if c.Threads < 0 {
		return fmt.Errorf("bench: %d threads, want 1 or more, or 0 for all processors", c.Threads)
	}
	return validateTables(c.TableBytes, c.Runs, c.SampleTime)
}

// validateTables checks what measurements of tables have in common.
func validateTables(tableBytes []int, runs int, sampleTime time.Duration) error {
	for _, bytes := range tableBytes {
		if bytes < entry || int64(bytes) > 1<<32 {
			return fmt.Errorf("bench: a table of %d bytes, want %d to 2^32", bytes, entry)
		}
	}
	if sampleTime < 0 {
		return fmt.Errorf("bench: samples of %v, want 0 or more", sampleTime)
	}
	return validRuns(runs)
}

// prefetchAhead is how many accesses ahead probes prefetch, where they do.
const prefetchAhead = 64

// Run measures.
func (c CPUConfig) Run(ctx context.Context, progress func(done, total int)) (*Report, error) {
	if err := c.validate(); err != nil {
		return nil, ConfigError{err}
	}
	if c.Threads == 0 {
		c.Threads = runtime.GOMAXPROCS(0)
	}
	report, err := newReport("cpu", c)
	if err != nil {
		return nil, err
	}
	table, free := newTable(max(c.StreamBytes, slices.Max(append(c.TableBytes, 0))))
	defer free()
	cases := []Case{c.stream(table[:c.StreamBytes/entry], 1)}
	if c.Threads > 1 {
		cases = append(cases, c.stream(table[:c.StreamBytes/entry], c.Threads))
	}
	for _, bytes := range c.TableBytes {
		cases = append(cases, c.random(table[:bytes/entry])...)
	}
	if report.Results, err = Measure(ctx, c.Runs, cases, progress); err != nil {
		return nil, err
	}
	report.Notes = []string{
		fmt.Sprintf("stream reads memory in order, read and modify access 8-byte entries at random; prefetch is %d ahead.", prefetchAhead),
		samplesNote(c.SampleTime),
	}
	return report, nil
}

func samplesNote(sampleTime time.Duration) string {
	return fmt.Sprintf("A sample is the fastest pass of those within %v; medians and ranges are over samples.", sampleTime)
}

// stream reads all of the table in order, each thread a part of its own.
func (c CPUConfig) stream(table []uint64, threads int) Case {
	pass := func() {
		var wg sync.WaitGroup
		for t := range threads {
			part := table[len(table)*t/threads : len(table)*(t+1)/threads]
			wg.Go(func() { keep(probe.ReadStream(part)) })
		}
		wg.Wait()
	}
	return Case{
		Labels("access", "stream", "table", binarySize(len(table)*entry), "threads", threads),
		func(context.Context) ([]Value, error) {
			took := fastest(c.SampleTime, pass)
			return []Value{{"GB/s", Higher, float64(len(table)*entry) / float64(took)}}, nil
		},
	}
}

// random accesses entries of the table in every way that there is.
func (c CPUConfig) random(table []uint64) []Case {
	r := rand.New(rand.NewPCG(1, uint64(len(table))))
	idx := make([]uint32, accesses(len(table)*entry))
	for k := range idx {
		idx[k] = r.Uint32N(uint32(len(table)))
	}
	var cases []Case
	for _, p := range accessWays() {
		cases = append(cases, Case{
			Labels("access", accessName(p.modifies), "table", binarySize(len(table)*entry), "threads", 1, "way", p.way),
			func(context.Context) ([]Value, error) {
				took := fastest(c.SampleTime, func() { p.run(table, idx) })
				return []Value{{"ns/access", Lower, float64(took) / float64(len(idx))}}, nil
			},
		})
	}
	return cases
}

// access is one way of accessing entries at random.
type access struct {
	modifies bool
	way      string
	run      func(table []uint64, idx []uint32)
}

func accessName(modifies bool) string {
	if modifies {
		return "modify"
	}
	return "read"
}

// accessWays are those of this CPU.
func accessWays() []access {
	read := func(ahead int) func([]uint64, []uint32) {
		return func(table []uint64, idx []uint32) { keep(probe.ReadRandom(table, idx, ahead)) }
	}
	modify := func(ahead int) func([]uint64, []uint32) {
		return func(table []uint64, idx []uint32) { probe.ModifyRandom(table, idx, ahead) }
	}
	all := []access{{false, "plain", read(0)}}
	if probe.HasGather() {
		all = append(all, access{false, "gather", func(table []uint64, idx []uint32) { keep(probe.ReadGather(table, idx)) }})
	}
	if probe.HasPrefetch() {
		all = append(all, access{false, "prefetch", read(prefetchAhead)})
	}
	all = append(all, access{true, "plain", modify(0)})
	if probe.HasPrefetch() {
		all = append(all, access{true, "prefetch", modify(prefetchAhead)})
	}
	return all
}
