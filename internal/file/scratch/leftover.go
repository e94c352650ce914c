package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"unicode/utf8"
)

// Numbered is how many names of temporary files there are for a file; more are random. A
// later run of the same output finds what is left under these without reading the folder.
const Numbered = 8

// FileName is the k-th name of a temporary file beside path. The part taken from path is cut
// so that the whole stays within the 255 bytes that file systems allow.
func FileName(path string, k int) string {
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
		Leftover{Path: FileName(path, k), machine: machine}.Remove(false) // most are not there
	}
}

// Leftover is a temporary file or folder of whatever process.
type Leftover struct {
	Path    string
	folder  bool
	machine string // as names have it; empty in names of earlier versions
}

var names = regexp.MustCompile(`^(\.nbsvm-pack-(([0-9a-f]{8}|unnamed)-)?[0-9]+|\..*\.nbsvm-(([0-9a-f]{8}|unnamed)-)?[0-9a-f]+\.tmp)$`)

// Find lists the temporary files and folders in a folder, in use or not.
func Find(folder string) (all []Leftover, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		match := names.FindStringSubmatch(e.Name())
		isFolder := filepath.Ext(e.Name()) != ".tmp"
		if match == nil || e.IsDir() != isFolder || !isFolder && !e.Type().IsRegular() {
			continue
		}
		all = append(all, Leftover{filepath.Join(folder, e.Name()), isFolder, match[3] + match[5]})
	}
	return all, err
}

// Ours tells whether a process of this machine made it.
func (l Leftover) Ours() bool { return l.machine == machine && machine != unnamed }

// Remove removes what is left, unless a process that can be seen from here uses it, ErrInUse,
// and returns how many bytes it had. With dry it only seems so.
func (l Leftover) Remove(dry bool) (bytes int64, err error) {
	lock := l.Path
	if l.folder {
		lock = filepath.Join(l.Path, lockName)
	}
	if info, err := os.Lstat(l.Path); err != nil {
		return 0, err
	} else if !l.folder && young(info) {
		return 0, ErrInUse
	}
	file, hold, err := take(lock)
	if l.folder && errors.Is(err, fs.ErrNotExist) {
		return 0, l.removeUnlocked(dry)
	}
	if err != nil {
		return 0, err
	}
	defer hold.Release()
	defer file.Close()
	bytes = size(l.Path)
	switch {
	case dry:
		return bytes, nil
	case l.folder:
		return bytes, removeFolder(l.Path, func() { file.Close() })
	case closeFirst:
		file.Close()
	}
	return bytes, os.Remove(l.Path)
}

// removeUnlocked removes a folder without a lock if it is empty: its process was killed, or
// will make another one. Others are of systems that can't lock files.
func (l Leftover) removeUnlocked(dry bool) error {
	entries, err := os.ReadDir(l.Path)
	switch {
	case err != nil:
		return err
	case len(entries) > 0:
		return ErrInUse
	case dry:
		return nil
	}
	return os.Remove(l.Path)
}

// size is how many bytes files have, those in folders as well.
func size(path string) (bytes int64) {
	filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error { // what can't be read is not counted
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}
