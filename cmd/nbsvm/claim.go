package main

import (
	"errors"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/scratch"
)

// claimAgain is how long to wait before a file is asked for again.
const claimAgain = 50 * time.Millisecond

// claim keeps other runs from a file until release, and waits for a run that has it, which is told at first.
func (c *call) claim(path string, waiting func()) (release func(), err error) {
	for told := false; ; told = true {
		claim, err := scratch.ClaimFile(path)
		if !errors.Is(err, scratch.ErrInUse) {
			return claim.Release, err
		}
		if !told {
			waiting()
		}
		select {
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		case <-time.After(claimAgain):
		}
	}
}
