//go:build !windows

package osfile

import (
	"errors"
	"io/fs"
	"os"
)

func rename(from, to string) error { return os.Rename(from, to) }

// syncFolder makes a rename in the folder durable. A folder that may be written
// but not read cannot be opened for that; the rename holds all the same.
func syncFolder(name string) error {
	d, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	err = d.Sync()
	if unsupported(err) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
