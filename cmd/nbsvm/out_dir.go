package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// folderFlags are those of commands that make an output of each input.
type folderFlags struct {
	OutDir string `file:"folder" group:"output" placeholder:"FOLDER" help:"Write an output of each input to this folder; skip those that exist."`
	scoring.BadFile
	ExitZero bool `needs:"out-dir" group:"output" help:"With --out-dir, exit with status 0 instead of 3 if only bad records were left out, for schedulers that retry on any other status. Files that are left out still give status 4."`
}

// check refuses inputs that no output can be named after.
func (f *folderFlags) check(in corpus.Input) error {
	if f.OutDir != "" && in.ReadsStdin() {
		return usageError{errors.New("--out-dir names outputs after their inputs, so standard input can't be one: name files")}
	}
	return nil
}

// folderRun makes an output of each input.
type folderRun struct {
	*folderFlags
	c        *call
	job      *outdir.Job
	past     string // what is done to files: "scored"
	on       corpus.OnBad
	files    []outdir.File
	workers  int // files that are made at the same time
	progress *folderProgress
}

// newFolderRun finds the files. The stage is named in progress, and past is what messages say was done to a file.
func newFolderRun(
	c *call, f *folderFlags, job *outdir.Job, in corpus.Input, shard outdir.Shard, stage, past string, on corpus.OnBad,
) (*folderRun, error) {
	r := &folderRun{folderFlags: f, c: c, job: job, past: past, on: on}
	files, passed, err := job.Files(in.Paths, shard)
	if err != nil {
		return nil, misused(err)
	}
	if r.files = files; len(passed) > 0 && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: skipping files that this command has made: %s\n", display.Few(passed))
	}
	// Threads first share out the files: reading, decompressing and writing run in parallel only across files.
	r.workers = max(1, min(r.threads(), len(r.files)))
	r.progress = newFolderProgress(r.files, stage, c.progress, c.err)
	return r, nil
}

// threads returns the number of threads for all files together.
func (r *folderRun) threads() int {
	if r.c.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return r.c.Threads
}

// threadsOfFile returns the number of threads for each file.
func (r *folderRun) threadsOfFile() int { return (r.threads() + r.workers - 1) / r.workers }

// begin makes the folders, or refuses those that have outputs of another run.
func (r *folderRun) begin(models []string, options map[string]string) error {
	run, err := outdir.NewRun(models, options)
	if err != nil {
		return err
	}
	return misused(r.job.Begin(r.c.ctx, run, r.files))
}

// misused makes the misuse of a folder an error of usage.
func misused(err error) error {
	if _, is := errors.AsType[outdir.Misuse](err); is {
		return usageError{err}
	}
	return err
}

// run makes the files. The function makes the i-th, and gets its input.
func (r *folderRun) run(
	in corpus.Input, make func(i int, f *outdir.File, in corpus.Input) error,
) (result outdir.Result, took time.Duration) {
	defer r.progress.to.Clear()
	start := time.Now()
	m := outdir.Maker{
		Workers: r.workers,
		Make: func(i int, f *outdir.File) (err error) {
			on := r.on
			if quarantine := f.In(outdir.QuarantineFlag); quarantine != "" {
				on = corpus.OnBad("quarantine=" + quarantine)
			}
			in := in.With(f.Input)
			if in.Bad, err = corpus.NewBadRecords(on, r.progress.badRecords()); err != nil {
				return err
			}
			defer in.Bad.Close(false)
			return make(i, f, in)
		},
		Ended: func(i int, f *outdir.File) {
			switch {
			case f.State == outdir.There:
				r.progress.show(i, corpus.Progress{Done: f.Bytes})
			case corpus.IsBadFile(f.Err): // each is named: nothing else tells what is lost
				r.progress.say("", faultOf(f.Input, f.Err))
			case f.Err != nil:
				r.progress.say("files that could not be "+r.past, faultOf(f.Input, f.Err))
			}
		},
		Wait:     func() { r.progress.say("", "waiting for other runs that work on files of "+r.OutDir) },
		PassOver: r.PassOver,
	}
	result = r.job.Make(r.c.ctx, r.files, m)
	return result, time.Since(start)
}

// faultOf returns what to say of an input that failed.
func faultOf(input string, err error) string {
	text := facts.Plain(pathFirst(err)) + remedy(err)
	if !strings.Contains(text, input) {
		text = input + ": " + text
	}
	return text
}

// done closes the file of bad records.
func (r *folderRun) done(f *outdir.File, in corpus.Input, counts outdir.Counts) error {
	if err := in.Bad.Close(true); err != nil {
		return err
	}
	return f.Done(counts)
}

// folderSummary is what --json prints of a run.
type folderSummary struct {
	Folder      string        `json:"folder"`
	Files       int           `json:"files"`
	Written     int           `json:"written"`
	There       int           `json:"there"`
	Skipped     int           `json:"skipped"`
	Failed      int           `json:"failed"`
	BadFiles    int           `json:"bad_files"` // damaged or wrong inputs, of those skipped and failed
	Interrupted bool          `json:"interrupted,omitempty"`
	Records     outdir.Counts `json:"records"`  // of the written
	Bytes       int64         `json:"bytes"`    // of the inputs of the written, as stored
	Seconds     float64       `json:"seconds"`  // of the run
	Outcomes    []outdir.File `json:"outcomes"` // of each file
}

