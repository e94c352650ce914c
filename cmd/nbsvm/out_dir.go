package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Flags of folders, as messages call them.
const (
	rejectsFlag    = "--rejects"
	quarantineFlag = "--on-bad quarantine"
)

// folderFlags are those of commands that make an output of every input.
type folderFlags struct {
	OutDir string `file:"folder" group:"output" placeholder:"FOLDER" help:"Make an output of every input there; what is there already is passed over, unless its input has changed."`
	flags.BadFile
	ExitZero bool `group:"output" help:"With --out-dir, exit with 0, not with 3, if bad records or files are all that is wrong: for schedulers to which anything else is a failure."`
}

// check finds what contradicts the flags, or lacks --out-dir.
func (f *folderFlags) check(output string, inputs []string) error {
	switch {
	case f.OutDir == "" && f.OnBadFile != "fail":
		return usageError{errors.New("--on-bad-file is for the files of --out-dir: name a folder, or leave it out")}
	case f.OutDir == "" && f.ExitZero:
		return usageError{errors.New("--exit-zero is for runs over the files of --out-dir: name a folder, or leave it out")}
	case f.OutDir == "":
		return nil
	case output != "":
		return usageError{errors.New("-o and --out-dir contradict each other: --out-dir makes an output of every input, -o one of all")}
	case usesStdin(inputs):
		return usageError{errors.New("--out-dir calls outputs like their inputs, and standard input has no name: name files")}
	}
	return nil
}

// folderRun makes an output of every input.
type folderRun struct {
	*folderFlags
	c        *call
	job      *outdir.Job
	past     string // what is done to files: "scored"
	on       corpus.OnBad
	inputs   []string // all, also those of other shards
	files    []outdir.File
	workers  int // files that are made side by side
	progress *folderProgress
}

// newFolderRun finds the files. Stage is what is done to them as progress has it, past as messages have it.
func newFolderRun(
	c *call, f *folderFlags, job *outdir.Job, in corpus.Input, shard corpus.Shard, stage, past string, on corpus.OnBad,
) (*folderRun, error) {
	r := &folderRun{folderFlags: f, c: c, job: job, past: past, on: on}
	var passed []string
	r.inputs, passed = job.Inputs(in.Paths)
	if len(passed) > 0 && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: passed over as made by this command: %s\n", wording.Few(passed))
	}
	var err error
	if r.files, err = job.Files(r.inputs, shard); err != nil {
		return nil, misused(err)
	}
	// Files side by side are read, decompressed and written side by side, too, which threads
	// within one are not.
	r.workers = max(1, min(r.threads(), len(r.files)))
	r.progress = newFolderProgress(r.files, stage, past, newProgress(c), c.err)
	return r, nil
}

// threads are those of all files together.
func (r *folderRun) threads() int {
	if r.c.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return r.c.Threads
}

// threadsOfFile are those of each.
func (r *folderRun) threadsOfFile() int { return (r.threads() + r.workers - 1) / r.workers }

// begin makes the folders, or refuses those that have outputs of another run.
func (r *folderRun) begin(model string, options map[string]string) error {
	run, err := provenance.NewRun(model, options)
	if err != nil {
		return err
	}
	return misused(r.job.Begin(run, r.files))
}

// misused is an error of a folder, as the command's own.
func misused(err error) error {
	if _, is := errors.AsType[outdir.Misuse](err); is {
		return usageError{err}
	}
	return err
}

// run makes the files. Make makes the i-th, of an input that tells of bad records.
func (r *folderRun) run(
	in corpus.Input, make func(i int, w *outdir.Work, in corpus.Input) error,
) (result outdir.Result, took time.Duration) {
	defer r.progress.to.Clear()
	start := time.Now()
	m := outdir.Maker{
		Workers: r.workers,
		Make: func(i int, w *outdir.Work) (err error) {
			on := r.on
			if quarantine := w.In(quarantineFlag); quarantine != "" {
				on = corpus.OnBad("quarantine=" + quarantine)
			}
			in := in.With(w.Input)
			in.Raw = w.Raw
			if in.Bad, err = corpus.NewBadRecords(on, r.progress.badOf(w.Input)); err != nil {
				return err
			}
			defer in.Bad.Close(false)
			return make(i, w, in)
		},
		There:    func(i int) { r.progress.show(i, corpus.Progress{Done: r.files[i].Bytes}) },
		Changed:  func(i int) { r.progress.changed(&r.files[i]) },
		Failed:   func(i int, err error) { r.progress.failed(r.files[i].Input, err) },
		Wait:     func() { r.progress.tell("waiting for other runs, which are at files of " + r.OutDir) },
		PassOver: r.PassOver,
	}
	result = r.job.Make(r.c.ctx, r.files, m)
	return result, time.Since(start)
}

