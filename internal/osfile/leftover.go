package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"time"
	"unicode/utf8"
)

// Numbered is how many names of temporary files there are for a file; more are random. A
// later run of the same output finds what is left under these without reading the folder.
const Numbered = 8

// ScratchName is the k-th name of a temporary file beside path. The part taken from path is cut
// so that the whole stays within the 255 bytes that file systems allow.
func ScratchName(path string, k int) string {
	folder, name := filepath.Split(path)
	const limit = 200
	if len(name) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	number := fmt.Sprint(k)
	if k >= Numbered {
		number = fmt.Sprintf("%016x", rand.Uint64())
	}
	return fmt.Sprintf("%s.%s.nbsvm-%s-%s.tmp", folder, name, machine, number)
}

// SweepFile removes the temporary files of an output that nobody uses any more.
func SweepFile(path string) {
	for k := range Numbered {
		leftover{path: ScratchName(path, k)}.remove() // most are not there
	}
}

// leftover is a temporary file or folder of whatever process.
type leftover struct {
	path   string
	folder bool
}

var names = regexp.MustCompile(`^(\.nbsvm-pack-(([0-9a-f]{8}|unnamed)-)?[0-9]+|\..*\.nbsvm-(([0-9a-f]{8}|unnamed)-)?[0-9a-f]+\.tmp)$`)

// SweepFolder removes the temporary files and folders in a folder of outputs that nobody uses any more: those of this
// machine whose lock is free, and files of other machines, whose locks may not be seen from here, if they have not been
// written to for a day, too.
func SweepFolder(folder string) { sweep(folder, true) }

func sweep(folder string, files bool) {
	entries, _ := os.ReadDir(folder) // what can't be swept now is swept by a later run
	for _, e := range entries {
		match := names.FindStringSubmatch(e.Name())
		isFolder := filepath.Ext(e.Name()) != ".tmp"
		if match == nil || e.IsDir() != isFolder || !isFolder && (!files || !e.Type().IsRegular()) {
			continue
		}
		of := match[3] + match[5]
		if ours := of == machine && machine != unnamed; ours || !isFolder && old(e) {
			leftover{filepath.Join(folder, e.Name()), isFolder}.remove()
		}
	}
}

// old tells whether a file was not written to for a day.
func old(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > 24*time.Hour
}

// remove removes what is left, unless a process that can be seen from here uses it, ErrInUse.
func (l leftover) remove() error {
	lock := l.path
	if l.folder {
		lock = filepath.Join(l.path, lockName)
	}
	if info, err := os.Lstat(l.path); err != nil {
		return err
	} else if !l.folder && young(info) {
		return ErrInUse
	}
	file, hold, err := take(lock)
	if l.folder && errors.Is(err, fs.ErrNotExist) {
		return l.removeUnlocked()
	}
	if err != nil {
		return err
	}
	defer hold.Release()
	defer file.Close()
	switch {
	case l.folder:
		return removeFolder(l.path, func() { file.Close() })
	case closeFirst:
		file.Close()
	}
	return os.Remove(l.path)
}

// removeUnlocked removes a folder without a lock if it is empty: its process was killed, or
// will make another one. Others are of systems that can't lock files.
func (l leftover) removeUnlocked() error {
	entries, err := os.ReadDir(l.path)
	switch {
	case err != nil:
		return err
	case len(entries) > 0:
		return ErrInUse
	}
	return os.Remove(l.path)
}
