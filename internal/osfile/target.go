package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds a chain of symbolic links, as Linux does.
const maxLinks = 40

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

// resolve follows path to the file to be replaced. That file need not exist, but
// its folder must.
func resolve(path string) (target, error) {
	if path == "" {
		return target{}, errors.New("the file name is empty")
	}
	at := path
	for range maxLinks {
		if IsDescriptor(at) {
			return target{path: path, through: true}, nil
		}
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return absent(at)
		case err != nil:
			return target{}, cause(err)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(at)
			if err != nil {
				return target{}, cause(err)
			}
			if !filepath.IsAbs(link) {
				// No Join: it would take ".." by the letter, past links on the way.
				folder, _ := filepath.Split(at)
				link = folder + link
			}
			at = link
		case info.IsDir():
			return target{}, errors.New("it is a folder: give the name of a file")
		case !info.Mode().IsRegular():
			return target{path: path, through: true}, nil
		default:
			return target{path: at, exists: true, perm: info.Mode().Perm()}, nil
		}
	}
	return target{}, fmt.Errorf("more than %d symbolic links: they may form a circle", maxLinks)
}

// absent returns the target for a name that is not there yet.
func absent(at string) (target, error) {
	folder, name := filepath.Split(at)
	if name == "" {
		return target{}, errors.New("it is a folder: give the name of a file")
	}
	if folder == "" {
		folder = "."
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return target{}, fmt.Errorf("%w: make the folder %s first", fs.ErrNotExist, filepath.Clean(folder))
	}
	return target{path: at}, nil
}

// IsDescriptor reports whether a path names an open file of this process, as
// /dev/stdout does by way of links. Even where that file is a regular one, it
// belongs to the shell that opened it and must be appended to, not replaced.
func IsDescriptor(path string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	return strings.HasPrefix(abs, "/dev/fd/") || strings.HasPrefix(abs, "/proc/")
}
