package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/par"
)

// cpuDefaults reach from the first level of cache to well beyond the last.
func cpuDefaults(c *Config, quick bool) {
	c.StreamBytes, c.SampleTime = 256<<20, 20*time.Millisecond
	c.TableBytes = []int{32 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20}
	if quick { // half of the tables and shorter samples
		c.TableBytes, c.SampleTime = []int{32 << 10, 1 << 20, 16 << 20, 256 << 20}, c.SampleTime/4
	}
}

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
		"stream reads memory in order, read and modify access 8-byte entries at random.",
		j.samplesNote(),
	}
	return cases, nil
}

func (j *job) samplesNote() string {
	return fmt.Sprintf("A sample is the fastest pass of those within %v; medians and ranges are over samples.",
		j.SampleTime)
}

// stream reads all of the table in order.
func (j *job) stream(table []uint64, threads int) Case {
	return Case{
		Labels("access", "stream", "table", binarySize(len(table)*entry), "threads", threads),
		func(context.Context) ([]Value, error) {
			took := fastest(j.SampleTime, func() { streamOnce(table, threads) })
			return []Value{{"GB/s", float64(len(table)*entry) / float64(took)}}, nil
		},
	}
}

// streamOnce reads a table in order, each thread a part of its own.
func streamOnce(table []uint64, threads int) {
	par.Do(threads, func(t int) { keep(readStream(table[len(table)*t/threads : len(table)*(t+1)/threads])) })
}

// random accesses entries of the table at random: reads them, and modifies them.
func (j *job) random(table []uint64) []Case {
	r := rand.New(rand.NewPCG(1, uint64(len(table))))
	idx := make([]uint32, accesses(len(table)*entry))
	for k := range idx {
		idx[k] = r.Uint32N(uint32(len(table)))
	}
	var cases []Case
	for _, modifies := range []bool{false, true} {
		cases = append(cases, Case{
			Labels("access", accessName(modifies), "table", binarySize(len(table)*entry), "threads", 1),
			func(context.Context) ([]Value, error) {
				took := fastest(j.SampleTime, func() { accessRandom(table, idx, modifies) })
				return []Value{{"ns/access", float64(took) / float64(len(idx))}}, nil
			},
		})
	}
	return cases
}

func accessName(modifies bool) string {
	if modifies {
		return "modify"
	}
	return "read"
}

func accessRandom(table []uint64, idx []uint32, modifies bool) {
	if modifies {
		modifyRandom(table, idx)
	} else {
		keep(readRandom(table, idx))
	}
}

// The loops below do eight entries at a time, as the kernels do, and sum in four numbers, so that no addition waits for
// the one before it. Assembly that gathers or prefetches was no faster on the CPUs measured.

// readStream returns the sum of p, which it reads from its beginning to its end.
func readStream(p []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(p) >= 8; p = p[8:] {
		e := (*[8]uint64)(p)
		a, b, c, d = a+e[0]+e[4], b+e[1]+e[5], c+e[2]+e[6], d+e[3]+e[7]
	}
	for _, e := range p {
		a += e
	}
	return a + b + c + d
}

// readRandom returns Σ table[idx[k]].
func readRandom(table []uint64, idx []uint32) uint64 {
	var a, b, c, d uint64
	for ; len(idx) >= 8; idx = idx[8:] {
		i := (*[8]uint32)(idx)
		a, b = a+table[i[0]]+table[i[4]], b+table[i[1]]+table[i[5]]
		c, d = c+table[i[2]]+table[i[6]], d+table[i[3]]+table[i[7]]
	}
	for _, i := range idx {
		a += table[i]
	}
	return a + b + c + d
}

// modifyRandom adds 1 to table[idx[k]] for every k.
func modifyRandom(table []uint64, idx []uint32) {
	for _, i := range idx {
		table[i]++
	}
}
