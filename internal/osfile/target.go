package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// target is what a path stands for.
type target struct {
	path    string      // behind all symbolic links
	through bool        // cannot be replaced: write straight into it
	exists  bool        // a regular file of that name is there
	perm    fs.FileMode // its permission bits
}

// Target returns the file that writing to path would replace, behind all symbolic links, or path
// itself where there is nothing to replace.
func Target(path string) (string, error) {
	t, err := resolve(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return t.path, nil
}

var errIsFolder = errors.New("it is a folder: give the name of a file")

// resolve follows path to the file to be replaced. That file need not exist, but its folder must.
func resolve(path string) (target, error) {
	if path == "" {
		return target{}, errors.New("the file name is empty")
	}
	if IsDescriptor(path) {
		return target{path: path, through: true}, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent(path)
	case err != nil:
		return target{}, cause(err)
	case info.IsDir():
		return target{}, errIsFolder
	case !info.Mode().IsRegular():
		return target{path: path, through: true}, nil
	}
	if link, err := os.Lstat(path); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return target{}, cause(err)
		}
	}
	return target{path: path, exists: true, perm: info.Mode().Perm()}, nil
}

// absent returns the target for a name that is not there yet.
func absent(path string) (target, error) {
	folder, name := filepath.Split(path)
	if name == "" {
		return target{}, errIsFolder
	}
	if folder == "" {
		folder = "."
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return target{}, fmt.Errorf("%w: make the folder %s first", fs.ErrNotExist, filepath.Clean(folder))
	}
	if to, err := os.Readlink(path); err == nil {
		return target{}, fmt.Errorf("it is a link to %s, which is not there: name that file", to)
	}
	return target{path: path}, nil
}

// IsDescriptor reports whether a path names an open file of this process, such as /dev/stdout. Even where that is a
// regular file, it belongs to the shell that opened it and must be appended to, not replaced.
func IsDescriptor(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(abs, "/dev/std") || strings.HasPrefix(abs, "/dev/fd/") ||
		strings.HasPrefix(abs, "/proc/"))
}
