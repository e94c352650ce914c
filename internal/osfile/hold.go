package osfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// ErrTaken says that a file just made was taken for abandoned, as it was not locked yet, and
// is gone or going: make another one.
var ErrTaken = errors.New("nbsvm: another process has removed the file as abandoned")

// ErrInUse says that a process needs the file.
var ErrInUse = errors.New("nbsvm: a process is using it")

// Hold is a lock of a temporary file.
type Hold struct{ file *os.File }

// Release lets go of the lock. It does nothing for nil.
func (h *Hold) Release() {
	if h != nil && h.file != nil {
		h.file.Close()
	}
}

// Lock locks a file that was just made under the name path, until Release, and in any case
// for as long as f is open. There is none, and no error, where files can't be locked. The
// error is ErrTaken if the file is swept this very moment.
func Lock(f *os.File, path string) (*Hold, error) {
	h, err := lockFile(f)
	switch {
	case errors.Is(err, ErrInUse):
		return nil, ErrTaken
	case err != nil:
		return nil, nil // it is as good without, but for a killed process
	}
	// Unless it is known to be taken it is there, and to be removed by who has made it.
	if at, err := isAt(f, path); err == nil && !at {
		h.Release()
		return nil, ErrTaken
	}
	return h, nil
}

// isAt reports whether an open file has, still, that name.
func isAt(f *os.File, path string) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(open, named), err
}

// take locks a file that is there, unless a process holds it.
func take(path string) (*os.File, *Hold, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, ErrInUse
	}
	// Network file systems ask for a file open for writing, others may forbid that.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrPermission) {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, err
	}
	h, err := lockFile(f)
	if err == nil {
		var at bool
		if at, err = isAt(f, path); err == nil && !at { // its process had finished it meanwhile
			err = ErrInUse
		}
	}
	if err != nil {
		h.Release()
		f.Close()
		return nil, nil, err
	}
	return f, h, nil
}

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
	path = ScratchName(folder+"claim-"+name, 0)
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
		}
		at, err := isAt(f, path)
		if at {
			return c, nil
		}
		f.Close() // whoever had claimed it has removed the file meanwhile, and others may have one of its name
		hold.Release()
		if err != nil {
			return nil, err
		}
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
