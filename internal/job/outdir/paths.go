package outdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// IsLocal tells a path of this machine from one of another store, which begins with a scheme, as gs:// does.
func IsLocal(path string) bool { return !strings.Contains(path, "://") }

// Join returns the path of a file in a folder of any store, given its name or its path with slashes. A file of another
// store, or with a path from the root, is elsewhere.
func Join(folder, name string) string {
	switch {
	case !IsLocal(name) || filepath.IsAbs(name):
		return name
	case IsLocal(folder):
		return filepath.Join(folder, filepath.FromSlash(name))
	}
	return strings.TrimRight(folder, "/") + "/" + name
}

// whole returns a path from the root, with slashes. Links are not followed: outputs have the names that were given.
func whole(path string) string {
	if !IsLocal(path) {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory can't be read: the shell's word for it is what Abs had gone by
		abs = filepath.Join(os.Getenv("PWD"), path)
	}
	return filepath.ToSlash(abs)
}

// from returns where a path is, from a folder, with slashes, so that both may be moved together. In another store, or
// on another volume, it is the path itself.
func from(folder, path string) string {
	if !IsLocal(folder) {
		if below, is := strings.CutPrefix(path, strings.TrimRight(folder, "/")+"/"); is {
			return below
		}
	}
	if path == "" || !IsLocal(folder) || !IsLocal(path) {
		return path
	}
	if below, err := filepath.Rel(filepath.FromSlash(whole(folder)), filepath.FromSlash(whole(path))); err == nil {
		return filepath.ToSlash(below)
	}
	return whole(path)
}

// folderOf returns the whole path of the folder of a file, with the slash behind it.
func folderOf(file string) string {
	path := whole(file)
	return path[:strings.LastIndexByte(path, '/')+1]
}

// common returns the folder that all files are in, at whatever depth; empty if there is none.
func common(files []string) string {
	base := folderOf(files[0])
	for _, file := range files[1:] {
		for folder := folderOf(file); !strings.HasPrefix(folder, base); {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	return base
}

// subfolder returns the folder of an input below another one, and "." there or if that is empty.
func subfolder(base, input string) (string, error) {
	if base == "" {
		return ".", nil
	}
	path, below := strings.CutPrefix(folderOf(input), base)
	sub := strings.TrimSuffix(path, "/")
	switch {
	case path == "" && below:
		return ".", nil
	case !below || sub == "." || !fs.ValidPath(sub): // stores may have folders of any name
		return "", misuse("%s can't keep its folder, as it is not below %s, where all other inputs are: name another folder", input, base)
	}
	return sub, nil
}
