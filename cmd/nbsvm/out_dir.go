package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/provenance"
	"github.com/seed-167f963f/nbsvm/internal/wording"
)

// Flags of folders, as messages call them.
const (
	rejectsFlag    = "--rejects"
	quarantineFlag = "--on-bad quarantine"
)

// checkFolder finds what contradicts --out-dir.
func (s *scoreCmd) checkFolder() error {
	switch {
	case s.Output != "":
		return usageError{errors.New("-o and --out-dir contradict each other: --out-dir makes an output of every input, -o one of all")}
	case usesStdin(s.Input):
		return usageError{errors.New("--out-dir calls outputs like their inputs, and standard input has no name: name files")}
	case s.Rejects == "-":
		return usageError{errors.New("--rejects takes a folder beside --out-dir, not -")}
	case s.LineBuffered:
		return usageError{errors.New("--line-buffered is for who waits for rows; the files of --out-dir appear when they are whole")}
	}
	return nil
}

// job is what is made of the inputs.
func (s *scoreCmd) job() *outdir.Job {
	output := func(input string) string { return s.OutputName(input, &s.Compress) }
	folders := []outdir.Folder{
		{Flag: "--out-dir", Path: s.OutDir, Name: output},
		{Flag: rejectsFlag, Path: s.Rejects, Name: s.Name, Always: true},
		{Flag: quarantineFlag, Path: s.OnBad.Quarantine(), Name: s.Name},
	}
	return &outdir.Job{
		Command: "score",
		Folders: slices.DeleteFunc(folders, func(of outdir.Folder) bool { return of.Path == "" }),
	}
}

// scoreFolder scores the inputs side by side.
func (r *scoreRun) scoreFolder(c *call, in nbsvm.Input) error {
	job := r.job()
	inputs, passed := job.Inputs(r.Input)
	if len(passed) > 0 && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: passed over as made by this command: %s\n", wording.Few(passed))
	}
	in.Paths = inputs
	files, err := job.Files(inputs, r.Shard)
	if err != nil {
		return misused(err)
	}
	if err := r.checkOthers(in); err != nil {
		return err
	}
	options := r.Recorded(&r.inputFlags.Input)
	if r.Rejects != "" {
		options["rejects"] = provenance.Folder
	}
	run, err := provenance.NewRun(r.Model, options)
	if err != nil {
		return err
	}
	if err := job.Begin(run, files); err != nil {
		return misused(err)
	}
	show := newProgress(c)
	defer show.Clear()
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Files side by side are read, decompressed and written side by side, too, which threads
	// within one are not.
	workers := max(1, min(threads, len(files)))
	o := nbsvm.ScoreOptions{Threads: (threads + workers - 1) / workers}
	progress := newFolderProgress(files, show, c.err)
	stats := make([]nbsvm.ScoreStats, len(files))
	start := time.Now()
	result := job.Make(c.ctx, files, outdir.Maker{
		Workers: workers,
		Make: func(i int) (err error) {
			of, err := r.scoreFile(c, in, o, &files[i], i, progress)
			if err == nil {
				stats[i] = of
			}
			return err
		},
		There:  func(i int) { progress.show(i, nbsvm.Progress{Done: files[i].Bytes}) },
		Failed: func(i int, err error) { progress.failed(files[i].Input, err) },
		Wait:   func() { progress.tell("waiting for other runs, which are at files of " + r.OutDir) },
	})
	show.Clear()
	var sum nbsvm.ScoreStats
	for _, of := range stats {
		sum.Documents, sum.Bad = sum.Documents+of.Documents, sum.Bad+of.Bad
		sum.Written, sum.Bytes = sum.Written+of.Written, sum.Bytes+of.Bytes
	}
	if c.ctx.Err() == nil {
		r.tellFolder(c, result, sum, time.Since(start))
	}
	return folderError(c, r.OutDir, result, sum.Bad)
}

// misused is an error of a folder, as the command's own.
func misused(err error) error {
	if _, is := errors.AsType[outdir.Misuse](err); is {
		return usageError{err}
	}
	return err
}

// scoreFile scores the i-th file.
func (r *scoreRun) scoreFile(c *call, in nbsvm.Input, o nbsvm.ScoreOptions, f *outdir.File, i int, progress *folderProgress) (stats nbsvm.ScoreStats, err error) {
	if r.Foreign(f.Input) {
		if _, err := formatOf(in, f.Input); err != nil {
			return stats, err // which says more than that its name is not one for an output
		}
	}
	on := r.OnBad
	if quarantine := f.In(quarantineFlag); quarantine != "" {
		on = corpus.OnBad("quarantine=" + quarantine)
	}
	in.Paths = []string{f.Input}
	if in.Bad, err = corpus.NewBadRecords(on, progress.badOf(f.Input)); err != nil {
		return stats, err
	}
	defer in.Bad.Close(false)
	o.Progress = func(now nbsvm.Progress) { progress.show(i, now) }
	return r.write(c, in, o, f.Output(), f.In(rejectsFlag), nil, func() error {
		if err := in.Bad.Close(true); err != nil {
			return err
		}
		return f.NoteBad(in.Bad.Count())
	})
}

// tellFolder tells what became of the files.
func (r *scoreRun) tellFolder(c *call, result outdir.Result, sum nbsvm.ScoreStats, took time.Duration) {
	if !c.Quiet {
		fmt.Fprintf(c.err, "%s: %d written, %d there already, %d failed\n", wording.Some(result.Files, "file"), result.Written, result.There, len(result.Failed))
		if result.Written > 0 {
			r.summarise(c.err, sum, took)
		}
	}
	r.scoring.WarnKept(c.err, sum.Documents)
	if sum.Bad > 0 {
		fate := "skipped"
		if folder := r.OnBad.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(c.err, "nbsvm: %s %s\n", wording.Some(sum.Bad, "bad record"), fate)
	}
	if result.Bad > 0 {
		fmt.Fprintf(c.err, "nbsvm: outputs that were there lack %s, which earlier runs left out: %s; to have one made again, remove it\n",
			wording.Some(result.Bad, "bad record"), wording.Few(result.Lacking))
	}
}

// folderError is what keeps a folder from being whole, given the bad records of this run.
func folderError(c *call, folder string, r outdir.Result, bad int64) error {
	switch failed := len(r.Failed); {
	case c.ctx.Err() != nil:
		return fmt.Errorf("interrupted; of %d files %d are whole in %s, and the same command goes on with the others", r.Files, r.There+r.Written, folder)
	case r.Full:
		return fmt.Errorf("the disk is full, and %d of %d files are not scored: %s; make room for the files in %s, and the same command goes on with them", failed, r.Files, wording.Few(r.Failed), folder)
	case failed > 0:
		return fmt.Errorf("%d of %d files could not be scored: %s; the others are done, and the same command tries again", failed, r.Files, wording.Few(r.Failed))
	case bad+r.Bad > 0:
		return badRecords{bad + r.Bad}
	}
	return nil
}
