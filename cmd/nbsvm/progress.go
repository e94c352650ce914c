package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// progressDisplay shows how far a command is: one line on a terminal, five times a second at most, or JSON once a
// second. The zero value says nothing.
type progressDisplay struct {
	w       io.Writer
	stop    func() // of JSON; nil: a line
	mutex   sync.Mutex
	now     corpus.Progress
	started time.Time // the stage
	last    time.Time // shown
	shown   bool
}

// newProgress shows how far the command is, as is asked for.
func newProgress(c *call) *progressDisplay {
	switch {
	case c.Progress == "json":
		return progressJSON(c.err)
	case c.Progress != "none" && !c.Quiet && !c.JSON && terminal(c.err):
		return progressLine(underlying(c.err).(io.Writer)) // the line begins with what a terminal obeys
	}
	return new(progressDisplay)
}

// progressLine returns a line on a terminal, with the bytes that a terminal obeys.
func progressLine(w io.Writer) *progressDisplay { return &progressDisplay{w: w, started: time.Now()} }

// progressJSON returns an object a second.
func progressJSON(w io.Writer) *progressDisplay {
	p := progressLine(w)
	p.stop = tick(time.Second, p.write)
	return p
}

// Show takes how far the work is.
func (p *progressDisplay) Show(now corpus.Progress) {
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
	fmt.Fprintf(p.w, "\r\x1b[K%s", display.Text(progressText(now, t.Sub(p.started))))
}

// progressText returns how far a stage is after some time.
func progressText(now corpus.Progress, took time.Duration) string {
	line := now.Stage
	seconds := max(took.Seconds(), 1e-3)
	if now.Unit == "bytes" {
		line += fmt.Sprintf("  %s  %.0f MB/s", display.Bytes(textBytes(now)), float64(textBytes(now))/1e6/seconds)
	} else {
		line += fmt.Sprintf("  %d %s", now.Done, now.Unit)
		if now.Total > 0 {
			line += fmt.Sprintf(" of %d", now.Total)
		}
	}
	if now.Documents > 0 {
		line += fmt.Sprintf("  %s  %s/s",
			display.Some(now.Documents, "document"), display.Count(int64(float64(now.Documents)/seconds)))
	}
	if bad := now.Bad.Sum(); bad > 0 {
		line += "  " + display.Some(bad, "bad record")
	}
	if left, ok := timeLeft(now, took); ok {
		line += fmt.Sprintf("  %d %%  %s left", 100*now.Done/now.Total, left.Round(time.Second))
	}
	if now.Detail != "" {
		line += "  " + now.Detail
	}
	return line
}

// textBytes returns how much text was read, as summaries count it; without documents, how much of the files.
func textBytes(now corpus.Progress) int64 {
	if now.Documents > 0 && now.Text > 0 {
		return now.Text
	}
	return now.Done
}

// Clear removes the line, or writes how the last stage ended.
func (p *progressDisplay) Clear() {
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
	p.now = corpus.Progress{}
}

// wipe takes the line away, with the mutex held.
func (p *progressDisplay) wipe() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// Say writes a line for users, in the middle of a stage or between two.
func (p *progressDisplay) Say(w io.Writer, line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wipe()
	fmt.Fprintf(w, "nbsvm: %s\n", line)
}

// progressObject is one line of JSON. What is not known is null.
type progressObject struct {
	Stage     string         `json:"stage"`
	Done      int64          `json:"done"`
	Total     *int64         `json:"total"`
	Unit      string         `json:"unit"`
	Documents int64          `json:"documents"`
	Bad       corpus.Reasons `json:"bad_reasons,omitempty"` // the bad records among those read
	Seconds   float64        `json:"seconds"`               // of the stage
	MBPerS    *float64       `json:"mb_per_s"`
	ETA       *float64       `json:"eta_s"`
	Detail    string         `json:"detail,omitempty"`
}

// write writes how far the work is.
func (p *progressDisplay) write() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.writeLocked()
}

// writeLocked is write with the mutex held.
func (p *progressDisplay) writeLocked() {
	if p.stop == nil || p.now.Stage == "" {
		return
	}
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	e.Encode(describeProgress(p.now, time.Since(p.started)))
}

func describeProgress(now corpus.Progress, took time.Duration) progressObject {
	seconds := max(took.Seconds(), 1e-3)
	line := progressObject{
		Stage: now.Stage, Done: now.Done, Unit: now.Unit, Documents: now.Documents, Bad: now.Bad,
		Seconds: seconds, Detail: now.Detail,
	}
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

// timeLeft returns how long the stage takes from now on if it goes on like this.
func timeLeft(now corpus.Progress, took time.Duration) (time.Duration, bool) {
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
