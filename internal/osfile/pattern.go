// A pattern is what a shell takes for one: * and ? stand for characters of a name, [a-z] for one of several, {a,b} for
// one of several texts, and ** for folders at any depth, none included. A backslash takes the meaning of the character
// behind it away, except on Windows. Names that begin with a dot match only where the pattern says the dot.

package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// IsPattern reports whether a path may be a pattern.
func IsPattern(path string) bool {
	special := `*?[{\`
	if filepath.Separator == '\\' {
		special = `*?[{`
	}
	return strings.ContainsAny(path, special)
}

// Expand puts the files of patterns in their place, in the order of the folders. What several patterns match is named
// once; a path that is no pattern stays, however often it is given. A pattern that matches nothing is an error, and so
// is one that is the name of a file and matches others.
func Expand(paths []string) ([]string, error) {
	var all []string
	matched := map[string]bool{} // paths, and whether a pattern was the first to name them
	for _, path := range paths {
		found, err := files(path)
		if err != nil {
			return nil, err
		}
		if clean := filepath.Clean(path); found == nil && !matched[clean] {
			all, matched[clean] = append(all, path), false
		}
		for _, file := range found {
			if _, named := matched[file]; !named {
				all, matched[file] = append(all, file), true
			}
		}
	}
	return all, nil
}

// files are those of a pattern. There are none, nor an error, if the path is that of a file, or no pattern.
func files(path string) (found []string, err error) {
	if !IsPattern(path) {
		return nil, nil
	}
	base, rest := doublestar.SplitPattern(filepath.ToSlash(filepath.Clean(path)))
	options := []doublestar.GlobOption{doublestar.WithFailOnIOErrors(), doublestar.WithNoHidden()}
	if strings.Contains(rest, "**") { // folders are then what is looked into, but for links, which may lead in circles
		options = append(options, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	}
	matches, err := doublestar.Glob(os.DirFS(base), rest, options...)
	for _, match := range matches {
		path := filepath.Join(base, filepath.FromSlash(match))
		if strings.Contains(rest, "**") && IsFolder(path) { // a link to one
			continue
		}
		found = append(found, path)
	}
	if _, err := os.Lstat(path); err == nil {
		other := slices.IndexFunc(found, func(file string) bool { return file != filepath.Clean(path) })
		if other >= 0 {
			return nil, fmt.Errorf("%s is the name of a file, and a pattern that matches other files, such as %s: rename the file",
				path, found[other])
		}
		return nil, nil
	}
	switch {
	case errors.Is(err, doublestar.ErrBadPattern):
		return nil, fmt.Errorf("%s: there is no such file, and it is not a valid pattern: a bracket is not closed",
			path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case len(found) == 0:
		return nil, fmt.Errorf("%s: %w matches this pattern", path, errNone)
	}
	return found, nil
}

// errNone is that there is no file.
var errNone error = none{}

type none struct{}

func (none) Error() string        { return "no file" }
func (none) Is(target error) bool { return target == fs.ErrNotExist }
