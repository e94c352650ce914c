package scratch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Claim is what keeps other processes of this machine from working on a file.
type Claim struct {
	file *os.File
	hold *Hold
}

// ClaimFile claims a file, which need not be there, until Release or the end of the process. The error is ErrInUse if
// it is claimed already. The claim is a hidden file beside it, which is swept as others are. Where files can't be
// locked, there are no claims, and no error.
func ClaimFile(path string) (*Claim, error) {
	folder, name := filepath.Split(path)
	path = FileName(folder+"claim-"+name, 0)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		hold, err := lockFile(f)
		c := &Claim{f, hold}
		switch {
		case errors.Is(err, ErrInUse):
			f.Close()
			return nil, err
		case err != nil:
			c.Release()
			return nil, nil
		case isAt(f, path):
			return c, nil
		}
		f.Close() // whoever had claimed it has removed the file meanwhile
		hold.Release()
	}
}

// claimAgain is how long to wait before a file is asked for again.
const claimAgain = 50 * time.Millisecond

// AwaitFile claims a file when it is free. That another process has it, waiting is told, once.
func AwaitFile(ctx context.Context, path string, waiting func()) (*Claim, error) {
	for told := false; ; told = true {
		claim, err := ClaimFile(path)
		if !errors.Is(err, ErrInUse) {
			return claim, err
		}
		if !told {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(claimAgain):
		}
	}
}

// Release lets others claim the file. It does nothing for nil.
func (c *Claim) Release() {
	if c == nil {
		return
	}
	if closeFirst {
		c.file.Close()
	}
	os.Remove(c.file.Name())
	c.file.Close()
	c.hold.Release()
}
