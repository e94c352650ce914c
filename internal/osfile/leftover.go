package osfile

import (
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

// ScratchName returns the k-th name of a temporary file beside path. The part taken from path is cut
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
		_ = removeAbandoned(ScratchName(path, k)) // most are not there
	}
}

var names = regexp.MustCompile(`^\..*\.nbsvm-(([0-9a-f]{8}|unnamed)-)?[0-9a-f]+\.tmp$`)

// SweepFolder removes the temporary files in a folder that nobody uses any more: those of this machine whose lock is
// free, and those of other machines, whose locks may not be seen from here, if they have not been written to for a day,
// too.
func SweepFolder(folder string) {
	entries, _ := os.ReadDir(folder) // what can't be swept now is swept by a later run
	for _, e := range entries {
		match := names.FindStringSubmatch(e.Name())
		if match == nil || !e.Type().IsRegular() {
			continue
		}
		if ours := match[2] == machine && machine != unnamed; ours || old(e) {
			_ = removeAbandoned(filepath.Join(folder, e.Name()))
		}
	}
}

// old reports whether a file was not written to for a day.
func old(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) > 24*time.Hour
}

// removeAbandoned removes a temporary file, unless a process that can be seen from here uses it, ErrInUse.
func removeAbandoned(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if young(info) {
		return ErrInUse
	}
	file, hold, err := take(path)
	if err != nil {
		return err
	}
	defer hold.Release()
	defer file.Close()
	if closeFirst {
		file.Close()
	}
	return os.Remove(path)
}
