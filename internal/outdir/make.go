package outdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/internal/scratch"
)

// Maker makes files. Its functions are called with the places of files, for several at once.
type Maker struct {
	Workers int // how many files are made side by side

	// Make makes all that is made of an input, and calls [File.NoteBad] before the output takes its name.
	Make   func(i int) error
	There  func(i int)            // is told of an output that is there already
	Failed func(i int, err error) // is told of an input of which nothing could be made
	Wait   func()                 // is told, once, that the other files are those that other runs are at
}

// Result is what became of files.
type Result struct {
	Files   int
	Written int
	There   int      // outputs that were there before
	Failed  []string // inputs
	Full    bool     // the disk is: no other files were tried

	Bad     int64    // records that outputs lack which were there
	Lacking []string // those outputs
}

// Make makes the files that are not there: first those that no other run is at, then what these have left. All other
// files are made when one fails, but for a full disk.
func (j *Job) Make(ctx context.Context, files []File, m Maker) Result {
	r := &making{ctx: ctx, folder: j.outDir(), files: files, done: make([]done, len(files)), Maker: m}
	for i := range r.done {
		r.done[i].err = scratch.ErrInUse // for all that is known
	}
	r.each(tryClaim)
	r.each(r.waitForClaim)
	return r.result()
}

// making is files that are being made.
type making struct {
	Maker
	ctx     context.Context
	folder  string // of outputs
	files   []File
	done    []done // of each
	waiting sync.Once
	full    atomic.Bool // there is no room for more outputs
}

// done is what became of a file.
type done struct {
	there bool  // it was before
	bad   int64 // records that were left out then
	err   error
}

// claimFunc keeps other runs from what a path stands for, until release.
type claimFunc func(path string) (release func(), err error)

// each makes the files that no run is at, as far as is known.
func (r *making) each(claim claimFunc) {
	var group errgroup.Group
	group.SetLimit(r.Workers)
	left, claims := r.unfinished(claim)
	for _, i := range left {
		d, shared := &r.done[i], claims[r.files[i].claimGroup()]
		group.Go(func() error {
			defer shared.done()
			if d.err = r.ctx.Err(); r.full.Load() {
				d.err = errNotTried
				return nil
			}
			if d.err == nil {
				*d = r.make(i, shared.take)
			}
			if errors.Is(d.err, syscall.ENOSPC) || errors.Is(d.err, syscall.EDQUOT) {
				r.full.Store(true)
			}
			if d.err != nil && !errors.Is(d.err, scratch.ErrInUse) && r.ctx.Err() == nil {
				r.Failed(i, d.err)
			}
			return nil
		})
	}
	group.Wait()
}

// errNotTried is that of files which are left when the disk is full.
var errNotTried = errors.New("not tried")

// tryClaim claims what no other run is at.
func tryClaim(path string) (release func(), err error) {
	claim, err := scratch.ClaimFile(path)
	return claim.Release, err
}

// waitForClaim claims what another run is at, when that has finished.
func (r *making) waitForClaim(path string) (release func(), err error) {
	claim, err := scratch.AwaitFile(r.ctx, path, func() { r.waiting.Do(r.Wait) })
	return claim.Release, err
}

// make makes a file, unless its output is there.
func (r *making) make(i int, claim func() error) done {
	if d, is := r.there(i); is {
		return d
	}
	if err := claim(); err != nil {
		return done{err: err}
	}
	if d, is := r.there(i); is { // the one that was at it has made it
		return d
	}
	return done{err: r.Make(i)}
}

// there tells whether nothing is to be done for a file, as its output is there.
func (r *making) there(i int) (d done, is bool) {
	f := &r.files[i]
	info, err := os.Stat(f.Output())
	if err != nil {
		return d, false
	}
	if !info.Mode().IsRegular() {
		return done{err: fmt.Errorf("%s is there, and is no regular file", f.Output())}, true
	}
	for k, folder := range f.folders {
		if folder.Always && !exists(f.paths[k]) {
			return done{err: fmt.Errorf("%s is there, but not %s: name the folder of %s that it was made with, or remove the output to have both made again",
				f.Output(), f.paths[k], folder.Flag)}, true
		}
	}
	d.there = true
	d.bad, d.err = f.readBad()
	r.There(i)
	return d, true
}

// result adds up what became of the files.
func (r *making) result() Result {
	sum := Result{Files: len(r.files), Full: r.full.Load()}
	for i, d := range r.done {
		switch {
		case d.err != nil:
			sum.Failed = append(sum.Failed, r.files[i].Input)
			continue
		case d.there:
			sum.There++
		default:
			sum.Written++
		}
		if d.bad > 0 {
			sum.Bad += d.bad
			sum.Lacking = append(sum.Lacking, r.files[i].Output())
		}
	}
	return sum
}
