package main

import (
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
)

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
	if p.json == nil || p.now.Stage == "" {
		return
	}
	printJSONLine(p.w, describeProgress(p.now, time.Since(p.started)))
}

func describeProgress(now nbsvm.Progress, took time.Duration) progressJSON {
	seconds := max(took.Seconds(), 1e-3)
	line := progressJSON{Stage: now.Stage, Done: now.Done, Unit: now.Unit, Documents: now.Documents, Seconds: seconds, Detail: now.Detail}
	if now.Unit == "bytes" {
		rate := float64(now.Done) / 1e6 / seconds
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

// ticker calls a function over and over.
type ticker struct {
	once sync.Once
	quit chan struct{}
	done chan struct{}
}

func tick(every time.Duration, f func()) *ticker {
	t := &ticker{quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(t.done)
		beat := time.NewTicker(every)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				f()
			case <-t.quit:
				return
			}
		}
	}()
	return t
}

// stop ends the calls; none is under way when it returns.
func (t *ticker) stop() {
	if t != nil {
		t.once.Do(func() { close(t.quit) })
		<-t.done
	}
}
