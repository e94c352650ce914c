package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
)

// folderRun scores files, each by itself.
type folderRun struct {
	*scoreRun
	c        *call
	in       nbsvm.Input        // but for the path
	o        nbsvm.ScoreOptions // but for the progress
	progress *folderProgress
	files    []folderFile
	done     []fileDone // of each
	waiting  sync.Once
	full     atomic.Bool // there is no room for more outputs
}

// fileDone is what became of a file.
type fileDone struct {
	there bool  // it was before
	left  int64 // bad records that were left out then
	stats nbsvm.ScoreStats
	err   error
}

// scoreFolder scores the inputs side by side.
func (r *scoreRun) scoreFolder(c *call, in nbsvm.Input) error {
	passed := r.findInputs()
	if len(passed) > 0 && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: passed over as made by this command: %s\n", few(passed))
	}
	in.Paths = r.Input
	files, err := r.folderFiles()
	if err != nil {
		return err
	}
	if err := r.checkOthers(in); err != nil {
		return err
	}
	if err := r.makeFolders(); err != nil {
		return err
	}
	if err := r.claimFolders(files); err != nil {
		return err
	}
	r.sweep()
	show := newProgress(c)
	defer show.clear()
	threads := c.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Files side by side are read, decompressed and written side by side, too, which threads
	// within one are not.
	workers := max(1, min(threads, len(files)))
	run := &folderRun{
		scoreRun: r, c: c, in: in, o: nbsvm.ScoreOptions{Threads: (threads + workers - 1) / workers},
		progress: newFolderProgress(files, show, c.err), files: files, done: make([]fileDone, len(files)),
	}
	for i := range run.done {
		run.done[i].err = scratch.ErrInUse // for all that is known
	}
	start := time.Now()
	run.each(workers, tryClaim)
	run.each(workers, run.waitForClaim)
	show.clear()
	return run.finish(time.Since(start))
}

// sweep removes what runs that were killed have left in the folders.
func (r *scoreRun) sweep() {
	for _, folder := range r.outFolders() {
		left, _ := scratch.Find(folder.path)
		for _, l := range left {
			if l.Ours() {
				l.Remove(false) // the next run may be able to
			}
		}
	}
}

// each scores the files that no run is at, as far as is known.
func (r *folderRun) each(workers int, claim func(path string) (release func(), err error)) {
	var group errgroup.Group
	group.SetLimit(workers)
	left, claims := r.unfinished(claim)
	for _, i := range left {
		f, d := r.files[i], &r.done[i]
		shared := claims[f.claimGroup()]
		group.Go(func() error {
			defer shared.done()
			if d.err = r.c.ctx.Err(); r.full.Load() {
				d.err = errNotTried
				return nil
			}
			if d.err == nil {
				*d = r.score(i, f, shared.take)
			}
			if errors.Is(d.err, syscall.ENOSPC) || errors.Is(d.err, syscall.EDQUOT) {
				r.full.Store(true)
			}
			if d.err != nil && !errors.Is(d.err, scratch.ErrInUse) && r.c.ctx.Err() == nil {
				r.progress.failed(f, d.err)
			}
			return nil
		})
	}
	group.Wait()
}

// errNotTried is that of files which are left when the disk is full.
var errNotTried = errors.New("not tried")

// tryClaim keeps other runs from what a path stands for, unless one is at it.
func tryClaim(path string) (release func(), err error) {
	claim, err := scratch.ClaimFile(path)
	return claim.Release, err
}

// waitForClaim keeps other runs from what a path stands for, once it is free.
func (r *folderRun) waitForClaim(path string) (release func(), err error) {
	return r.c.claim(path, func() {
		r.waiting.Do(func() { r.progress.tell("waiting for other runs, which are at files of " + r.OutDir) })
	})
}

// score scores a file, unless its output is there.
func (r *folderRun) score(i int, f folderFile, claim func() error) (d fileDone) {
	if d, is := r.there(i, f); is {
		return d
	}
	if err := claim(); err != nil {
		return fileDone{err: err}
	}
	if d, is := r.there(i, f); is { // the one that was at it has made it
		return d
	}
	if r.Compress == "auto" && slices.Contains(otherSuffixes, filepath.Ext(f.input)) {
		if _, err := formatOf(r.in, f.input); err != nil {
			return fileDone{err: err} // which says more than that its name is not one for an output
		}
	}
	on := r.OnBad
	if f.quarantine != "" {
		on = corpus.OnBad("quarantine=" + f.quarantine)
	}
	in, o := r.in, r.o
	in.Paths = []string{f.input}
	if in.Bad, d.err = corpus.NewBadRecords(on, r.progress.badOf(f)); d.err != nil {
		return d
	}
	defer in.Bad.Close(false)
	o.Progress = func(now nbsvm.Progress) { r.progress.show(i, now) }
	d.stats, d.err = r.write(r.c, in, o, f.output, f.rejects, nil, func() error {
		if err := in.Bad.Close(true); err != nil {
			return err
		}
		return f.noteBad(in.Bad.Count())
	})
	return d
}

