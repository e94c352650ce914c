package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/seed-167f963f/nbsvm"
)

// progress shows one line on a terminal, five times a second at most, or writes JSON
// once a second (progress_json.go). Else it says nothing.
type progress struct {
	w       io.Writer // nil: silent
	json    *ticker   // nil: a line
	mutex   sync.Mutex
	now     nbsvm.Progress
	started time.Time // the stage
	last    time.Time // shown
	shown   bool
}

func newProgress(c *call) *progress {
	p := &progress{started: time.Now()}
	switch f, ok := c.err.(*os.File); {
	case c.Progress == "json":
		p.w = c.err
		p.json = tick(time.Second, p.write)
	case c.Progress != "none" && ok && !c.Quiet && !c.JSON && term.IsTerminal(int(f.Fd())):
		p.w = f
	}
	return p
}

func (p *progress) show(now nbsvm.Progress) {
	if p.w == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	t := time.Now()
	if old := p.now.Stage; now.Stage != old && old != "" {
		p.writeLocked() // how the last stage ended
		p.started = t
	}
	p.now = now
	if p.json != nil || t.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = t, true
	fmt.Fprintf(p.w, "\r\x1b[K%s", progressLine(now, t.Sub(p.started)))
}

// progressLine is how far a stage is after some time.
func progressLine(now nbsvm.Progress, took time.Duration) string {
	line := now.Stage
	seconds := max(took.Seconds(), 1e-3)
	if now.Unit == "bytes" {
		line += fmt.Sprintf("  %s  %.0f MB/s", byteSize(now.Done), float64(now.Done)/1e6/seconds)
	} else {
		line += fmt.Sprintf("  %d %s", now.Done, now.Unit)
		if now.Total > 0 {
			line += fmt.Sprintf(" of %d", now.Total)
		}
	}
	if now.Documents > 0 {
		line += fmt.Sprintf("  %s documents  %s/s", count(now.Documents), count(int64(float64(now.Documents)/seconds)))
	}
	if left, ok := timeLeft(now, took); ok {
		line += fmt.Sprintf("  %d %%  %s left", 100*now.Done/now.Total, left.Round(time.Second))
	}
	if now.Detail != "" {
		line += "  " + now.Detail
	}
	return line
}

// clear takes the line away, or tells how the last stage ended.
func (p *progress) clear() {
	if p.w == nil {
		return
	}
	p.json.stop()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
	p.writeLocked()
	p.now = nbsvm.Progress{}
}
