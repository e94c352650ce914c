package osfile

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"
)

// Temporary files and claims are hidden files. A process keeps each of its own open and locked for as long as it needs
// it, and the system lets go of a lock with its process. Names have the machine in them: the lock of a process on
// another one, on a shared file system, need not be seen here. So what has a free lock and a name of this machine is
// abandoned, and may be removed at any time, by any number of processes. Where files can't be locked, nothing is.

// ErrInUse says that a process needs the file.
var ErrInUse = errors.New("nbsvm: a process is using it")

const unnamed = "unnamed"

// machine is what names have of this machine, eight hexadecimal digits.
var machine = func() string {
	name, err := os.Hostname()
	if err != nil {
		return unnamed
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(name)))
}()

// hiddenName returns the name of a hidden file beside path. The part taken from path is cut so that the whole stays
// within the 255 bytes that file systems allow.
func hiddenName(path string, number uint64) string {
	folder, name := filepath.Split(path)
	const limit = 200
	if len(name) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	return fmt.Sprintf("%s.%s.nbsvm-%s-%x.tmp", folder, name, machine, number)
}

var hiddenNames = regexp.MustCompile(`^\..*\.nbsvm-(([0-9a-f]{8}|unnamed)-)?[0-9a-f]+\.tmp$`)

// createHidden creates and locks a hidden file beside path: another one if a process has taken the first for abandoned
// before it was locked. Of file systems that number files anew at each look, the last one is taken as it is.
func createHidden(path string, flag int, perm fs.FileMode) (*os.File, error) {
	for tries := 0; ; tries++ {
		f, err := os.OpenFile(hiddenName(path, rand.Uint64()), flag|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return nil, err
		}
		locked := lockFile(f)
		at, err := isAt(f, f.Name())
		if !errors.Is(locked, ErrInUse) && (at || err != nil || locked != nil) || tries == 9 {
			return f, nil
		}
		f.Close()
		_ = os.Remove(f.Name()) // unless it is gone
	}
}

// isAt reports whether an open file has, still, that name.
func isAt(f *os.File, path string) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(open, named), err
}

// swept has the folders that sweep has looked into, once each: they may have very many files.
var swept sync.Map

// sweep removes the hidden files in a folder that nobody uses any more: those of this machine whose lock is free and, if
// they have not been written to for a day, those of other machines, too.
func sweep(folder string) {
	if _, done := swept.LoadOrStore(folder, true); done {
		return
	}
	entries, _ := os.ReadDir(folder) // what can't be swept now is swept by a later run
	for _, e := range entries {
		match := hiddenNames.FindStringSubmatch(e.Name())
		if match == nil {
			continue
		}
		info, err := e.Info()
		ours := match[2] == machine && machine != unnamed
		if ours || err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			removeAbandoned(filepath.Join(folder, e.Name()))
		}
	}
}

// removeAbandoned removes a hidden file, if it is there and no process that can be seen from here uses it.
func removeAbandoned(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || young(info) {
		return
	}
	// Network file systems ask for a file open for writing, others may forbid that.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.Open(path)
	}
	if err != nil {
		return
	}
	defer f.Close()
	if lockFile(f) != nil {
		return
	}
	if at, err := isAt(f, path); at && err == nil { // otherwise its process has finished it meanwhile
		removeOpen(f)
	}
}

// removeOpen removes a file that is open.
func removeOpen(f *os.File) {
	if closeFirst {
		f.Close()
	}
	_ = os.Remove(f.Name()) // what stays is swept later
}

// Claim is what keeps other processes of this machine from working on a file.
type Claim struct{ file *os.File }

// ClaimFile claims a file, which need not be there, until Release or the end of the process. The error is ErrInUse if
// it is claimed already. The claim is a hidden file beside it, which is swept as others are. Where files can't be
// locked, there are no claims, and no error.
func ClaimFile(path string) (*Claim, error) {
	folder, name := filepath.Split(path)
	path = hiddenName(folder+"claim-"+name, 0)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		err = lockFile(f)
		at := false
		if err == nil {
			if at, err = isAt(f, path); at {
				return &Claim{f}, nil
			}
		}
		f.Close()
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			_ = os.Remove(path)
			return nil, nil
		case err != nil:
			return nil, err
		} // whoever had claimed it has removed the file meanwhile, and others may have one of its name
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
	if c != nil {
		removeOpen(c.file)
		c.file.Close()
	}
}
