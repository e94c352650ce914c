package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/bench/internal/probe"
)

// cpuDefaults reach from the first level of cache to well beyond the last.
func cpuDefaults(c *Config, quick bool) {
	c.StreamBytes, c.SampleTime = 256<<20, 20*time.Millisecond
	c.TableBytes = []int{32 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20}
	if quick { // half of the tables and shorter samples
		c.TableBytes, c.SampleTime = []int{32 << 10, 1 << 20, 16 << 20, 256 << 20}, c.SampleTime/4
	}
}

// prefetchAhead is how many accesses ahead probes prefetch, where they do.
const prefetchAhead = 64

// cpuCases measure what the machine allows at best: the rate of reading memory in
// order, and the time of 8-byte accesses at random in tables of several sizes.
func cpuCases(_ context.Context, j *job) (cases []Case, err error) {
	table := j.newTable(max(j.StreamBytes, slices.Max(j.TableBytes)))
	for _, threads := range j.Threads {
		cases = append(cases, j.stream(table[:j.StreamBytes/entry], threads))
	}
	for _, bytes := range j.TableBytes {
		cases = append(cases, j.random(table[:bytes/entry])...)
	}
	j.notes = []string{
		fmt.Sprintf("stream reads memory in order, read and modify access 8-byte entries at random; prefetch is %d ahead.", prefetchAhead),
		j.samplesNote(),
	}
	return cases, nil
}

func (j *job) samplesNote() string {
	return fmt.Sprintf("A sample is the fastest pass of those within %v; medians and ranges are over samples.", j.SampleTime)
}

// stream reads all of the table in order, each thread a part of its own.
func (j *job) stream(table []uint64, threads int) Case {
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
			took := fastest(j.SampleTime, pass)
			return []Value{{"GB/s", higher, float64(len(table)*entry) / float64(took)}}, nil
		},
	}
}

// random accesses entries of the table in every way that there is.
func (j *job) random(table []uint64) []Case {
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
				took := fastest(j.SampleTime, func() { p.run(table, idx) })
				return []Value{{"ns/access", lower, float64(took) / float64(len(idx))}}, nil
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
	reads, modifies := []access{{false, "plain", read(0)}}, []access{{true, "plain", modify(0)}}
	if probe.Assembled() {
		gather := func(table []uint64, idx []uint32) { keep(probe.ReadGather(table, idx)) }
		reads = append(reads, access{false, "gather", gather}, access{false, "prefetch", read(prefetchAhead)})
		modifies = append(modifies, access{true, "prefetch", modify(prefetchAhead)})
	}
	return slices.Concat(reads, modifies)
}
