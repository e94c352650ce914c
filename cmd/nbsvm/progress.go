package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/printable"
	"github.com/seed-167f963f/nbsvm/internal/wording"
)

// progress shows one line on a terminal, five times a second at most, or writes JSON
// once a second. Else it says nothing.
type progress struct {
	w       io.Writer // nil: silent
	stop    func()    // of JSON; nil: a line
	mutex   sync.Mutex
	now     nbsvm.Progress
	started time.Time // the stage
	last    time.Time // shown
	shown   bool
}

func newProgress(c *call) *progress {
	p := &progress{started: time.Now()}
	switch {
	case c.Progress == "json":
		p.w = c.err
		p.stop = tick(time.Second, p.write)
	case c.Progress != "none" && !c.Quiet && !c.JSON && terminal(c.err):
		p.w = underlying(c.err).(io.Writer) // the line begins with what a terminal obeys
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
	if p.stop != nil || t.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last, p.shown = t, true
	fmt.Fprintf(p.w, "\r\x1b[K%s", printable.Text(progressLine(now, t.Sub(p.started))))
}

// progressLine is how far a stage is after some time.
func progressLine(now nbsvm.Progress, took time.Duration) string {
	line := now.Stage
	seconds := max(took.Seconds(), 1e-3)
	if now.Unit == "bytes" {
		line += fmt.Sprintf("  %s  %.0f MB/s", wording.Bytes(textBytes(now)), float64(textBytes(now))/1e6/seconds)
	} else {
		line += fmt.Sprintf("  %d %s", now.Done, now.Unit)
		if now.Total > 0 {
			line += fmt.Sprintf(" of %d", now.Total)
		}
	}
	if now.Documents > 0 {
		line += fmt.Sprintf("  %s  %s/s", wording.Some(now.Documents, "document"), wording.Count(int64(float64(now.Documents)/seconds)))
	}
	if left, ok := timeLeft(now, took); ok {
		line += fmt.Sprintf("  %d %%  %s left", 100*now.Done/now.Total, left.Round(time.Second))
	}
	if now.Detail != "" {
		line += "  " + now.Detail
	}
	return line
}

// textBytes is how much text was read, as summaries count it; without documents, how much of the files.
func textBytes(now nbsvm.Progress) int64 {
	if now.Documents > 0 && now.Text > 0 {
		return now.Text
	}
	return now.Done
}

// clear takes the line away, or tells how the last stage ended.
func (p *progress) clear() {
	if p.w == nil {
		return
	}
	if p.stop != nil {
		p.stop()
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wipe()
	p.writeLocked()
	p.now = nbsvm.Progress{}
}

// wipe takes the line away, with the mutex held.
func (p *progress) wipe() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// say writes a line for users, in the middle of a stage or between two.
func (p *progress) say(w io.Writer, line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wipe()
	fmt.Fprintf(w, "nbsvm: %s\n", line)
}

// progressJSON is one line of --progress json. What is not known is null.
type progressJSON struct {
	Stage     string   `json:"stage"`
	Done      int64    `json:"done"`
	Total     *int64   `json:"total"`
	Unit      string   `json:"unit"`
	Documents int64    `json:"documents"`
	Seconds   float64  `json:"seconds"` // of the stage
	MBPerS    *float64 `json:"mb_per_s"`
	ETA       *float64 `json:"eta_s"`
	Detail    string   `json:"detail,omitempty"`
}

// write writes how far the work is.
func (p *progress) write() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.writeLocked()
}

// writeLocked is write with the mutex held.
func (p *progress) writeLocked() {
	if p.stop == nil || p.now.Stage == "" {
		return
	}
	printJSONLine(p.w, describeProgress(p.now, time.Since(p.started)))
}

func describeProgress(now nbsvm.Progress, took time.Duration) progressJSON {
	seconds := max(took.Seconds(), 1e-3)
	line := progressJSON{Stage: now.Stage, Done: now.Done, Unit: now.Unit, Documents: now.Documents, Seconds: seconds, Detail: now.Detail}
	if now.Unit == "bytes" {
		rate := float64(textBytes(now)) / 1e6 / seconds
		line.MBPerS = &rate
	}
	if now.Total > 0 {
		line.Total = &now.Total
	}
	if left, ok := timeLeft(now, took); ok {
		eta := left.Seconds()
		line.ETA = &eta
	}
	return line
}

// timeLeft is how long the stage takes from now on if it goes on like this.
func timeLeft(now nbsvm.Progress, took time.Duration) (time.Duration, bool) {
	if now.Total <= 0 || now.Done <= 0 || now.Done > now.Total {
		return 0, false
	}
	return time.Duration(float64(took) * float64(now.Total-now.Done) / float64(now.Done)), true
}

// tick calls a function over and over until its result is called, behind which no call is under way.
func tick(every time.Duration, f func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var calls sync.WaitGroup
	calls.Go(func() {
		beat := time.NewTicker(every)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				f()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); calls.Wait() }
}
