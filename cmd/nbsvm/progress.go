package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// progressDisplay shows how far a command is: a line on a terminal, five times a second at most, or objects of JSON, one a
// second at most and one at the end of each stage. The zero value says nothing.
type progressDisplay struct {
	w       io.Writer
	json    bool
	mutex   sync.Mutex
	now     corpus.Progress
	started time.Time // the stage
	last    time.Time // shown
	shown   bool      // a line, which is still there
}

// newProgress shows how far the command is, as is asked for.
func newProgress(c *call) *progressDisplay {
	switch {
	case c.Progress == "json":
		return &progressDisplay{w: c.err, json: true}
	case c.Progress != "none" && !c.Quiet && !c.JSON && terminal(c.err):
		return &progressDisplay{w: underlying(c.err).(io.Writer)} // the line begins with what a terminal obeys
	}
	return new(progressDisplay)
}

// Show takes how far the work is.
func (p *progressDisplay) Show(now corpus.Progress) {
	if p.w == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	t, pause := time.Now(), 200*time.Millisecond
	if p.json {
		pause = time.Second
	}
	if now.Stage != p.now.Stage {
		p.endStage(t)
		if p.started = t; p.json {
			p.last = t
		}
	}
	if p.now = now; t.Sub(p.last) < pause {
		return
	}
	p.last = t
	if p.json {
		p.writeObject(t)
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", display.Text(progressText(now, t.Sub(p.started))))
}

// endStage writes how a stage ended.
func (p *progressDisplay) endStage(t time.Time) {
	if p.json && p.now.Stage != "" {
		p.writeObject(t)
	}
}

// writeObject writes how far the work is as a line of JSON. Standard error that is closed ends no command.
func (p *progressDisplay) writeObject(t time.Time) {
	e := json.NewEncoder(p.w)
	e.SetEscapeHTML(false)
	_ = e.Encode(describeProgress(p.now, t.Sub(p.started)))
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
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.wipe()
	p.endStage(time.Now())
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
	Bad       int64          `json:"bad"` // records among those read
	Reasons   corpus.Reasons `json:"bad_reasons,omitempty"`
	Seconds   float64        `json:"seconds"` // of the stage
	MBPerS    *float64       `json:"mb_per_s"`
	ETA       *float64       `json:"eta_s"`
	Detail    string         `json:"detail,omitempty"`
}

func describeProgress(now corpus.Progress, took time.Duration) progressObject {
	o := progressObject{
		Stage: now.Stage, Done: now.Done, Unit: now.Unit, Documents: now.Documents, Bad: now.Bad.Sum(), Reasons: now.Bad,
		Seconds: max(took.Seconds(), 1e-3), Detail: now.Detail,
	}
	if now.Unit == "bytes" {
		o.MBPerS = new(float64(textBytes(now)) / 1e6 / o.Seconds)
	}
	if now.Total > 0 {
		o.Total = &now.Total
	}
	if left, ok := timeLeft(now, took); ok {
		o.ETA = new(left.Seconds())
	}
	return o
}

// timeLeft returns how long the stage takes from now on if it goes on like this.
func timeLeft(now corpus.Progress, took time.Duration) (time.Duration, bool) {
	if now.Total <= 0 || now.Done <= 0 || now.Done > now.Total {
		return 0, false
	}
	return time.Duration(float64(took) * float64(now.Total-now.Done) / float64(now.Done)), true
}
