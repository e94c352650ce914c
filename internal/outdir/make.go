package outdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Maker makes files. Its functions are called for several at once.
type Maker struct {
	Workers int // how many files are made side by side

	// Make makes all that is made of an input, and calls [File.Done] before the output takes its name.
	Make     func(i int, f *File) error
	Ended    func(i int, f *File) // is told what became of a file, unless ctx ended first
	Wait     func()               // is told, once, that the other files are those that other runs are at
	PassOver func(err error) bool // tells which inputs are passed over, by their errors; others fail
}

// State is what became of a file.
type State string

// States of files.
const (
	Written    State = "written"
	There      State = "there"   // before; nothing was done
	PassedOver State = "skipped" // as its input is bad
	Failed     State = "failed"
)

// Result is what became of files.
type Result struct {
	Written    int
	There      int      // outputs that were there before
	PassedOver []string // inputs
	Failed     []string // inputs
	Full       bool     // the disk is: no other files were tried
	// BadFiles is how many inputs are damaged or wrong, passed over or not, and OfRecords how many failed for a bad
	// record alone.
	BadFiles, OfRecords int
	Counts              // of what was written
}

// errNotTried is that of files which are left when the disk is full.
var errNotTried = errors.New("not tried, because the disk is full")

// Make makes the files that are not there: first those that no other run is at, then what these have left. All other
// files are made when one fails, but for a full disk.
func (j *Job) Make(ctx context.Context, files []File, m Maker) Result {
	var full atomic.Bool
	var told sync.Once
	waitFor := func(path string) (*osfile.Claim, error) {
		return osfile.AwaitFile(ctx, path, func() { told.Do(m.Wait) })
	}
	for i := range files {
		files[i].Err = osfile.ErrInUse // for all that is known
	}
	for _, claim := range []func(path string) (*osfile.Claim, error){osfile.ClaimFile, waitFor} {
		var group errgroup.Group
		group.SetLimit(m.Workers)
		for i := range files {
			f := &files[i]
			if !errors.Is(f.Err, osfile.ErrInUse) {
				continue
			}
			group.Go(func() error {
				if full.Load() {
					f.fail(errNotTried, m.PassOver)
					return nil
				}
				err := ctx.Err()
				if err == nil {
					err = m.make(i, f, claim)
				}
				if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
					full.Store(true)
				}
				if f.fail(err, m.PassOver); ctx.Err() == nil && !errors.Is(err, osfile.ErrInUse) {
					m.Ended(i, f)
				}
				return nil
			})
		}
		group.Wait()
	}
	r := Result{Full: full.Load()}
	for i := range files {
		r.add(&files[i])
	}
	return r
}

// make makes a file, unless its output is there. Claim keeps other runs from it.
func (m *Maker) make(i int, f *File, claim func(path string) (*osfile.Claim, error)) error {
	if there, err := f.there(); there || err != nil {
		return err
	}
	claimed, err := claim(f.Output)
	if err != nil {
		return err
	}
	defer claimed.Release()
	if there, err := f.there(); there || err != nil { // the one that was at it has made it
		return err
	}
	start := time.Now()
	if err := m.Make(i, f); err != nil {
		return err
	}
	f.State, f.Seconds = Written, time.Since(start).Seconds()
	return nil
}

// fail notes an error, nil for none.
func (f *File) fail(err error, passOver func(error) bool) {
	if f.Err, f.Reason = err, ""; err == nil {
		return
	}
	f.State, f.Reason, f.Counts = Failed, facts.Plain(err.Error()), nil
	if passOver(err) {
		f.State = PassedOver
	}
}

// add adds what became of a file.
func (r *Result) add(f *File) {
	switch f.State {
	case Written:
		r.Written++
	case There:
		r.There++
	case PassedOver:
		r.PassedOver = append(r.PassedOver, f.Input)
	default:
		r.Failed = append(r.Failed, f.Input)
	}
	if of := f.Counts; of != nil {
		r.Documents, r.Counts.Written, r.Bad = r.Documents+of.Documents, r.Counts.Written+of.Written, r.Bad+of.Bad
		r.Reasons = r.Reasons.Add(of.Reasons)
	} else if corpus.IsBadFile(f.Err) {
		r.BadFiles++
	} else if _, record := errors.AsType[*corpus.RecordError](f.Err); record {
		r.OfRecords++
	}
}

// Done is to be called when all is written, before the output takes its name.
func (f *File) Done(counts Counts) error {
	now, err := os.Stat(f.Input)
	if err != nil {
		return err
	}
	if now.Size() != f.info.Size() || !now.ModTime().Equal(f.info.ModTime()) {
		return fmt.Errorf("%s changed while it was read: run the same command again, and leave input files alone meanwhile", f.Input)
	}
	f.Counts = &counts
	return nil
}

// there reports whether the output exists. The error is for what the user has to put right: an output that is older
// than its input.
func (f *File) there() (bool, error) {
	info, err := os.Stat(f.Output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s exists and is not a regular file: remove it", f.Output)
	case info.ModTime().Before(f.info.ModTime()):
		return false, fmt.Errorf("%s has changed since %s was written: remove that file to write it again",
			f.Input, f.Output)
	}
	f.State, f.Counts = There, nil
	return true, nil
}