// there tells whether nothing is to be done for a file, as its output is there.
func (r *folderRun) there(i int, f folderFile) (d fileDone, is bool) {
	switch info, err := os.Stat(f.output); {
	case err != nil:
		return d, false
	case !info.Mode().IsRegular():
		d.err = fmt.Errorf("%s is there, and is no regular file", f.output)
	case f.rejects != "" && !exists(f.rejects):
		d.err = fmt.Errorf("%s is there, but not %s: name the folder of --rejects that it was made with, or remove the output to have both made again", f.output, f.rejects)
	default:
		d.there = true
		d.left, d.err = f.readBad()
		r.progress.show(i, nbsvm.Progress{Done: f.bytes})
	}
	return d, true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// badFolder is beside outputs.
const badFolder = ownPrefix + "bad"

// badNote stands in a hidden folder beside outputs, under the name of one that lacks records: later runs tell of them.
type badNote struct {
	Input string `json:"input"`
	Bad   int64  `json:"bad"`
}

func (f *folderFile) notePath() string {
	folder, name := filepath.Split(f.output)
	return filepath.Join(folder, badFolder, name)
}

// noteBad notes how many records are bad, before the output takes its name.
func (f *folderFile) noteBad(bad int64) error {
	path := f.notePath()
	if bad == 0 {
		if exists(path) { // of an output that was removed
			return os.Remove(path)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.WriteJSON(path, "", badNote{f.input, bad})
}

// readBad is how many bad records an output lacks that is there.
func (f *folderFile) readBad() (int64, error) {
	text, err := os.ReadFile(f.notePath())
	if err != nil {
		return 0, nil
	}
	var note badNote
	if err := json.Unmarshal(text, &note); err != nil || note.Bad < 1 {
		return 0, fmt.Errorf("%s is damaged: remove it, and %s to have that made again", f.notePath(), f.output)
	}
	return note.Bad, nil
}

// finish tells what became of the files.
func (r *folderRun) finish(took time.Duration) error {
	var stats nbsvm.ScoreStats
	var there, written int
	var left int64
	var failed, lacking []string
	for i, d := range r.done {
		switch {
		case d.err != nil:
			failed = append(failed, r.files[i].input)
			continue
		case d.there:
			there++
		default:
			written++
		}
		if d.left > 0 {
			left += d.left
			lacking = append(lacking, r.files[i].output)
		}
		stats.Documents, stats.Bad = stats.Documents+d.stats.Documents, stats.Bad+d.stats.Bad
		stats.Written, stats.Bytes = stats.Written+d.stats.Written, stats.Bytes+d.stats.Bytes
	}
	if r.c.ctx.Err() != nil {
		return fmt.Errorf("interrupted; of %d files %d are whole in %s, and the same command goes on with the others", len(r.files), there+written, r.OutDir)
	}
	if !r.c.Quiet {
		fmt.Fprintf(r.c.err, "%s: %d written, %d there already, %d failed\n", some(len(r.files), "file"), written, there, len(failed))
		if written > 0 {
			r.summarise(r.c.err, stats, took)
		}
	}
	r.kept.warn(r.c.err, stats.Documents)
	if stats.Bad > 0 {
		fate := "skipped"
		if folder := r.OnBad.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(r.c.err, "nbsvm: %s %s\n", some(stats.Bad, "bad record"), fate)
	}
	if left > 0 {
		fmt.Fprintf(r.c.err, "nbsvm: outputs that were there lack %s, which earlier runs left out: %s; to have one made again, remove it\n",
			some(left, "bad record"), few(lacking))
	}
	if r.full.Load() {
		return fmt.Errorf("the disk is full, and %d of %d files are not scored: %s; make room for the files in %s, and the same command goes on with them", len(failed), len(r.files), few(failed), r.OutDir)
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d files could not be scored: %s; the others are done, and the same command tries again", len(failed), len(r.files), few(failed))
	}
	if stats.Bad+left > 0 {
		return badRecords{stats.Bad + left}
	}
	return nil
}

// few lists the first names.
func few(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
