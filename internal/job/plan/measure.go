package plan

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/base/process"
)

// cost is what a stage of the rehearsal took.
type cost struct {
	seconds float64
	memory  int64 // the most, in bytes; 0 where the system does not tell
	temp    int64 // bytes of temporary files, the most at a time
	output  int64 // bytes that it has left
}

// add is the cost of one stage after the other.
func (c cost) add(d cost) cost {
	return cost{c.seconds + d.seconds, max(c.memory, d.memory), max(c.temp, d.temp), c.output + d.output}
}

// measure rehearses a stage, whose temporary files are in a folder.
func measure(
	ctx context.Context, temp string, stage func(ctx context.Context) (output int64, err error),
) (c cost, err error) {
	process.ResetPeakMemory()
	before, _ := process.PeakMemory()
	stop := watch(temp, &c.temp)
	start := time.Now()
	c.output, err = stage(ctx)
	c.seconds = time.Since(start).Seconds()
	stop()
	if after, ok := process.PeakMemory(); ok {
		c.memory = max(after-before, 0)
	}
	return c, err
}

// look is how often files of a folder are looked at: those of a rehearsal are there for a good part of a second.
const look = 5 * time.Millisecond

// watch notes the most bytes that files of a folder have together, until stop.
func watch(folder string, most *int64) (stop func()) {
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			unnamed := mappedFrom(folder) // first: a file that loses its name meanwhile counts once
			*most = max(*most, unnamed+filesIn(folder))
			select {
			case <-end:
				return
			case <-time.After(look):
			}
		}
	})
	return func() {
		close(end)
		done.Wait()
	}
}

// filesIn is how many bytes the files of a folder have.
func filesIn(folder string) (bytes int64) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil { // what has gone meanwhile
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// mappedFrom is how many bytes of files of a folder are mapped that have no name any more; only Linux tells it.
func mappedFrom(folder string) (sum int64) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(maps) {
		if !bytes.Contains(line, []byte(folder)) || !bytes.HasSuffix(line, []byte(" (deleted)\n")) {
			continue
		}
		var from, to int64
		if _, err := fmt.Sscanf(string(line), "%x-%x", &from, &to); err == nil {
			sum += to - from
		}
	}
	return sum
}
