package model

import (
	"errors"
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/mmap"
)

// File is a model that is mapped from its file, read only.
type File struct {
	*Model
	mapping *mmap.Mapping
}

// Open maps a model file and checks all of it, as Decode does. The file must not
// be changed in place while it is in use; to replace it by renaming is good.
func Open(path string) (*File, error) {
	f := &File{}
	var err error
	if f.mapping, err = mmap.Open(path); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	err = f.Guard(func() (err error) {
		f.Model, err = Decode(f.mapping.Bytes())
		return err
	})
	if err != nil {
		f.mapping.Close()
		return nil, withPath(err, path)
	}
	return f, nil
}

// Guard runs fn, which may use the model, and returns its error. If meanwhile
// the file is truncated by someone else, that is an error as well, instead of
// the end of the process. It protects fn on this goroutine only.
func (f *File) Guard(fn func() error) error { return mmap.Guard(f.mapping, fn) }

// Close gives the memory back, after which the model must not be used.
func (f *File) Close() error { return f.mapping.Close() }

// withPath names the file in an error of this package.
func withPath(err error, path string) error {
	if e, ok := errors.AsType[*FileError](err); ok {
		e.Path = path
		return err
	}
	return fmt.Errorf("model: %w", err)
}

// Sections lists the header and the sections of a model file with their
// checksums, and returns the first thing that is wrong with these, or with the
// file's length. It does not look into the sections: Decode does.
func Sections(data []byte) ([]Section, error) {
	h, bad := parseHeader(data)
	if bad != nil {
		return nil, bad
	}
	computeSums(data, h.sections)
	length := headerSize + entrySize*len(h.sections)
	sum := headerSum(data[:length])
	list := append([]Section{{Name: "HEADER", Length: int64(length), Stored: sum, Computed: sum, OK: true}}, h.sections...)
	if bad = h.checkLength(data); bad != nil {
		return list, bad
	}
	for i := range list {
		if !list[i].OK {
			return list, list[i].damaged()
		}
	}
	if bad = h.checkFilling(data); bad != nil {
		return list, bad
	}
	return list, nil
}

// Verify checks a model file: the sections as Sections does, then the contents
// as Open does. The sections are returned also with an error, as far as they can
// be told.
func Verify(path string) (list []Section, err error) {
	mapping, err := mmap.Open(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer mapping.Close()
	err = mmap.Guard(mapping, func() (err error) {
		if list, err = Sections(mapping.Bytes()); err == nil {
			_, err = Decode(mapping.Bytes())
		}
		return err
	})
	if err != nil {
		return list, withPath(err, path)
	}
	return list, nil
}
