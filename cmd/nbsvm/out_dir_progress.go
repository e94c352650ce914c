package main

import (
	"io"
	"strings"
	"sync"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/progress"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
)

// folderProgress adds up how far files are, and passes on what there is to say of them.
type folderProgress struct {
	mutex  sync.Mutex
	files  []corpus.Progress
	sum    corpus.Progress
	to     *progress.Display
	err    io.Writer
	past   string // what is done to files: "scored"
	bad    int    // bad records told of
	faults int    // files, likewise
	again  int    // files that are made again, likewise
}

func newFolderProgress(files []outdir.File, stage, past string, to *progress.Display, err io.Writer) *folderProgress {
	p := &folderProgress{files: make([]corpus.Progress, len(files)), past: past, to: to, err: err}
	p.sum = corpus.Progress{Stage: stage, Unit: "bytes"}
	for _, f := range files {
		p.sum.Total += f.Bytes
	}
	return p
}

// show takes how far the i-th file is.
func (p *folderProgress) show(i int, now corpus.Progress) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sum.Done += now.Done - p.files[i].Done
	p.sum.Documents += now.Documents - p.files[i].Documents
	p.files[i] = now
	p.to.Show(p.sum)
}

// packed takes how far the packing of the i-th file is: as far as it was read. What follows is not told.
func (p *folderProgress) packed(i int, now corpus.Progress) {
	if now.Stage == "read" {
		p.show(i, now)
	}
}

// How many messages of a kind are shown: of bad records, of those of a file, and of files that failed or have changed.
const (
	most       = 20
	mostOfFile = 5
	mostFailed = 10
)

// badOf takes the messages about bad records of a file. Those that count them are left out.
func (p *folderProgress) badOf(input string) io.Writer {
	of := 0
	return writerFunc(func(line []byte) (int, error) {
		if text := strings.TrimSuffix(string(line), "\n"); strings.HasPrefix(text, "bad record: ") {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			switch of++; {
			case of <= mostOfFile:
				p.bad++
				p.say(p.bad, most, text, "more bad records follow; they are only counted")
			case of == mostOfFile+1 && p.bad <= most:
				p.to.Say(p.err, "more bad records of "+input+" follow; they are only counted")
			}
		}
		return len(line), nil
	})
}

// tell says a line.
func (p *folderProgress) tell(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.to.Say(p.err, line)
}

// changed tells of a file that is made again.
func (p *folderProgress) changed(f *outdir.File) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.again++
	p.say(p.again, mostFailed, f.Input+" has changed since "+f.Output()+" was made, which is made again", "more files have changed")
}

// failed tells of a file of which nothing could be made.
func (p *folderProgress) failed(input string, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.faults++
	text := wording.Plain(pathFirst(err)) + remedy(err)
	if !strings.Contains(text, input) {
		text = input + ": " + text
	}
	p.say(p.faults, mostFailed, text, "more files could not be "+p.past)
}

// say says the n-th message of a kind, of which so many are shown, with the mutex held.
func (p *folderProgress) say(n, most int, line, more string) {
	switch {
	case n <= most:
		p.to.Say(p.err, wording.Plain(line))
	case n == most+1:
		p.to.Say(p.err, more)
	}
}
