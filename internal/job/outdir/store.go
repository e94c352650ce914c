package outdir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
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

// Open is that of package os.
func (Disk) Open(path string) (io.ReadCloser, error) { return os.Open(path) }

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

// readFile reads a file of a store.
func readFile(s Store, path string) ([]byte, error) {
	f, err := s.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// exists tells whether a path of a store does.
func exists(s Store, path string) (bool, error) {
	_, err := s.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