// done closes what has the bad records of a file, and writes the record of its output.
func (r *folderRun) done(w *outdir.Work, in corpus.Input, counts outdir.Counts) error {
	if err := in.Bad.Close(true); err != nil {
		return err
	}
	return w.Done(counts)
}

// folderSummary is what --json tells of a run.
type folderSummary struct {
	Folder      string           `json:"folder"`
	Files       int              `json:"files"`
	Written     int              `json:"written"`
	Changed     int              `json:"changed"` // of the written: they were there, of inputs that have changed
	There       int              `json:"there"`
	Skipped     int              `json:"skipped"`
	Failed      int              `json:"failed"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Records     outdir.Counts    `json:"records"`  // of all outputs that are there
	Bytes       int64            `json:"bytes"`    // of the inputs of the written, as they are
	Seconds     float64          `json:"seconds"`  // of the run
	Outcomes    []outdir.Outcome `json:"outcomes"` // of each file
}

// tell tells what became of the files. Summarise tells of those that were written, where it is wanted.
func (r *folderRun) tell(result outdir.Result, took time.Duration, summarise func()) error {
	c := r.c
	var bad, bytes int64
	for _, of := range result.Each {
		if of.State == outdir.Written {
			bad += of.Bad
			bytes += of.Bytes
		}
	}
	if c.JSON {
		if err := printJSON(c.out, folderSummary{
			Folder: r.OutDir, Files: result.Files, Written: result.Written, Changed: result.Changed, There: result.There,
			Skipped: len(result.PassedOver), Failed: len(result.Failed), Interrupted: c.ctx.Err() != nil,
			Records: result.Counts, Bytes: bytes, Seconds: took.Seconds(), Outcomes: result.Each,
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
		fmt.Fprintf(c.err, "%s: %d written, %d there already, %d failed%s\n", wording.Some(result.Files, "file"), result.Written, result.There, len(result.Failed), skipped)
		if result.Written > 0 {
			summarise()
		}
	}
	if bad > 0 {
		fate := "skipped"
		if folder := r.on.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(c.err, "nbsvm: %s %s\n", wording.Some(bad, "bad record"), fate)
	}
	if result.Bad > 0 {
		fmt.Fprintf(c.err, "nbsvm: outputs that were there lack %s, which earlier runs left out: %s; to have one made again, remove it\n",
			wording.Some(result.Bad, "bad record"), wording.Few(result.Lacking))
	}
	if n := len(result.PassedOver); n > 0 {
		fmt.Fprintf(c.err, "nbsvm: %s skipped, of which there are no outputs: %s; the same command tries again\n", wording.Some(n, "bad file"), wording.Few(result.PassedOver))
	}
	return r.failure(result)
}

// failure is what keeps a folder from being whole.
func (r *folderRun) failure(of outdir.Result) error {
	switch failed := len(of.Failed); {
	case r.c.ctx.Err() != nil:
		return fmt.Errorf("interrupted; of %d files %d are whole in %s, and the same command goes on with the others", of.Files, of.There+of.Written, r.OutDir)
	case of.Full:
		return fmt.Errorf("the disk is full, and %d of %d files are not %s: %s; make room for the files in %s, and the same command goes on with them", failed, of.Files, r.past, wording.Few(of.Failed), r.OutDir)
	case failed > 0:
		others := "the others are done, and "
		if failed == of.Files {
			others = ""
		}
		return fmt.Errorf("%d of %d files could not be %s: %s; %sthe same command tries again", failed, of.Files, r.past, wording.Few(of.Failed), others)
	case !r.ExitZero && (of.Counts.Bad > 0 || len(of.PassedOver) > 0):
		return badRecords{of.Counts.Bad + int64(len(of.PassedOver))}
	}
	return nil
}

// outDirs are the folders of a command, without those that have no path.
func outDirs(folders ...outdir.Folder) []outdir.Folder {
	return slices.DeleteFunc(folders, func(of outdir.Folder) bool { return of.Path == "" })
}
