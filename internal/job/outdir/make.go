package outdir

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Maker makes files. Its functions are called with the places of files, for several at once; those that are nil are
// not.
type Maker struct {
	Workers int // how many files are made side by side

	// Make makes all that is made of an input, and calls [Work.Done] before the output takes its name.
	Make   func(i int, w *Work) error
	There  func(i int)            // is told of an output that is there already
	Failed func(i int, err error) // is told of an input of which nothing could be made, passed over or not
	Wait   func()                 // is told, once, that the other files are those that other runs are at

	// PassOver tells which inputs are passed over, by the error that making failed with. Others fail.
	PassOver func(err error) bool
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

// Outcome is what became of a file.
type Outcome struct {
	Input   string  `json:"input"`
	Output  string  `json:"output"`
	State   State   `json:"state"`
	Reason  string  `json:"reason,omitempty"` // why it failed, or was passed over
	Bytes   int64   `json:"bytes"`            // of the input
	Seconds float64 `json:"seconds,omitempty"`
	*Counts         // nil if nothing was made
	// Files are the output and what is beside it, by the flags of their folders.
	Files map[string]provenance.Fingerprint `json:"files,omitempty"`
}

// Result is what became of files.
type Result struct {
	Files      int
	Written    int
	There      int      // outputs that were there before
	PassedOver []string // inputs
	Failed     []string // inputs
	Full       bool     // the disk is: no other files were tried
	// BadFiles is how many inputs are damaged or wrong, passed over or not, and OfRecords how many failed for a bad record
	// alone.
	BadFiles, OfRecords int

	Bad     int64    // records that outputs lack which were there
	Lacking []string // those outputs

	Counts           // of all outputs that are there now
	Each   []Outcome // of the files
}

// Make makes the files that are not there: first those that no other run is at, then what these have left. All other
// files are made when one fails, but for a full disk.
func (j *Job) Make(ctx context.Context, files []File, m Maker) Result {
	r := &making{ctx: ctx, job: j, files: files, done: make([]done, len(files)), Maker: m}
	for i := range r.done {
		r.done[i].err = osfile.ErrInUse // for all that is known
	}
	r.each(osfile.ClaimFile)
	r.each(r.waitForClaim)
	return r.result()
}

// making is files that are being made.
type making struct {
	Maker
	ctx     context.Context
	job     *Job
	files   []File
	done    []done // of each
	waiting sync.Once
	full    atomic.Bool // there is no room for more outputs
}

// done is what became of a file.
type done struct {
	there bool // it was before
	entry *Entry
	took  time.Duration
	err   error
}

// each makes the files that no run is at, as far as is known. Claim keeps other runs from a file.
func (r *making) each(claim func(path string) (*osfile.Claim, error)) {
	var group errgroup.Group
	group.SetLimit(r.Workers)
	for i := range r.files {
		d := &r.done[i]
		if !errors.Is(d.err, osfile.ErrInUse) {
			continue
		}
		group.Go(func() error {
			if d.err = r.ctx.Err(); r.full.Load() {
				d.err = errNotTried
				return nil
			}
			if d.err == nil {
				*d = r.make(i, claim)
			}
			if errors.Is(d.err, syscall.ENOSPC) || errors.Is(d.err, syscall.EDQUOT) {
				r.full.Store(true)
			}
			if d.err != nil && !errors.Is(d.err, osfile.ErrInUse) && r.ctx.Err() == nil && r.Failed != nil {
				r.Failed(i, d.err)
			}
			return nil
		})
	}
	group.Wait()
}

// errNotTried is that of files which are left when the disk is full.
var errNotTried = errors.New("not tried, because the disk is full")

// waitForClaim claims what another run is at, when that has finished.
func (r *making) waitForClaim(path string) (*osfile.Claim, error) {
	return osfile.AwaitFile(r.ctx, path, func() {
		if r.Wait != nil {
			r.waiting.Do(r.Wait)
		}
	})
}

// make makes a file, unless its output is there.
func (r *making) make(i int, claimFile func(path string) (*osfile.Claim, error)) done {
	if d := r.there(i); d.there {
		return d
	}
	claim, err := claimFile(r.files[i].Output())
	if err != nil {
		return done{err: err}
	}
	defer claim.Release()
	d := r.there(i)
	if d.there || d.err != nil { // the one that was at it has made it
		return d
	}
	start := time.Now()
	w := r.job.Work(&r.files[i])
	if d.err = r.Make(i, w); d.err != nil {
		return d
	}
	if w.Entry == nil {
		panic("outdir: a file was made, and Work.Done not called")
	}
	d.took, d.entry = time.Since(start), w.Entry
	return d
}

// there finds out whether nothing is to be done for a file.
func (r *making) there(i int) (d done) {
	d.entry, d.err = r.job.There(&r.files[i])
	if d.there = d.entry != nil; d.there && r.There != nil {
		r.There(i)
	}
	return d
}

// result adds up what became of the files.
func (r *making) result() Result {
	sum := Result{Files: len(r.files), Full: r.full.Load()}
	for i, d := range r.done {
		f := &r.files[i]
		of := Outcome{Input: f.Input, Output: f.Output(), Bytes: f.Bytes, Seconds: d.took.Seconds()}
		switch {
		case d.err == nil && d.there:
			of.State = There
			if sum.There++; d.entry.Bad > 0 {
				sum.Bad += d.entry.Bad
				sum.Lacking = append(sum.Lacking, of.Output)
			}
		case d.err == nil:
			of.State = Written
			sum.Written++
		default:
			of.State, of.Reason = Failed, flags.Plain(d.err.Error())
			if corpus.IsBadFile(d.err) {
				sum.BadFiles++
			} else if _, record := errors.AsType[*corpus.RecordError](d.err); record {
				sum.OfRecords++
			}
			if r.PassOver != nil && r.PassOver(d.err) {
				of.State = PassedOver
				sum.PassedOver = append(sum.PassedOver, of.Input)
			} else {
				sum.Failed = append(sum.Failed, of.Input)
			}
		}
		if d.err == nil {
			of.Counts, of.Files = &d.entry.Counts, d.entry.Files
			sum.Add(d.entry.Counts)
		}
		sum.Each = append(sum.Each, of)
	}
	return sum
}