// tell prints what became of the files. Summarise prints how fast those were that were written.
func (r *folderRun) tell(result outdir.Result, took time.Duration, summarise func()) error {
	c := r.c
	bad := result.Reasons
	var bytes int64
	for _, f := range r.files {
		if f.State == outdir.Written {
			bytes += f.Bytes
		}
	}
	if c.JSON {
		if err := printJSON(c.out, folderSummary{
			Folder: r.OutDir, Files: len(r.files), Written: result.Written, There: result.There,
			Skipped: len(result.PassedOver), Failed: len(result.Failed), BadFiles: result.BadFiles,
			Interrupted: c.ctx.Err() != nil,
			Records:     result.Counts, Bytes: bytes, Seconds: took.Seconds(), Outcomes: r.files,
		}); err != nil {
			return err
		}
	}
	if c.ctx.Err() != nil {
		return r.failure(result)
	}
	if !c.Quiet && !c.JSON {
		skipped := ""
		if n := len(result.PassedOver); n > 0 {
			skipped = fmt.Sprintf(", %d skipped", n)
		}
		fmt.Fprintf(c.err, "%s: %d written, %d already there, %d failed%s\n", display.Some(len(r.files), "file"),
			result.Written, result.There, len(result.Failed), skipped)
		if result.Written > 0 {
			summarise()
		}
	}
	if len(bad) > 0 {
		fate := "skipped"
		if folder := r.on.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(c.err, "nbsvm: %s %s: %s\n", display.Some(bad.Sum(), "bad record"), fate, bad)
	}
	if n := len(result.PassedOver); n > 0 {
		fmt.Fprintf(c.err,
			"nbsvm: %s skipped, without an output: %s; replace or remove them, then run the same command again\n",
			display.Some(n, "bad file"), display.Few(result.PassedOver))
	}
	return r.failure(result)
}

// failure returns what keeps a folder from being complete.
func (r *folderRun) failure(of outdir.Result) error {
	switch failed := len(of.Failed); {
	case r.c.ctx.Err() != nil:
		return fmt.Errorf("interrupted; %d of %d files in %s are complete; run the same command to make the others",
			of.There+of.Written, len(r.files), r.OutDir)
	case of.Full:
		return fmt.Errorf("the disk is full, and %d of %d files are not %s: %s; make room for the files in %s, then run the same command again", failed, len(r.files), r.past, display.Few(of.Failed), r.OutDir)
	case failed > 0:
		// What loses least comes first: records, not files.
		var remedies []string
		if of.OfRecords > 0 {
			remedies = append(remedies, "add --on-bad skip to leave out the bad records alone, or --on-bad quarantine=FOLDER to keep them apart")
		}
		if of.BadFiles > len(of.PassedOver) {
			remedies = append(remedies,
				"replace damaged files with whole copies, or add --on-bad-file skip to do without them")
		}
		remedies = append(remedies, "then run the same command again")
		if len(remedies) == 1 {
			remedies[0] = "run the same command to try again"
		}
		return fmt.Errorf("%d of %d files could not be %s: %s; %s",
			failed, len(r.files), r.past, display.Few(of.Failed), strings.Join(remedies, "; "))
	case len(of.PassedOver) > 0:
		return badFiles{len(of.PassedOver)}
	case !r.ExitZero && of.Bad > 0:
		return badRecords{of.Bad}
	}
	return nil
}

// folderProgress adds up the progress of files, and prints messages about them.
type folderProgress struct {
	mutex sync.Mutex
	files []corpus.Progress
	sum   corpus.Progress
	to    *progressDisplay
	err   io.Writer
	said  map[string]int // messages of each kind
}

func newFolderProgress(files []outdir.File, stage string, to *progressDisplay, err io.Writer) *folderProgress {
	p := &folderProgress{files: make([]corpus.Progress, len(files)), to: to, err: err, said: map[string]int{}}
	p.sum = corpus.Progress{Stage: stage, Unit: "bytes"}
	for _, f := range files {
		p.sum.Total += f.Bytes
	}
	return p
}

// show takes the progress of the i-th file.
func (p *folderProgress) show(i int, now corpus.Progress) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sum.Done += now.Done - p.files[i].Done
	p.sum.Documents += now.Documents - p.files[i].Documents
	p.sum.Bad = maps.Clone(p.sum.Bad).Add(now.Bad).Without(p.files[i].Bad)
	p.files[i] = now
	p.to.Show(p.sum)
}

// badRecords takes the messages about the bad records of a file, without those that count them.
func (p *folderProgress) badRecords() io.Writer {
	return writerFunc(func(line []byte) (int, error) {
		if text := strings.TrimSuffix(string(line), "\n"); strings.HasPrefix(text, "bad record: ") {
			p.say("bad records", text)
		}
		return len(line), nil
	})
}

// mostMessages is how many messages of a kind are printed.
const mostMessages = 20

// say prints a message, unless there were many of its kind. Those of no kind are always printed.
func (p *folderProgress) say(kind, line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch p.said[kind]++; {
	case kind == "" || p.said[kind] <= mostMessages:
		p.to.Say(p.err, facts.Plain(line))
	case p.said[kind] == mostMessages+1:
		p.to.Say(p.err, "there are more "+kind)
	}
}
