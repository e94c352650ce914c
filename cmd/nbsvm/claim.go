package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/scratch"
)

// claimAgain is how long to wait before a file is asked for again.
const claimAgain = 50 * time.Millisecond

// claim keeps other runs from a file until release, and waits for a run that has it.
func (c *call) claim(path string) (release func(), err error) {
	for told := false; ; told = true {
		claim, err := scratch.ClaimFile(path)
		if !errors.Is(err, scratch.ErrInUse) {
			return claim.Release, err
		}
		if !told && !c.Quiet {
			fmt.Fprintf(c.err, "nbsvm: waiting for another run, which is at %s\n", path)
		}
		select {
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		case <-time.After(claimAgain):
		}
	}
}
