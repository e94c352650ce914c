package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// progressDisplay shows how far a command is: one line on a terminal, five times a second at most. The zero value says
// nothing.
type progressDisplay struct {
	w       io.Writer
	mutex   sync.Mutex
	stage   string
	started time.Time // the stage
	last    time.Time // shown
	shown   bool
}

// newProgress shows how far the command is on a terminal, with the bytes that a terminal obeys.
func newProgress(c *call) *progressDisplay {
	if c.Quiet || c.JSON || !terminal(c.err) {
		return new(progressDisplay)
	}
	return &progressDisplay{w: underlying(c.err).(io.Writer)}
}

// Show takes how far the work is.
func (p *progressDisplay) Show(now corpus.Progress) {
	if p.w == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	t := time.Now()
	if now.Stage != p.stage {
		p.stage, p.started = now.Stage, t
	}
	if t.Sub(p.last) < 200*time.Millisecond {
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

// Clear removes the line.
func (p *progressDisplay) Clear() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wipe()
	p.stage = ""
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

// timeLeft returns how long the stage takes from now on if it goes on like this.
func timeLeft(now corpus.Progress, took time.Duration) (time.Duration, bool) {
	if now.Total <= 0 || now.Done <= 0 || now.Done > now.Total {
		return 0, false
	}
	return time.Duration(float64(took) * float64(now.Total-now.Done) / float64(now.Done)), true
}
