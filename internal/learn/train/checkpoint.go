package train

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/solver"
)

// Checkpoint names a file from which a training that was stopped, in whatever way, goes on: Train with the same input
// and options makes the same model from it, byte for byte, as if it had not been stopped. Without the file training
// begins anew; the file of another training is refused. What is kept is the solver's work on the final model: text is
// read again, and folds held out for Calibrate or thresholds are trained again.
//
// Train leaves the file in place. Remove it once the model is where it belongs.
type Checkpoint struct {
	Path string // "" for none
	// Every is how often a group of classes is saved that is being solved; 0 is after every
	// epoch. What is done when the context is cancelled is saved as well.
	Every time.Duration
}

// checkpoint is a training's file and what will be in it.
type checkpoint struct {
	Checkpoint
	saver sync.WaitGroup

	mutex   sync.Mutex
	parts   CheckpointParts
	began   time.Time // the last time that the file was
	saving  bool
	unsaved bool // some states are not in the file, nor on their way
	again   bool // they are to be
	err     error
}

// openCheckpoint takes over the file that is there, which must be one of this training. No state is longer than its
// group's limit.
func openCheckpoint(o Checkpoint, fingerprint []byte, limits []int64) (*checkpoint, error) {
	c := &checkpoint{Checkpoint: o, began: time.Now()}
	c.parts = CheckpointParts{Fingerprint: fingerprint, Groups: make([]CheckpointGroup, len(limits))}
	info, err := os.Stat(o.Path)
	switch {
	case os.IsNotExist(err):
		return c, nil
	case err != nil:
		return nil, fmt.Errorf("nbsvm: the checkpoint: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("nbsvm: the checkpoint %s is not a regular file; name one", o.Path)
	}
	err = readCheckpoint(o.Path, func(p *CheckpointParts) error {
		if err := checkFingerprint(p.Fingerprint, fingerprint); err != nil {
			return err
		}
		if len(p.Groups) != len(limits) {
			return errDamagedCheckpoint
		}
		for i, g := range p.Groups {
			if int64(len(g.State)) > limits[i] {
				return errDamagedCheckpoint
			}
		}
		c.parts.Groups = p.copied()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("nbsvm: the checkpoint %s %w", o.Path, err)
	}
	return c, nil
}

// resumed says from where training goes on; "" if it begins anew.
func (c *checkpoint) resumed() string {
	done, epoch := 0, 0
	for _, s := range c.parts.Groups {
		if s.Done {
			done++
		} else {
			epoch = max(epoch, s.Epoch)
		}
	}
	switch {
	case done == 0 && epoch == 0:
		return ""
	case done == len(c.parts.Groups):
		return fmt.Sprintf("resumes from %s: all is solved", c.Path)
	case len(c.parts.Groups) == 1:
		return fmt.Sprintf("resumes from %s: epoch %d", c.Path, epoch)
	}
	return fmt.Sprintf("resumes from %s: %d of %d groups done, epoch %d", c.Path, done, len(c.parts.Groups), epoch)
}

// attach has a group of classes go on from its last state, and keep its next ones.
func (c *checkpoint) attach(ctx context.Context, group int, so *solver.Options) {
	so.Resume = c.parts.Groups[group].State
	last := time.Now()
	so.Checkpoint = func(s solver.State) error {
		now := time.Now()
		due := now.Sub(last) >= c.Every || ctx.Err() != nil
		if !due && !s.Done {
			return nil
		}
		last = now
		return c.keep(group, s, due)
	}
}

// keep takes in a state, and has the file written if that is due or has not been for
// long. It does not wait for that.
func (c *checkpoint) keep(group int, s solver.State, due bool) error {
	size := len(c.parts.Groups[group].State) // which is written by this goroutine alone
	state := s.Append(make([]byte, 0, size+size/8))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.parts.Groups[group], c.unsaved = CheckpointGroup{s.Epoch, s.Done, state}, true
	if due || time.Since(c.began) >= c.Every {
		c.ask()
	}
	return c.err
}

// ask has the file written.
func (c *checkpoint) ask() {
	c.again = true
	if !c.saving {
		c.saving = true
		c.saver.Go(c.save)
	}
}

// save writes the file until it has the newest states.
func (c *checkpoint) save() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for c.again && c.err == nil {
		c.again, c.unsaved, c.began = false, false, time.Now()
		parts := CheckpointParts{c.parts.Fingerprint, slices.Clone(c.parts.Groups)}
		c.mutex.Unlock()
		err := atomicfile.WriteFile(c.Path, parts.write)
		c.mutex.Lock()
		if err != nil {
			c.err = fmt.Errorf("the checkpoint: %w; the file has its former contents, from which training can go on", err)
		}
	}
	c.saving = false
}

// close waits until all is written that is to be: where training was stopped, what it has
// kept since the file was.
func (c *checkpoint) close(stopped bool) error {
	c.mutex.Lock()
	if stopped && c.unsaved {
		c.ask()
	}
	c.mutex.Unlock()
	c.saver.Wait()
	return c.err
}
