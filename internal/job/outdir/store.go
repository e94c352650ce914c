package outdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/regular"
)

// Store is where inputs, outputs and records are. The error for what does not exist is [fs.ErrNotExist].
type Store interface {
	Stat(path string) (fs.FileInfo, error)
	Open(path string) (io.ReadCloser, error)
	// Names lists what is in a folder; nothing if that does not exist.
	Names(folder string) ([]string, error)
	// WriteJSON writes a file, which appears whole or not at all.
	WriteJSON(path, indent string, value any) error
}

// Disk is the store of this machine's files.
type Disk struct{}

// Stat is that of package os.
func (Disk) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Open opens a regular file.
func (Disk) Open(path string) (io.ReadCloser, error) { return regular.Open(path) }

// Names lists a folder.
func (Disk) Names(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// WriteJSON writes a file, and makes its folder if there is none.
func (Disk) WriteJSON(path, indent string, value any) error {
	err := atomicfile.WriteJSON(path, indent, value)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		err = atomicfile.WriteJSON(path, indent, value)
	}
	return err
}

// IsLocal tells a path of this machine from one of another store, which begins with a scheme, as gs:// does.
func IsLocal(path string) bool { return !strings.Contains(path, "://") }

// Join is the path of a file in a folder of any store.
func Join(folder, name string) string {
	if IsLocal(folder) {
		return filepath.Join(folder, name)
	}
	return strings.TrimRight(folder, "/") + "/" + name
}

// parent is the folder of a file of any store.
func parent(file string) string {
	if IsLocal(file) {
		return filepath.Dir(file)
	}
	return file[:strings.LastIndex(file, "/")]
}

// mostRecord is how many bytes the record of a run or of an output may have.
const mostRecord = 1 << 30

// readFile reads a record of a store.
func readFile(s Store, path string) ([]byte, error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRecord+1))
	if err == nil && len(text) > mostRecord {
		err = fmt.Errorf("%s has more than the %d bytes that a record may have: it is another file", path, mostRecord)
	}
	return text, err
}

// exists tells whether a path of a store does.
func exists(s Store, path string) (bool, error) {
	_, err := s.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
